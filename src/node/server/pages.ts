/**
 * The pages for people: the dashboard, the page of a participant, the page that personalises a model. They are files of dist/web
 * (scripts/build-web.mjs), read once and kept in memory, compressed. Nothing in them is secret: what they show comes from the API, with its checks.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from './api-error.ts';

/** From src/ and from dist/ alike. */
const FOLDER = fileURLToPath(new URL('../../../dist/web/', import.meta.url));

/** By path; the rest of the path is for the page's own script. */
type Pages = Readonly<Record<string, string>>;

/** For those who take part. */
export const PARTICIPANT_PAGES: Pages = {
  '/join/:name': 'join.html',
  '/personalise': 'personalise.html',
};

export const ALL_PAGES: Pages = { '/': 'index.html', ...PARTICIPANT_PAGES };

/** For pages of others, as plain ES modules: to take part, and to use models. */
const LIBRARY = ['kindred.js', 'kindred-models.js'];

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.wasm': 'application/wasm',
};

/** Scripts, styles and connections of our own only, none of them inline; kernels are compiled from bytes. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The names of assets change with their content. */
const ASSET_CACHE = 'public, max-age=31536000, immutable';
const PAGE_CACHE = 'no-cache';

interface Page {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzip: Buffer;
  readonly brotli: Buffer;
}

export function addPages(app: FastifyInstance, pages: Pages): void {
  const files = new Map<string, Page>();
  for (const [path, file] of Object.entries(pages)) {
    app.get(path, { schema: { hide: true } }, (request, reply) =>
      send(request, reply, pageOf(files, file), PAGE_CACHE),
    );
  }
  app.get<{ Params: { '*': string } }>('/assets/*', { schema: { hide: true } }, (request, reply) =>
    send(request, reply, pageOf(files, `assets/${request.params['*']}`), ASSET_CACHE),
  );
  for (const file of LIBRARY) {
    app.get(`/${file}`, { schema: { hide: true } }, (request, reply) =>
      send(request, reply, pageOf(files, file), PAGE_CACHE),
    );
  }
}

/** Names of files that were there when first asked: no path of a request reaches the file system. */
let names: ReadonlySet<string> | undefined;

function pageOf(files: Map<string, Page>, name: string): Page {
  names ??= new Set(builtFiles());
  if (!names.has(name)) throw new ApiError('NOT_FOUND', `/${name.slice(0, 200)}: unknown path`);
  const known = files.get(name);
  if (known) return known;
  const plain = readFileSync(join(FOLDER, name));
  const type = TYPES[extname(name)] ?? 'application/octet-stream';
  const page = { type, plain, gzip: gzipSync(plain, { level: 9 }), brotli: brotliCompressSync(plain) };
  files.set(name, page);
  return page;
}

function builtFiles(): string[] {
  try {
    return (readdirSync(FOLDER, { recursive: true }) as string[]).map((name) => name.replaceAll('\\', '/'));
  } catch {
    // Not built: the API works without pages.
    return [];
  }
}

function send(request: FastifyRequest, reply: FastifyReply, page: Page, cache: string): FastifyReply {
  const accepted = request.headers['accept-encoding'] ?? '';
  const encoding = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : undefined;
  reply.headers({
    'content-type': page.type,
    'content-security-policy': PAGE_POLICY,
    'cache-control': cache,
    vary: 'accept-encoding',
    ...(encoding && { 'content-encoding': encoding }),
  });
  return reply.send(encoding === 'br' ? page.brotli : encoding === 'gzip' ? page.gzip : page.plain);
}
