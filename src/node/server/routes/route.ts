/**
 * A route of the HTTP API as data: what it takes, what it gives, who may ask, and the function behind it. The server registers
 * routes from it, and the API description is made from the same, so that neither can lack what the other has.
 */
import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import { z } from 'zod';
import type { CoordinatorOptions } from '../../../coordinator/options.ts';
import type { FederationRecord, Role, Store } from '../../../host/ports.ts';
import type { Access } from '../access.ts';
import type { Admission } from '../admission.ts';
import { ApiError, type ErrorCode, parsed } from '../api-error.ts';
import type { AuditLog } from '../audit-log.ts';
import type { Door } from '../door.ts';
import type { Federation } from '../federation.ts';
import type { ServerLimits } from '../limits.ts';
import type { Meters } from '../meters.ts';
import type { ModelWork } from '../model-work.ts';
import type { OtherVersions } from '../other-versions.ts';
import type { Reports } from '../reports.ts';
import { participantId } from '../schemas.ts';
import type { Tokens } from '../tokens.ts';

/** What the holder of a token was refused. */
export interface Refused {
  readonly who: string;
  readonly what: string;
  readonly target: string;
}

/** Server-sent events, as streams that go on until the listener is gone. */
export interface LiveStreams {
  /** Of all federations, in brief. */
  federations(request: IncomingMessage): Readable;
  /** `after`: the last round that the listener knows. */
  federation(federation: Federation, request: IncomingMessage, after: number): Readable;
}

/** What the routes of any server work with, of the coordinator and of a gateway. */
export interface AppContext {
  readonly version: string;
  readonly access: Access;
  readonly audit: Pick<AuditLog, 'write'>;
  readonly meters: { readonly registry: Registry };
  readonly limits: ServerLimits;
  readonly door: Door;
  /** Whether the server is shutting down. */
  readonly stopping: () => boolean;
  /** Present: another server leads, and this one answers nothing but probes. */
  readonly standby?: string | undefined;
  /** Undefined: it can work. */
  readonly whyNotReady: () => string | undefined;
  /** What a device has to trust to trust this server, where the server has it. */
  readonly authority: () => X509Certificate | undefined;
  /** Participants of other protocol versions. */
  readonly otherVersions: OtherVersions;
  /** Every refusal is counted, and gets into the audit log: as done by the holder of a token where it is known, else in numbers. */
  onRefused(code: ErrorCode, from: string | undefined, by?: Refused): void;
}

/** What the routes of the coordinator work with. */
export interface ServerContext extends AppContext {
  readonly store: Store;
  readonly admission: Admission;
  readonly tokens: Tokens;
  readonly audit: AuditLog;
  readonly meters: Meters;
  readonly modelWork: ModelWork;
  readonly live: LiveStreams;
  readonly reports: Reports;
  readonly uptimeMs: () => number;
  /** By name. */
  readonly federations: ReadonlyMap<string, Federation>;
  /** Refuses a name that is not there. */
  federation(name: string): Federation;
  /** Refuses a name that is there, or that is none. */
  create(name: string, options: CoordinatorOptions): Promise<Federation>;
  /** Ends it and deletes what is stored of it; refuses a name that is not there. */
  remove(name: string): Promise<Pick<FederationRecord, 'name' | 'id'>>;
}

export function checkRunning({ stopping, standby }: Pick<AppContext, 'stopping' | 'standby'>): void {
  if (standby !== undefined) throw new ApiError('NOT_READY', standby);
  if (stopping()) throw new ApiError('STOPPING', 'the server is shutting down; reconnect later');
}

/** Nothing is expected, and nothing else is taken. */
const NOTHING = z.strictObject({});
type Nothing = typeof NOTHING;

/** What may stand in a path. */
const PARAMETERS = {
  name: z.string().describe('Name of a federation'),
  id: participantId,
  round: z.coerce.number().int().min(1),
  token: z.string().max(64).describe('Name of a token'),
  report: z.string().max(255).describe('Name of a report'),
};
type Parameter = keyof typeof PARAMETERS;

type NamesIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

