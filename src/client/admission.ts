/** Steps 1 and 2 of joining: a challenge is signed, and a ticket for the connection comes back. */
import { inputError, KindredError } from '../base/errors.ts';
import { joinStatement } from '../protocol/joining.ts';
import { PROTOCOL_VERSION } from '../protocol/messages.ts';
import type { FederationName } from './participant-file.ts';
import type { Signer, Transport } from './ports.ts';
import { notKindred, refusalOf } from './refusals.ts';

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
  const ask = async (step: 'challenge' | 'session', body: unknown): Promise<Fields> => {
    const reply = await transport.request(step, body, signal);
    if (reply.status !== 200) throw refusalOf(label, reply);
    return fieldsOf(reply.body);
  };
  const offered = await ask('challenge', {});
  const { challenge, protocol } = offered;
  const { name, id } = fieldsOf(offered.federation);
  if (!isText(challenge) || !isText(id) || typeof name !== 'string' || name.length > LONGEST_TEXT)
    throw notKindred(label, 'something else');
  if (typeof protocol !== 'number') throw notKindred(label, 'something else');
  const federation = { name, id };
  checkServer(label, applicant, federation, protocol);
  const { ticket } = await ask('session', await requestOf(applicant, federation, challenge));
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
  if (protocol !== PROTOCOL_VERSION) {
    throw new KindredError(
      'WRONG_PROTOCOL',
      `${label}: expected protocol version ${PROTOCOL_VERSION}, got ${protocol}; the older side needs the newer kindred`,
      'run',
    );
  }
  if (!known || known.id === federation.id) return;
  throw inputError(
    'WRONG_FEDERATION',
    `${label}: expected federation "${known.name}" (${known.id}), whose state is in ${place}, got "${federation.name}" (${federation.id}); ` +
      'the address is another one, or the server has lost its store: give another --state',
  );
}

async function requestOf(applicant: Applicant, federation: FederationName, challenge: string) {
  const { participant, signer, schema, features, invitation } = applicant;
  const { key } = signer;
  const statement = joinStatement({
    federation: federation.id,
    participant,
    key,
    challenge,
    schema,
    invitation: invitation ?? '',
  });
  return {
    participant,
    key,
    challenge,
    schema,
    ...(features.length <= MOST_NAMES && { features }),
    ...(invitation !== undefined && { invitation }),
    signature: await signer.sign(statement),
  };
}
