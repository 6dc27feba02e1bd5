/** What a participant proves before anything else is looked at: a fresh challenge of ours, signed with a sound key, for this very server. */
import { createPublicKey, verify } from 'node:crypto';
import type { FederationRecord } from '../../host/ports.ts';
import { joinStatement } from '../../protocol/joining.ts';
import { ED25519_PUBLIC, isLargeIdentity, isSoundIdentity } from '../crypto.ts';
import { ApiError } from './api-error.ts';
import type { Challenges } from './challenges.ts';
import type { HostNames } from './host-names.ts';

export interface SessionRequest {
  readonly participant: string;
  readonly key: string;
  readonly challenge: string;
  /** The origin that the participant has dialled. */
  readonly server: string;
  readonly schema: string;
  readonly features?: readonly string[] | undefined;
  readonly invitation?: string | undefined;
  /** Its program and version, for people. */
  readonly agent?: string | undefined;
  readonly signature: string;
}

/** Where a request has come from, and to which address of this machine. */
export interface Peer {
  readonly remoteAddress?: string | undefined;
  readonly localAddress?: string | undefined;
  /** Present: a gateway has made sure that the participant has dialled one of its names. */
  readonly origin?: 'checked' | undefined;
}

export class JoinProofs {
  private readonly challenges: Challenges;
  private readonly hosts: HostNames;

  constructor(challenges: Challenges, hosts: HostNames) {
    this.challenges = challenges;
    this.hosts = hosts;
  }

  /** The challenge is used up. Cheap checks come first. */
  check({ id }: FederationRecord, request: SessionRequest, { localAddress, origin }: Peer): void {
    const { invitation = '', signature, participant, key, challenge, server, schema } = request;
    if (!this.challenges.isGood(id, challenge)) {
      const message = 'challenge: expected an unused, current challenge of this server; request another';
      throw new ApiError('CHALLENGE_EXPIRED', message);
    }
    if (origin !== 'checked') checkOrigin(this.hosts, server, localAddress);
    if (!isLargeIdentity(Buffer.from(key, 'base64url'))) throw badKey(participant);
    const statement = joinStatement({
      ...{ federation: id, participant, key, challenge, server, schema, invitation },
    });
    if (!isSigned(statement, key, signature)) {
      const message = `participant "${participant}": the signature does not match the key`;
      throw new ApiError('BAD_SIGNATURE', message);
    }
    if (!this.challenges.use(challenge))
      throw new ApiError('TOO_MANY', 'too many participants are joining; try again in a minute');
  }
}

/** Refuses a signature for an address that is not one of ours. */
export function checkOrigin(hosts: HostNames, server: string, localAddress: string | undefined): void {
  if (hosts.isOurOrigin(server, localAddress)) return;
  throw new ApiError(
    'WRONG_SERVER',
    `server "${server}": the participant signed for an address that is not one of this server; ` +
      'if it is one, the operator must add it with serve --host-name',
  );
}

/** For a key that is to be enrolled: refuses those for which others can sign, and spellings of a key other than its own. */
export function checkIdentity(participant: string, key: string): void {
  const raw = Buffer.from(key, 'base64url');
  if (raw.toString('base64url') !== key || !isSoundIdentity(raw)) throw badKey(participant);
}

function badKey(participant: string): ApiError {
  const message = `participant "${participant}": key: expected an Ed25519 public key of full order in canonical form; create a new --state`;
  return new ApiError('BAD_KEY', message);
}

/** Without a cache of keys: strangers may send any number of them. */
function isSigned(statement: Uint8Array, key: string, signature: string): boolean {
  try {
    const der = Buffer.concat([ED25519_PUBLIC, Buffer.from(key, 'base64url')]);
    const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
    return verify(null, statement, publicKey, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}
