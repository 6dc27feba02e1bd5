/** The HTTP side: one fastify application, its errors in one form, its headers, its routes. */
import type { Socket } from 'node:net';
import { fastifyCors } from '@fastify/cors';
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import { inputError } from '../../base/errors.ts';
import { ApiError, answerSocket, type ErrorCode, RETRY_SECONDS, refusalOf } from './api-error.ts';
import { addAuthorityFile } from './authority-file.ts';
import type { ServerLimits } from './limits.ts';
import { describeRoutes, operationOf } from './openapi.ts';
import { addPages } from './pages.ts';
import { type AppContext, checkRunning, type Route } from './routes/route.ts';
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

/** For which a browser need not ask again. */
const PREFLIGHT_SECONDS = 600;

interface AppOptions {
  readonly limits: ServerLimits;
  readonly log: Logger;
  readonly tls: TlsFiles | undefined;
  onRefused(code: ErrorCode, from: string | undefined): void;
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
    // Only what goes wrong: the rest we log ourselves, and never a header.
    loggerInstance: log.child({}, { level: log.isLevelEnabled('warn') ? 'warn' : log.level }),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: limits.maxBodyBytes,
    routerOptions: { maxParamLength: 600 },
    forceCloseConnections: true,
    // We refuse ourselves, in our own form.
    return503OnClosing: false,
    frameworkErrors: (error: Error, { raw }: FastifyRequest, reply: FastifyReply) => {
      const refusal = refusalOf(error);
      onRefused(refusal.code, raw.socket.remoteAddress);
      reply.headers(SECURITY_HEADERS);
      sendRefusal(reply, refusal);
    },
    clientErrorHandler: (_: Error, socket: Socket) => {
      if (socket.destroyed || !socket.writable) return;
      onRefused('BAD_REQUEST', socket.remoteAddress);
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

/** What an application offers. */
export interface Offered<Context extends AppContext> {
  readonly routes: readonly Route<Context>[];
  readonly pages: Readonly<Record<string, string>>;
  /** Adds files that are no pages. */
  readonly files?: ((app: FastifyInstance) => void) | undefined;
}

export function addRoutes<Context extends AppContext>(
  app: FastifyInstance,
  context: Context,
  { routes, pages, files }: Offered<Context>,
): void {
  const table = new RouteTable(routes);
  takeJsonOnly(app, table);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(SECURITY_HEADERS);
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      throw new ApiError('BAD_REQUEST', 'host: expected one, got none');
    context.access.checkOrigin(request.raw);
    // The plugin answers OPTIONS whatever the path.
    if (request.method === 'OPTIONS') table.checkMethod(request, reply);
  });
  app.register(fastifyCors, {
    // The origin itself, never a wildcard: `checkOrigin` has refused all others.
    origin: true,
    methods: ['GET', 'HEAD', 'POST', 'DELETE'],
    allowedHeaders: ['authorization', 'content-type'],
    exposedHeaders: ['content-disposition'],
    maxAge: PREFLIGHT_SECONDS,
    strictPreflight: false,
  });
  describeRoutes(app, context.version, routes);
  app.setErrorHandler((error: Error, request, reply) => {
    const refusal = refusalOf(error);
    noteRefusal(context, request, table.routeFor(request), refusal);
    if (refusal.status >= 500)
      request.log.error({ err: error, url: request.routeOptions.url }, 'request failed');
    sendRefusal(reply, refusal);
  });
  app.setNotFoundHandler((request, reply) => {
    table.checkMethod(request, reply);
    throw notFound(request);
  });
  // In a plugin of their own: those above see only routes that come after them.
  app.register(async (inner) => {
    for (const one of routes) register(inner, context, one);
    addPages(inner, pages);
    files?.(inner);
    addAuthorityFile(inner, context);
  });
}

