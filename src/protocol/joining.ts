/**
 * How a participant proves who it is before the first frame: it signs a challenge of the server with its
 * Ed25519 key. What is signed names everything that the signature is good for, so that it is good for nothing else: this
 * federation (by its unique id, not only by its name), this participant, this key, these features, this invitation, this once, and
 * at this address: a server that passes the challenge of another one on has only a signature for its own.
 */
import { utf8Bytes } from '../base/bytes.ts';
import { hexOf, sha256 } from '../base/sha256.ts';
import { PROTOCOL_VERSION } from './messages.ts';

/** WebSocket subprotocol: frames of this version. */
export const SUBPROTOCOL = `kindred.v${PROTOCOL_VERSION}`;
/** A second subprotocol in the request carries the ticket: browsers can send no header. */
export const TICKET_PREFIX = 'ticket.';

/** Why a connection was closed for good, in the private range of WebSocket close codes. */
export const CLOSE = {
  /** Another connection of the same participant has taken its place. */
  replaced: 4000,
  revoked: 4001,
  rateLimited: 4002,
  /** It did not read what it was sent. */
  tooSlow: 4003,
  /** Too many of its frames were not valid. */
  badFrames: 4004,
  /** The operator has deleted the federation. */
  deleted: 4005,
} as const;

interface JoinStatement {
  /** The federation's unique id. */
  readonly federation: string;
  readonly participant: string;
  /** Raw Ed25519 public key, base64url. */
  readonly key: string;
  readonly challenge: string;
  /** The origin that was dialled: scheme, host and port, as `URL.origin` writes it. */
  readonly server: string;
  /** `schemaDigest` of the data that it trains on. */
  readonly schema: string;
  /** Empty: none. */
  readonly invitation: string;
}

/** The bytes to sign. Every field is hashed: none can pretend to be two. */
export function joinStatement(statement: JoinStatement): Uint8Array {
  const { federation, participant, key, challenge, server, schema, invitation } = statement;
  const fields = [federation, participant, key, challenge, server, schema, invitation];
  const digests = fields.map((field) => hexOf(sha256(utf8Bytes(field))));
  return utf8Bytes(['kindred join 2', ...digests].join('\n'));
}

/** A column as it goes into the digest: what is text says so. */
export function columnTitles(features: readonly string[], texts: readonly string[] = []): string[] {
  return features.map((name) => (texts.includes(name) ? `${name}${TEXT_MARK}` : name));
}

const TEXT_MARK = ' (text)';

/** The name of a text column, from its title. */
export function withoutMark(title: string): string {
  return title.endsWith(TEXT_MARK) ? title.slice(0, -TEXT_MARK.length) : title;
}

/**
 * What all participants' data must have in common beyond the number of features: the same columns of the same kinds in the same order, by
 * their titles. Names may be private: only their digest has to be sent.
 */
export function schemaDigest(features: readonly string[]): string {
  return hexOf(sha256(utf8Bytes(JSON.stringify(features))));
}
