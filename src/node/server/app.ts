/** The HTTP side: one fastify application, its errors in one form, its headers, its routes. */
import type { Socket } from 'node:net';
import { type FastifyInstance, type FastifyReply, fastify, LogController } from 'fastify';
import type { Logger } from 'pino';
import { answerSocket } from './answer-socket.ts';
import { ApiError, type ErrorCode, refusalOf } from './api-error.ts';
import type { ServerContext } from './context.ts';
import { allowOrigin, answerOptions, methodsOf } from './cors.ts';
import type { ServerLimits } from './limits.ts';
import { ROUTES } from './routes/all.ts';
import { register } from './routes/route.ts';
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
  readonly log: Logger;
  readonly tls: TlsFiles | undefined;
  onRefused(code: ErrorCode): void;
}

export function newApp({ limits, log, tls, onRefused }: AppOptions): FastifyInstance {
  const ofServer = {
    headersTimeout: limits.strangerMs,
    connectionsCheckingInterval: 1000,
    // Node would refuse it in a form of its own.
    requireHostHeader: false,
  };
  const shared = {
    // Whoever sends its request byte by byte (slow loris) is cut off. Among the options of the server fastify would undo these two.
    requestTimeout: 2 * limits.strangerMs,
    keepAliveTimeout: limits.strangerMs,
    // Only what goes wrong: what is worth knowing otherwise we say ourselves, and never a header.
    loggerInstance: log.child({}, { level: log.isLevelEnabled('warn') ? 'warn' : log.level }),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: limits.maxBodyBytes,
    routerOptions: { maxParamLength: 600 },
    forceCloseConnections: true,
    // We say so ourselves, in our own form.
    return503OnClosing: false,
    frameworkErrors: (error: Error, _: unknown, reply: FastifyReply) => {
      const refusal = refusalOf(error);
      onRefused(refusal.code);
      reply.headers(SECURITY_HEADERS);
      sendRefusal(reply, refusal);
    },
    clientErrorHandler: (_: Error, socket: Socket) => {
      if (socket.destroyed || !socket.writable) return;
      onRefused('BAD_REQUEST');
      answerSocket(socket, new ApiError('BAD_REQUEST', 'expected an HTTP request'));
    },
  };
  // The two have types of their own, and nothing else that differs.
  const app = tls
    ? (fastify({ ...shared, https: { ...tls.secureOptions(), ...ofServer } }) as unknown as FastifyInstance)
    : (fastify({ ...shared, http: ofServer }) as unknown as FastifyInstance);
  // Whatever else a client expects is its own affair; Node would refuse it in a form of its own.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  return app;
}

export function addRoutes(app: FastifyInstance, context: ServerContext): void {
  takeJsonOnly(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(SECURITY_HEADERS);
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      throw new ApiError('BAD_REQUEST', 'host: expected one, got none');
    context.access.checkOrigin(request.raw);
    allowOrigin(request, reply);
    // Whoever asks how we are is told to the end.
    if (context.stopping() && request.url.startsWith('/v1/'))
      throw new ApiError('STOPPING', 'the server is about to stop; come again');
  });
  app.setErrorHandler((error: Error, request, reply) => {
    const refusal = refusalOf(error);
    context.onRefused(refusal.code);
    if (refusal.status >= 500)
      request.log.error({ err: error, url: request.routeOptions.url }, 'request failed');
    sendRefusal(reply, refusal);
  });
  app.setNotFoundHandler((request, reply) => {
    const methods = methodsOf(request.url);
    if (methods.length > 0 && request.method === 'OPTIONS') return answerOptions(request, reply, methods);
    const where = `${request.method} ${request.url.slice(0, 200)}`;
    if (methods.length > 0 && !methods.includes(request.method)) {
      reply.header('allow', methods.join(', '));
      throw new ApiError('WRONG_METHOD', `${where}: expected ${methods.join(', ')}`);
    }
    throw new ApiError('NOT_FOUND', `${where}: there is nothing here`);
  });
  for (const one of ROUTES) register(app, context, one);
}

/** An empty body is as good as none, whatever its type says. */
function takeJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else parse(request, body as string, done);
  });
}

function sendRefusal(reply: FastifyReply, { status, code, message }: ApiError): void {
  // What was meant for an answer is not true of a refusal.
  reply.removeHeader('content-disposition');
  reply.type('application/json; charset=utf-8').status(status).send({ error: { code, message } });
}
