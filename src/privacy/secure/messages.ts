/**
 * What participants and the coordinator send each other in secure aggregation, as plain data: transport and bytes are not
 * decided here. Participants are named by their index in the roster, sets are bitmaps (index-set.ts).
 *
 *   participant                          coordinator
 *   Advertisement  once            ->
 *                                  <-    Roster         once, and whenever membership changes
 *                                  <-    RoundPlan      every round from here on
 *   Dealt                          ->
 *                                  <-    Delivered
 *   Masked                         ->
 *                                  <-    Counted
 *   Attested                       ->
 *                                  <-    Attestations
 *   Revealed                       ->
 *
 * Bytes of one round at n = 100 with 67 of 100 shares and 562 entries, without framing: up 3,200 + 4,509 + 1,584 + 1,613,
 * down 56 + 1,597 + 13 + 1,597 (see test/privacy/secure/hundred.test.ts).
 */
import type { IndexSet } from './index-set.ts';

/** Who I am, once: a signed channel key. */
export interface Advertisement {
  readonly id: string;
  readonly identityKey: Uint8Array;
  readonly channelKey: Uint8Array;
  readonly signature: Uint8Array;
}

/** Everybody who may take part, by ascending id. */
export interface Roster {
  readonly members: readonly Advertisement[];
}

/** Opens a round. A number is used once: an abandoned round is tried again under a higher one. */
export interface RoundPlan {
  readonly round: number;
  /** The digest of roster and parameters, so that all mean the same. */
  readonly session: Uint8Array;
  readonly length: number;
  readonly scaleBits: number;
  readonly limit: number;
}

interface OfRound {
  readonly round: number;
}

interface FromParticipant extends OfRound {
  readonly from: number;
}

export interface Dealt extends FromParticipant {
  /** To the recovery secret and to the self-mask secret, 16 bytes each. */
  readonly commitments: Uint8Array;
  /** The pairwise seed of every neighbour under the recovery secret, 16 bytes each. The coordinator keeps it. */
  readonly table: Uint8Array;
  /** For every neighbour that cannot derive its share, 48 bytes each. The coordinator passes them on. */
  readonly sealed: Uint8Array;
}

export interface Delivered extends OfRound {
  /** Which neighbours have dealt, by position in the list of neighbours. */
  readonly dealers: IndexSet;
  /** From every dealer that had to send one, in order. */
  readonly sealed: Uint8Array;
}

export interface Masked extends FromParticipant {
  readonly vector: Uint8Array;
  /** Dealers whose share could not be opened, by position in the list of neighbours. */
  readonly complaints: IndexSet;
}

export interface Counted extends OfRound {
  readonly members: IndexSet;
}

export interface Attested extends FromParticipant {
  /** For every neighbour that was counted in, 16 bytes each. */
  readonly tags: Uint8Array;
}

export interface Attestations extends OfRound {
  /** By position in the list of neighbours. */
  readonly attesters: IndexSet;
  readonly tags: Uint8Array;
}

export interface Revealed extends FromParticipant {
  /** The dealers whose share is here, by position in the list of holders (neighbours and oneself, ascending). */
  readonly dealers: IndexSet;
  /** Of the self mask of who was counted in, of the recovery secret of who was not; 16 bytes each. */
  readonly shares: Uint8Array;
}
