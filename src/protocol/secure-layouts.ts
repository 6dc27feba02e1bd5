/** Payloads of secure aggregation, field by field. PROTOCOL.md has the same as tables. */
import type { Advertisement } from '../privacy/secure/messages.ts';
import { bytes, exactly, indexSet, list, place } from './byte-fields.ts';
import { choice, constant, type Field, id, record, u32 } from './fields.ts';
import type { SecureToCoordinator, SecureToParticipant, SumPurpose } from './secure-messages.ts';
import { SUM_PURPOSES } from './tags.ts';

type SecureMessage = SecureToCoordinator | SecureToParticipant;

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** Of everything that is said for each of some neighbours, at most so many bytes for each. */
const MOST_PER_NEIGHBOUR = 48;

const forNeighbours = bytes(({ maxParticipants }) => MOST_PER_NEIGHBOUR * maxParticipants);
/** The longest vector is that of the moments: two numbers for each feature, and a few. */
const summands = bytes(({ maxFeatures }) => 8 * (2 * maxFeatures + 8));
const keys = {
  identityKey: exactly(KEY_BYTES),
  channelKey: exactly(KEY_BYTES),
  signature: exactly(SIGNATURE_BYTES),
};
const advertisement = record<Advertisement>({ id, ...keys });

export const SECURE_PAYLOADS: {
  readonly [K in SecureMessage['kind']]: Field<Extract<SecureMessage, { kind: K }>>;
} = {
  advertise: record({ kind: constant('advertise'), session: u32, ...keys }),
  dealt: record({
    kind: constant('dealt'),
    session: u32,
    round: u32,
    from: place,
    commitments: exactly(KEY_BYTES),
    table: forNeighbours,
    sealed: forNeighbours,
  }),
  masked: record({
    kind: constant('masked'),
    session: u32,
    round: u32,
    base: u32,
    from: place,
    complaints: indexSet,
    vector: summands,
  }),
  attested: record({
    kind: constant('attested'),
    session: u32,
    round: u32,
    from: place,
    tags: forNeighbours,
  }),
  revealed: record({
    kind: constant('revealed'),
    session: u32,
    round: u32,
    from: place,
    dealers: indexSet,
    shares: forNeighbours,
  }),
  roster: record({ kind: constant('roster'), session: u32, round: u32, members: list(advertisement) }),
  plan: record({
    kind: constant('plan'),
    session: u32,
    round: u32,
    purpose: choice<SumPurpose>(SUM_PURPOSES),
    roster: exactly(KEY_BYTES),
  }),
  delivered: record({
    kind: constant('delivered'),
    session: u32,
    round: u32,
    dealers: indexSet,
    sealed: forNeighbours,
  }),
  counted: record({ kind: constant('counted'), session: u32, round: u32, members: indexSet }),
  attestations: record({
    kind: constant('attestations'),
    session: u32,
    round: u32,
    attesters: indexSet,
    tags: forNeighbours,
  }),
};