function register<Context extends AppContext>(
  app: FastifyInstance,
  context: Context,
  one: Route<Context>,
): void {
  const { method, path, access, answer } = one;
  app.route({
    method,
    url: path,
    ...(one.takesRows && { bodyLimit: context.limits.maxRowsBytes }),
    config: { swaggerTransform: () => ({ schema: operationOf(one), url: path }) },
    // Before the body is read: nobody sends us a megabyte to learn that it needs a token.
    onRequest: async ({ raw }) => {
      // Health is answered to the end.
      if (path.startsWith('/v1/')) checkRunning(context);
      if (access !== 'anybody') context.access.check(raw, access);
    },
    handler: async (request, reply) => {
      reply.status(answer.status ?? 200);
      if (answer.type) reply.type(answer.type);
      if (one.streams && request.method === 'HEAD') return '';
      const result = await one.handle(request, context, reply);
      await noteAction(context, one, request);
      return result;
    },
  });
}

/** Before it is answered: what an operator was told to be done is in the log. */
async function noteAction(context: AppContext, one: Route<never>, request: FastifyRequest): Promise<void> {
  const actor = context.access.actorOf(request.raw);
  if (!actor || one.access === 'read' || one.method === 'GET') return;
  const happened = { who: actor.name, what: one.id, target: one.targetOf(request), outcome: 'done' };
  await context.audit.write({ ...happened, from: request.ip });
}

function noteRefusal(
  context: AppContext,
  request: FastifyRequest,
  one: Route<never> | undefined,
  { code }: ApiError,
): void {
  const actor = context.access.actorOf(request.raw);
  const by = actor && one && { who: actor.name, what: one.id, target: one.targetOf(request) };
  context.onRefused(code, request.ip, by);
}

/** Finds the route of a request, and the methods of a path. */
class RouteTable {
  private readonly byPath: ReadonlyMap<string, Route<never>>;
  private readonly paths: readonly { readonly method: string; readonly pattern: RegExp }[];

  constructor(routes: readonly Route<never>[]) {
    this.byPath = new Map(routes.map((one) => [`${one.method} ${one.path}`, one]));
    this.paths = routes.map(({ path, method }) => ({
      method,
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/:[a-z]+/g, '[^/]+')}$`),
    }));
  }

  routeFor({ method, routeOptions }: FastifyRequest): Route<never> | undefined {
    return this.byPath.get(`${method} ${routeOptions.url}`);
  }

  /** Lists the methods of a known path, and refuses others. */
  checkMethod(request: FastifyRequest, reply: FastifyReply): void {
    const [path] = request.url.split('?', 1);
    const known = this.paths.filter(({ pattern }) => pattern.test(path));
    const methods = known.map(({ method }) => method);
    if (methods.length === 0) throw notFound(request);
    if (methods.includes('GET')) methods.push('HEAD');
    methods.push('OPTIONS');
    reply.header('allow', methods.join(', '));
    if (!methods.includes(request.method))
      throw new ApiError('WRONG_METHOD', `${lineOf(request)}: expected ${methods.join(', ')}`);
  }
}

function notFound(request: FastifyRequest): ApiError {
  return new ApiError('NOT_FOUND', `${lineOf(request)}: unknown path`);
}

function lineOf({ method, url }: FastifyRequest): string {
  return `${method} ${url.slice(0, 200)}`;
}

/** An empty body is as good as none, whatever its type says. */
function takeJsonOnly(app: FastifyInstance, table: RouteTable): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else if (table.routeFor(request)?.takesRows) done(null, body);
    else parse(request, body as string, done);
  });
}

function sendRefusal(reply: FastifyReply, { status, code, message }: ApiError): void {
  // What was meant for an answer is not true of a refusal.
  reply.removeHeader('content-disposition');
  if (status === 503) reply.header('retry-after', RETRY_SECONDS);
  reply.type('application/json; charset=utf-8').status(status).send({ error: { code, message } });
}

export async function listen(app: FastifyInstance, host: string, port: number): Promise<void> {
  try {
    // By its name it would be two sockets, of which we would guard one.
    await app.listen({ host: host === 'localhost' ? '127.0.0.1' : host, port });
  } catch (error) {
    throw listenError(error, host, port);
  }
}

function listenError(error: unknown, host: string, port: number): unknown {
  const { code } = error as { code?: string };
  if (code === 'EADDRINUSE') {
    return inputError('PORT_IN_USE', `port ${port}: in use by another process; choose another with --port`);
  }
  if (code === 'EACCES')
    return inputError('NO_PERMISSION', `port ${port}: no permission; choose one above 1023`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return inputError('BAD_HOST', `host "${host}": expected an address of this machine`);
  }
  return error;
}
