/**
 * Steps 1 and 2 of joining: a challenge is signed, and a ticket for the connection comes back. And what a failed attempt to join means: the end
 * of it, or only that it should be tried again.
 */
import { inputError, type KindredError } from '../base/errors.ts';
import { joinStatement } from '../protocol/joining.ts';
import { PROTOCOL_VERSION } from '../protocol/messages.ts';
import type { FederationName } from './participant-file.ts';
import type { Reply, Signer, Transport } from './ports.ts';

/** Who wants to join, and with what. */
export interface Applicant {
  readonly participant: string;
  readonly signer: Signer;
  readonly schema: string;
  readonly features: readonly string[];
  readonly invitation: string | undefined;
  /** Undefined: whichever it is. */
  readonly federation: FederationName | undefined;
  /** Where its state is, for errors. */
  readonly place: string;
}

/** More names than this are not sent: their digest is enough. */
const MOST_NAMES = 10_000;
const LONGEST_TEXT = 1000;
const TICKET = /^[\w.~-]{1,4000}$/;

export async function admit(transport: Transport, applicant: Applicant, signal: AbortSignal) {
  const { label } = transport;
  const granted = (reply: Reply): Fields => {
    if (reply.status !== 200) throw refusalOf(label, reply);
    return fieldsOf(reply.body);
  };
  const first = await transport.request('challenge', { protocol: PROTOCOL_VERSION }, signal);
  // Servers up to version 6 take no such field.
  const isUnknown = first.status === 400 && errorIn(first.body)?.code === 'BAD_REQUEST';
  const offered = granted(isUnknown ? await transport.request('challenge', {}, signal) : first);
  const { challenge, protocol } = offered;
  const { name, id } = fieldsOf(offered.federation);
  if (!isText(challenge) || !isText(id) || typeof name !== 'string' || name.length > LONGEST_TEXT)
    throw notKindred(label, 'something else');
  if (typeof protocol !== 'number') throw notKindred(label, 'something else');
  const federation = { name, id };
  checkServer(label, applicant, federation, protocol);
  const signed = await requestOf(applicant, federation, challenge, transport);
  const { ticket } = granted(await transport.request('session', signed, signal));
  if (typeof ticket !== 'string' || !TICKET.test(ticket)) throw notKindred(label, 'something else');
  return { ticket, federation };
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= LONGEST_TEXT;
}

function checkServer(
  label: string,
  { federation: known, place }: Applicant,
  federation: FederationName,
  protocol: number,
): void {
  if (protocol !== PROTOCOL_VERSION) throw new OtherVersion(label, protocol);
  if (!known || known.id === federation.id) return;
  throw inputError(
    'WRONG_FEDERATION',
    `${label}: expected federation "${known.name}" (${known.id}), whose state is in ${place}, got "${federation.name}" (${federation.id}); ` +
      'check the address, or give another --state if the server has lost its store',
  );
}

async function requestOf(
  applicant: Applicant,
  federation: FederationName,
  challenge: string,
  { origin: server, agent }: Transport,
) {
  const { participant, signer, schema, features, invitation } = applicant;
  const { key } = signer;
  const statement = joinStatement({
    federation: federation.id,
    participant,
    key,
    challenge,
    server,
    schema,
    invitation: invitation ?? '',
  });
  return {
    participant,
    key,
    challenge,
    server,
    schema,
    ...(features.length <= MOST_NAMES && { features }),
    ...(invitation !== undefined && { invitation }),
    ...(agent !== undefined && { agent }),
    signature: await signer.sign(statement),
  };
}

/** It may go better the next time. */
export class TryAgain extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'TryAgain';
    this.code = code;
  }
}

/** The server speaks another version of the protocol: until one of the two is updated. */
export class OtherVersion extends TryAgain {
  readonly server: number;

  constructor(label: string, server: number) {
    const older = server < PROTOCOL_VERSION ? 'the server' : 'this program';
    super(
      'WRONG_PROTOCOL',
      `${label}: expected protocol version ${PROTOCOL_VERSION}, got ${server}; update ${older}`,
    );
    this.server = server;
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
    `${where}: expected the answer of a kindred server, got ${got}; check the address`,
  );
}
