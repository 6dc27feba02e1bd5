/** Steps 1 and 2 of joining, over HTTP: a challenge is signed, and a ticket for the connection comes back. */
import { z } from 'zod';
import { inputError, KindredError } from '../../base/errors.ts';
import { joinStatement } from '../../protocol/joining.ts';
import { PROTOCOL_VERSION } from '../../protocol/messages.ts';
import { postJson, type TlsOptions } from '../admin/post-json.ts';
import type { Endpoint } from './endpoint.ts';
import type { Identity } from './identity.ts';
import type { FederationName } from './participant-file.ts';
import { networkError, notKindred, refusalOf } from './refusals.ts';

/** Who wants to join, and with what. */
export interface Applicant {
  readonly participant: string;
  readonly identity: Identity;
  readonly schema: string;
  readonly features: readonly string[];
  readonly invitation: string | undefined;
  /** Undefined: whichever it is. */
  readonly federation: FederationName | undefined;
  /** For errors. */
  readonly stateFolder: string;
}

/** More names than this are not told: their digest says enough. */
const MOST_NAMES = 10_000;

const challengeSchema = z.object({
  challenge: z.string().min(1).max(1000),
  federation: z.object({ name: z.string().max(1000), id: z.string().min(1).max(1000) }),
  protocol: z.number(),
});
const ticketSchema = z.object({ ticket: z.string().regex(/^[\w.~-]{1,4000}$/) });

export async function admit(
  endpoint: Endpoint,
  applicant: Applicant,
  tls: TlsOptions,
  signal: AbortSignal,
): Promise<{ ticket: string; federation: FederationName }> {
  const ask = async <T>(url: URL, body: unknown, expected: z.ZodType<T>): Promise<T> => {
    const answer = await postJson(url, body, { tls, signal }).catch((error: unknown) => {
      throw networkError(endpoint.label, error);
    });
    if (answer.status !== 200) throw refusalOf(endpoint.label, answer);
    const result = expected.safeParse(answer.body);
    if (result.success) return result.data;
    throw notKindred(endpoint.label, 'something else');
  };
  const { challenge, federation, protocol } = await ask(endpoint.challenge, {}, challengeSchema);
  checkServer(endpoint, applicant, federation, protocol);
  const { ticket } = await ask(endpoint.session, requestOf(applicant, federation, challenge), ticketSchema);
  return { ticket, federation };
}

function checkServer(
  { label }: Endpoint,
  { federation: known, stateFolder }: Applicant,
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
    `${label}: expected federation "${known.name}" (${known.id}), whose state is in ${stateFolder}, got "${federation.name}" (${federation.id}); ` +
      'the address is another one or the server has begun anew: give another --state',
  );
}

function requestOf(applicant: Applicant, federation: FederationName, challenge: string) {
  const { participant, identity, schema, features, invitation } = applicant;
  const { key } = identity;
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
    signature: identity.sign(statement),
  };
}
