/** What a failed attempt to join means: the end of it, or only that it should be tried again. */
import { inputError, type KindredError } from '../base/errors.ts';
import type { Reply } from './ports.ts';

/** It may go better the next time. */
export class TryAgain extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'TryAgain';
    this.code = code;
  }
}

/** Waiting does not help against these, not even one that has been connected before. */
const FINAL = new Set([
  'WRONG_FEDERATION',
  'NO_SUCH_FEDERATION',
  'INVITATION_NEEDED',
  'INVITATION_INVALID',
  'REVOKED',
  'NAME_TAKEN',
  'WRONG_FEATURES',
  'BAD_REQUEST',
]);
/** And against these it does. */
const PASSING = new Set(['CHALLENGE_EXPIRED', 'TOO_MANY', 'BAD_SIGNATURE']);
const PASSING_STATUSES = new Set([408, 425, 429]);
const LONGEST_MESSAGE = 500;

/** What a reply other than 200 amounts to. `where` is the address, for errors. */
export function refusalOf(where: string, { status, body }: Reply): KindredError | TryAgain {
  const given = errorIn(body);
  const code = given?.code ?? '';
  const message = given ? given.message.slice(0, LONGEST_MESSAGE) : `answered with status ${status}`;
  if (FINAL.has(code)) return inputError(code, `${where}: ${message}`);
  if (PASSING.has(code) || PASSING_STATUSES.has(status) || status >= 500)
    return new TryAgain(code || `HTTP_${status}`, `${where}: ${message}`);
  if (given) return inputError(/^[A-Z][A-Z0-9_]*$/.test(code) ? code : 'REFUSED', `${where}: ${message}`);
  return notKindred(where, `status ${status}`);
}

function errorIn(body: unknown): { readonly code: string; readonly message: string } | undefined {
  const { code, message } =
    (body as { error?: { code?: unknown; message?: unknown } } | undefined)?.error ?? {};
  return typeof code === 'string' && typeof message === 'string' ? { code, message } : undefined;
}

/** Of the connection itself: a ticket may have grown old on the way, whatever the server calls that. */
export function refusalOfUpgrade(where: string, reply: Reply): KindredError | TryAgain {
  const refusal = refusalOf(where, reply);
  if (refusal instanceof TryAgain || isFinal(refusal)) return refusal;
  return new TryAgain(refusal.code, refusal.message);
}

/**
 * What else goes wrong for good (an address of something else, a certificate that is not trusted) ends a join that never worked;
 * one that has worked before waits for the operator to put it right.
 */
export function isFinal(error: KindredError): boolean {
  return FINAL.has(error.code);
}

export function notKindred(where: string, got: string): KindredError {
  return inputError(
    'NOT_A_SERVER',
    `${where}: expected the answer of a kindred server, got ${got}; is the address right?`,
  );
}
