/** What a page loads of the library that servers have at /kindred.js, compressed as they send it. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { DIST } from './browser-page.ts';

export interface LoadSize {
  readonly what: string;
  readonly files: number;
  readonly gzipBytes: number;
  readonly brotliBytes: number;
}

const WEB = join(DIST, 'web');
const STATIC_IMPORT = /(?:^|[;}])import\s*(?:[\w*{][^'"();]*from\s*)?["'](\.[^"']+)["']/g;

export function loadSizes(): LoadSize[] {
  const worker = readdirSync(join(WEB, 'assets')).find((name) => name.startsWith('participant-worker'));
  const participant = loadedWith(`assets/${worker}`);
  const library = loadedWith('kindred.js');
  return [
    sizeOf('worker, with kernels', participant),
    sizeOf('whole library, worker', [...participant, ...library]),
  ];
}

/** A script and all that it imports at once, what it imports later left out. */
function loadedWith(name: string, known: string[] = []): string[] {
  if (known.includes(name)) return known;
  known.push(name);
  const text = readFileSync(join(WEB, name), 'utf8');
  for (const [, other] of text.matchAll(STATIC_IMPORT))
    loadedWith(normalize(join(dirname(name), other)), known);
  return known;
}

function sizeOf(what: string, names: readonly string[]): LoadSize {
  const files = [...new Set(names)].map((name) => readFileSync(join(WEB, name)));
  const total = (compress: (file: Buffer) => Buffer) =>
    files.reduce((bytes, file) => bytes + compress(file).length, 0);
  return {
    what,
    files: files.length,
    gzipBytes: total((file) => gzipSync(file, { level: 9 })),
    brotliBytes: total((file) => brotliCompressSync(file)),
  };
}
