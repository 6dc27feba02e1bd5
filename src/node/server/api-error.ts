/** Refusals over HTTP: a status for programs, a stable code for scripts, a sentence for people. */
import type { Duplex } from 'node:stream';
import type { z } from 'zod';
import { KindredError } from '../../base/errors.ts';

/** Every code that an answer can have, its status, and when it comes: the API description lists them from here. */
export const ERRORS = {
  BAD_REQUEST: [400, 'The path, query or body is invalid.'],
  BAD_NAME: [400, 'Not a valid name for a federation, or for a new participant.'],
  BAD_KEY: [400, 'Invalid Ed25519 public key: of small order or not in canonical form.'],
  BAD_OPTIONS: [400, 'The options are invalid or cannot be combined.'],
  BAD_MODEL: [400, 'The model is not a valid model file.'],
  BAD_ROWS: [400, 'The rows, targets or options do not fit the model.'],
  BAD_VERSION: [400, 'The client uses a different protocol version.'],
  TOKEN_NEEDED: [401, 'The operator token is missing.'],
  CHALLENGE_EXPIRED: [401, 'The challenge is expired, used or from another server.'],
  BAD_SIGNATURE: [401, 'The signature does not match the key and the statement.'],
  TICKET_INVALID: [401, 'The ticket is expired, used or for another federation.'],
  WRONG_TOKEN: [403, 'The operator token is invalid or expired.'],
  ROLE_NEEDED: [403, 'The role of the token does not permit this.'],
  WRONG_HOST: [403, 'The Host header is not a name of this server.'],
  WRONG_SERVER: [403, 'The participant signed for the address of another server.'],
  WRONG_ORIGIN: [403, 'Pages of this origin may not use the server.'],
  REVOKED: [403, 'The participant was revoked.'],
  INVITATION_NEEDED: [403, 'The participant is not enrolled and has no invitation.'],
  INVITATION_INVALID: [403, 'The invitation is unknown, used, expired or for another participant.'],
  NOT_FOUND: [404, 'Unknown path.'],
  NO_SUCH_FEDERATION: [404, 'No federation has this name.'],
  NO_SUCH_PARTICIPANT: [404, 'No participant has this name.'],
  NO_SUCH_TOKEN: [404, 'No token has this name.'],
  NO_SUCH_ROUND: [404, 'This round is not closed yet.'],
  NO_SUCH_REPORT: [404, 'No report has this name, or its address has expired.'],
  NO_MODEL: [404, 'No model exists before the first round.'],
  WRONG_METHOD: [405, 'The path does not support this method.'],
  NAME_TAKEN: [409, 'The name is taken or enrolled with another key.'],
  WRONG_FEATURES: [409, 'The columns or their order differ from those of the federation.'],
  FULL: [409, 'No more participants may enrol without an invitation.'],
  REFUSED: [409, 'The federation cannot do this now; the message gives the reason.'],
  TOO_LARGE: [413, 'The body is too large.'],
  WRONG_CONTENT_TYPE: [415, 'The body is not JSON.'],
  TOO_LONG: [422, 'The computation takes longer than the server allows.'],
  UPGRADE_NEEDED: [426, 'This path requires a WebSocket.'],
  TOO_MANY: [429, 'Too many requests; try again in a minute.'],
  INTERNAL: [500, 'Internal error; see the server log.'],
  STORE_FAILED: [503, 'The store is failing; try again.'],
  NOT_READY: [503, 'The server is not ready; the message gives the reason.'],
  STOPPING: [503, 'The server is shutting down.'],
  NO_ROOT: [503, 'No coordinator answers this gateway; try again.'],
} as const satisfies Record<string, readonly [status: number, when: string]>;

export type ErrorCode = keyof typeof ERRORS;

/** After which somebody who was refused with 503 may try again. */
export const RETRY_SECONDS = 1;

export class ApiError extends KindredError {
  declare readonly code: ErrorCode;
  readonly status: number;

  constructor(code: ErrorCode, message: string) {
    const [status] = ERRORS[code];
    super(code, message, status >= 500 ? 'run' : 'input');
    this.status = status;
  }
}

export function noSuchParticipant(id: string, what: 'enrolled' | 'taking part'): ApiError {
  return new ApiError('NO_SUCH_PARTICIPANT', `participant "${id}": no participant of that name is ${what}`);
}

/** Whatever was thrown, as an answer. Details of internal errors go to the log, not to strangers. */
export function refusalOf(error: Error & { readonly statusCode?: number }): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof KindredError && (error.code === 'STORE_FAILED' || error.code === 'FENCED')) {
    return new ApiError('STORE_FAILED', 'the store of the server is failing; try again');
  }
  const { statusCode = 500 } = error;
  if (error instanceof KindredError || statusCode >= 500) {
    return new ApiError('INTERNAL', 'internal error; see the server log');
  }
  // Fastify's own: a body too large, of another type, not JSON.
  if (statusCode === 413) return new ApiError('TOO_LARGE', 'body: expected a smaller one');
  if (statusCode === 415) return new ApiError('WRONG_CONTENT_TYPE', 'body: expected application/json');
  return new ApiError('BAD_REQUEST', error.message.slice(0, 300));
}

/** Input errors about what a client has sent, as refusals. */
export async function asAsked<T>(code: 'BAD_OPTIONS' | 'BAD_REQUEST', act: () => T): Promise<Awaited<T>> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof KindredError && !(error instanceof ApiError) && error.kind === 'input')
      throw new ApiError(code, error.message);
    throw error;
  }
}

/** One sentence for the first thing that is wrong with what came in. */
export function parsed<S extends z.ZodType>(schema: S, value: unknown, what: string): z.output<S> {
  const checked = schema.safeParse(value ?? {});
  if (checked.success) return checked.data;
  const { path, message } = checked.error.issues[0];
  const where = [what, ...path.map(String)].join('.');
  const sentence = message.replace(/^Invalid input: /, '').replace('received undefined', 'got nothing');
  throw new ApiError('BAD_REQUEST', `${where}: ${sentence.replace('received', 'got')}`.slice(0, 500));
}

/** Long enough to read the answer. */
const CLOSE_MS = 1000;

/** A refusal where there is no HTTP response to send it with, only a socket; and the end of that socket. */
export function answerSocket(socket: Duplex, { status, code, message }: ApiError): void {
  const body = JSON.stringify({ error: { code, message } });
  const head = [
    `HTTP/1.1 ${status} Refused`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    ...(status === 503 ? [`retry-after: ${RETRY_SECONDS}`] : []),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // The other side may keep its half open for ever.
  setTimeout(() => socket.destroy(), CLOSE_MS).unref();
}
