/**
 * A route of the HTTP API as data: what it takes, what it gives, who may ask, and the function behind it. The server registers
 * routes from it, and the API description is made from the same, so that neither can lack what the other has.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { CoordinatorOptions } from '../../../coordinator/options.ts';
import type { Store } from '../../../host/ports.ts';
import type { Access } from '../access.ts';
import type { Admission } from '../admission.ts';
import { ApiError, type ErrorCode, parsed } from '../api-error.ts';
import type { Federation } from '../federation.ts';
import type { Meters } from '../meters.ts';

/** What the routes work with. */
export interface ServerContext {
  readonly version: string;
  readonly store: Store;
  readonly admission: Admission;
  readonly access: Access;
  readonly meters: Meters;
  readonly uptimeMs: () => number;
  /** By name. */
  readonly federations: ReadonlyMap<string, Federation>;
  /** Refuses a name that is not there. */
  federation(name: string): Federation;
  /** Refuses a name that is there, or that is none. */
  create(name: string, options: CoordinatorOptions): Promise<Federation>;
  /** Whether the server is shutting down. */
  readonly stopping: () => boolean;
  /** Every refusal is counted. */
  onRefused(code: ErrorCode): void;
}

export function checkRunning({ stopping }: ServerContext): void {
  if (stopping()) throw new ApiError('STOPPING', 'the server is shutting down; connect again later');
}

/** Nothing is expected, and nothing else is taken. */
const NOTHING = z.strictObject({});

interface Answer {
  /** Default 200. */
  readonly status?: 201;
  readonly about: string;
  /** Default: JSON of the schema. */
  readonly type?: string;
  readonly schema?: z.ZodType;
}

interface Asked<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
}

interface Definition<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  readonly method: 'GET' | 'POST';
  /** As fastify writes it: `:name` is a parameter. */
  readonly path: string;
  /** Unique name, for clients that are generated. */
  readonly id: string;
  /** `read`: the operator, and on loopback anybody on the machine. */
  readonly access: 'anybody' | 'read' | 'operator';
  readonly about: string;
  readonly details?: string;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** For the API description, where the body is checked by more than its schema. */
  readonly describedBody?: z.ZodType;
  readonly answer: Answer;
  /** Beside those that any route of its kind may give. */
  readonly errors?: readonly ErrorCode[];
  handle(
    asked: Asked<z.output<P>, z.output<Q>, z.output<B>>,
    context: ServerContext,
    reply: FastifyReply,
  ): unknown;
}

export type Route = Omit<Definition<z.ZodType, z.ZodType, z.ZodType>, 'handle'> & {
  handle(request: FastifyRequest, context: ServerContext, reply: FastifyReply): unknown;
};

type Nothing = typeof NOTHING;

export function route<
  P extends z.ZodType = Nothing,
  Q extends z.ZodType = Nothing,
  B extends z.ZodType = Nothing,
>(definition: Definition<P, Q, B>): Route {
  const { params = NOTHING, query = NOTHING, body = NOTHING } = definition;
  return {
    ...definition,
    handle: (request, context, reply) => {
      const asked = {
        params: parsed(params, request.params, 'path'),
        query: parsed(query, request.query, 'query'),
        body: parsed(body, request.body, 'body'),
      };
      return definition.handle(asked as Asked<z.output<P>, z.output<Q>, z.output<B>>, context, reply);
    },
  };
}

/** Errors that any route of its kind may give, and its own. */
export function errorsOf({ access, path, method, errors = [], query, params, body }: Route): ErrorCode[] {
  const all: ErrorCode[] = ['WRONG_HOST', 'WRONG_ORIGIN', 'INTERNAL'];
  if (access !== 'anybody') all.push('TOKEN_NEEDED', 'WRONG_TOKEN');
  if (params || query || body || method === 'POST') all.push('BAD_REQUEST');
  if (method === 'POST') all.push('TOO_LARGE', 'WRONG_CONTENT_TYPE');
  if (path.startsWith('/v1/')) all.push('STOPPING');
  if (path.includes('/:name')) all.push('NO_SUCH_FEDERATION');
  if (path.startsWith('/v1/federations')) all.push('STORE_FAILED');
  return [...new Set([...all, ...errors])];
}
