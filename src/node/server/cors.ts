/** Pages of other origins: those that are allowed may ask, and only they learn the answer. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ROUTES } from './routes/all.ts';

/** Seconds for which a browser need not ask again. */
const PREFLIGHT_SECONDS = '600';

/** The origin itself, never a wildcard: `checkOrigin` has let it through. */
export function allowOrigin({ headers }: FastifyRequest, reply: FastifyReply): void {
  reply.header('vary', 'origin');
  if (headers.origin === undefined) return;
  reply.header('access-control-allow-origin', headers.origin);
  reply.header('access-control-expose-headers', 'content-disposition');
}

const PATHS = ROUTES.map(({ path, method }) => ({
  method,
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/:[a-z]+/g, '[^/]+')}$`),
}));

/** What a path that is known can be asked with. */
export function methodsOf(url: string): string[] {
  const [path] = url.split('?', 1);
  const methods = PATHS.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
  if (methods.length === 0) return [];
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
}

/** For whoever asks what it may ask. */
export function answerOptions(
  request: FastifyRequest,
  reply: FastifyReply,
  methods: readonly string[],
): void {
  reply.header('allow', methods.join(', '));
  if (request.headers.origin !== undefined) {
    reply.header('access-control-allow-methods', methods.join(', '));
    reply.header('access-control-allow-headers', 'authorization, content-type');
    reply.header('access-control-max-age', PREFLIGHT_SECONDS);
  }
  reply.status(204).send();
}
