/** Refusals over HTTP: a status for programs, a stable code for scripts, a sentence for people. */
import { KindredError } from '../../base/errors.ts';

/** Every code that an answer can have, its status, and when it comes: the API description lists them from here. */
export const ERRORS = {
  BAD_REQUEST: [400, 'Something in the path, the query or the body is not as it should be.'],
  BAD_NAME: [400, 'Not a name for a federation.'],
  BAD_OPTIONS: [400, 'Options that a federation cannot be run with.'],
  BAD_VERSION: [400, 'The client speaks another version of the protocol.'],
  TOKEN_NEEDED: [401, 'The operator token is missing.'],
  CHALLENGE_EXPIRED: [401, 'The challenge is too old, used, or of another server.'],
  BAD_SIGNATURE: [401, 'The signature does not fit the key and what it should be about.'],
  TICKET_INVALID: [401, 'The ticket is used, too old, or of another federation.'],
  WRONG_TOKEN: [403, 'Not the operator token.'],
  WRONG_HOST: [403, 'The server listens on loopback only and was asked by another name.'],
  WRONG_ORIGIN: [403, 'A page of this origin may not use the server.'],
  REVOKED: [403, 'The participant may no longer take part.'],
  INVITATION_NEEDED: [403, 'The participant is not enrolled and has no invitation.'],
  INVITATION_INVALID: [403, 'The invitation is unknown, used, expired, or for somebody else.'],
  NOT_FOUND: [404, 'There is nothing at this path.'],
  NO_SUCH_FEDERATION: [404, 'There is no federation of this name.'],
  NO_SUCH_PARTICIPANT: [404, 'There is no participant of this name.'],
  NO_SUCH_ROUND: [404, 'This round has not been closed.'],
  NO_MODEL: [404, 'There is no model before the first round.'],
  WRONG_METHOD: [405, 'The path is known, but not with this method.'],
  NAME_TAKEN: [409, 'The name belongs to somebody else, or to another key.'],
  WRONG_FEATURES: [409, 'The columns, or their order, are not those of the federation.'],
  REFUSED: [409, 'The federation cannot do this; the sentence says why.'],
  TOO_LARGE: [413, 'The body is larger than the server takes.'],
  WRONG_CONTENT_TYPE: [415, 'The body is not JSON.'],
  UPGRADE_NEEDED: [426, 'This is the address of a WebSocket.'],
  INTERNAL: [500, 'Something went wrong in the server; its log says what.'],
  STORE_FAILED: [503, 'The store does not take anything at the moment.'],
  NOT_READY: [503, 'The server cannot do its work at the moment; the sentence says why.'],
  STOPPING: [503, 'The server is about to stop.'],
} as const satisfies Record<string, readonly [status: number, when: string]>;

export type ErrorCode = keyof typeof ERRORS;

export class ApiError extends KindredError {
  declare readonly code: ErrorCode;
  readonly status: number;

  constructor(code: ErrorCode, message: string) {
    const [status] = ERRORS[code];
    super(code, message, status >= 500 ? 'run' : 'input');
    this.status = status;
  }
}

export function noSuchFederation(name: string): ApiError {
  return new ApiError('NO_SUCH_FEDERATION', `federation "${name}": there is none of that name here`);
}

export function noSuchParticipant(id: string, what: 'enrolled' | 'taking part'): ApiError {
  return new ApiError('NO_SUCH_PARTICIPANT', `participant "${id}": nobody of that name is ${what}`);
}

/** Whatever was thrown, as an answer. What a stranger is told of trouble in here is that there is some. */
export function refusalOf(error: Error & { readonly statusCode?: number }): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof KindredError && error.code === 'STORE_FAILED') {
    return new ApiError('STORE_FAILED', 'the store of this server does not work at the moment; try again');
  }
  const { statusCode = 500 } = error;
  if (error instanceof KindredError || statusCode >= 500) {
    return new ApiError('INTERNAL', 'something went wrong here; the log of the server says what');
  }
  // Fastify's own: a body too large, of another type, not JSON.
  if (statusCode === 413) return new ApiError('TOO_LARGE', 'body: expected a smaller one');
  if (statusCode === 415) return new ApiError('WRONG_CONTENT_TYPE', 'body: expected application/json');
  return new ApiError('BAD_REQUEST', error.message.slice(0, 300));
}

/** What somebody asked for is wrong: errors of ours about it are theirs. */
export async function asAsked<T>(code: 'BAD_OPTIONS' | 'BAD_REQUEST', act: () => T): Promise<Awaited<T>> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof KindredError && !(error instanceof ApiError) && error.kind === 'input')
      throw new ApiError(code, error.message);
    throw error;
  }
}
