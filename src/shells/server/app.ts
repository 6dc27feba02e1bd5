/** The HTTP side: one fastify application, its errors in one form, its headers, its routes. */
import { type FastifyBaseLogger, type FastifyInstance, fastify } from 'fastify';
import { KindredError } from '../../base/errors.ts';
import { ApiError } from './api-error.ts';
import type { ServerContext } from './context.ts';
import type { ServerLimits } from './limits.ts';
import { addDoorRoutes } from './routes/door-routes.ts';
import type { TlsFiles } from './tls.ts';

/** Nothing that we serve may be framed, sniffed, cached or sent on. */
const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

export interface AppOptions {
  readonly limits: ServerLimits;
  readonly log: FastifyBaseLogger;
  readonly tls: TlsFiles | undefined;
}

export function newApp({ limits, log, tls }: AppOptions): FastifyInstance {
  const timeouts = {
    // Whoever sends its request byte by byte (slow loris) is cut off.
    headersTimeout: limits.strangerMs,
    requestTimeout: 2 * limits.strangerMs,
    keepAliveTimeout: limits.strangerMs,
    connectionsCheckingInterval: 1000,
  };
  const shared = {
    loggerInstance: log,
    disableRequestLogging: true,
    bodyLimit: limits.maxBodyBytes,
    routerOptions: { maxParamLength: 600 },
    forceCloseConnections: true,
  };
  // The two have types of their own, and nothing else that differs.
  if (tls)
    return fastify({
      ...shared,
      https: { ...tls.secureOptions(), ...timeouts },
    }) as unknown as FastifyInstance;
  return fastify({ ...shared, http: timeouts }) as unknown as FastifyInstance;
}

export function addRoutes(app: FastifyInstance, context: ServerContext): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(SECURITY_HEADERS);
    context.access.checkOrigin(request.raw);
  });
  app.setErrorHandler((error, request, reply) => {
    const refusal = refusalOf(error as Error & { statusCode?: number });
    if (refusal.status >= 500)
      request.log.error({ err: error, url: request.routeOptions.url }, 'request failed');
    reply.status(refusal.status).send({ error: { code: refusal.code, message: refusal.message } });
  });
  app.setNotFoundHandler((request, reply) => {
    const message = `${request.method} ${request.url.slice(0, 200)}: there is nothing here`;
    reply.status(404).send({ error: { code: 'NOT_FOUND', message } });
  });
  addDoorRoutes(app, context);
}

function refusalOf(error: Error & { statusCode?: number }): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof KindredError) {
    return new ApiError(error.kind === 'input' ? 400 : 500, error.code, error.message);
  }
  // Fastify's own: a body too large, not JSON, of another type.
  const { statusCode = 500 } = error;
  if (statusCode < 500) return new ApiError(statusCode, 'BAD_REQUEST', error.message);
  return new ApiError(500, 'INTERNAL', 'something went wrong here; the log of the server says what');
}