interface Asked<On extends string, Q extends z.ZodType, B extends z.ZodType> {
  readonly params: { readonly [N in NamesIn<On> & Parameter]: z.output<(typeof PARAMETERS)[N]> };
  readonly query: z.output<Q>;
  readonly body: z.output<B>;
}

interface Described {
  /** Unique name, for clients that are generated. */
  readonly id: string;
  /** The role of the token that is needed. `read`: none for whoever is on the machine, where the server listens on loopback. */
  readonly access: 'anybody' | Role;
  readonly about: string;
  readonly details?: string;
  /** For the API description, where the body is checked by more than its schema. */
  readonly describedBody?: z.ZodType;
  /** Its status is 200 and its type JSON of the schema unless they are given. */
  readonly answer: {
    readonly status?: 201;
    readonly about: string;
    readonly type?: string;
    readonly schema?: z.ZodType;
  };
  /** Its answer is a stream that does not end by itself: HEAD is answered without it. */
  readonly streams?: true;
  /** Its body may be as large as `maxRowsBytes`, and reaches the handler as text. */
  readonly takesRows?: true;
  /** Beside those that any route of its kind may give. */
  readonly errors?: readonly ErrorCode[];
}

export interface Route<Context extends AppContext = ServerContext> extends Described {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** As fastify writes it: `:name` is a parameter. */
  readonly path: string;
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  handle(request: FastifyRequest, context: Context, reply: FastifyReply): unknown;
  /** What a request is about, for the audit log. */
  targetOf(request: FastifyRequest): string;
}

/** `on` is the method and the path, whose parameters are among those above. */
export function route<
  const On extends `${Route['method']} /${string}`,
  Q extends z.ZodType = Nothing,
  B extends z.ZodType = Nothing,
  Context extends AppContext = ServerContext,
>({
  on,
  handle,
  target,
  ...described
}: Described & {
  readonly on: On;
  readonly query?: Q;
  readonly body?: B;
  /** For the audit log; default: the parameters of the path. */
  target?(asked: Pick<Asked<On, Q, B>, 'params' | 'body'>): string;
  handle(asked: Asked<On, Q, B>, context: Context, reply: FastifyReply): unknown;
}): Route<Context> {
  const { query = NOTHING, body = NOTHING } = described;
  const [method, path] = on.split(' ') as [Route['method'], string];
  const names = [...path.matchAll(/:([a-z]+)/g)].map(([, name]) => [name, PARAMETERS[name as Parameter]]);
  const params = z.strictObject(Object.fromEntries(names));
  return {
    ...described,
    method,
    path,
    ...(names.length > 0 && { params }),
    handle: (request, context, reply) => {
      const asked = {
        params: parsed(params, request.params, 'path'),
        query: parsed(query, request.query, 'query'),
        body: parsed(body, request.body, 'body'),
      };
      return handle(asked as Asked<On, Q, B>, context, reply);
    },
    targetOf: (request) => {
      const checked = target && body.safeParse(request.body ?? {});
      if (target && checked?.success) {
        const asked = { params: request.params, body: checked.data };
        return target(asked as Asked<On, Q, B>);
      }
      return Object.values((request.params ?? {}) as object).join(' ');
    },
  };
}

/** Errors that any route of its kind may give, and its own. */
export function errorsOf({ access, path, method, errors = [] }: Route<never>): ErrorCode[] {
  const all: ErrorCode[] = ['BAD_REQUEST', 'WRONG_HOST', 'WRONG_ORIGIN', 'INTERNAL'];
  if (access !== 'anybody') all.push('TOKEN_NEEDED', 'WRONG_TOKEN', 'ROLE_NEEDED');
  if (method !== 'GET') all.push('TOO_LARGE', 'WRONG_CONTENT_TYPE');
  if (path.startsWith('/v1/')) all.push('STOPPING', 'NOT_READY');
  if (path.includes('/:name')) all.push('NO_SUCH_FEDERATION');
  if (path.startsWith('/v1/federations') || access === 'admin') all.push('STORE_FAILED');
  return [...new Set([...all, ...errors])];
}
