/**
 * What is sent beside `round` with secure aggregation (src/privacy/secure has the protocol and its reasons). The same
 * messages as there, with the session of the participant that sends or receives them. Participants are meant by their place in
 * the roster, sets are bitmaps.
 */
import type {
  Advertisement,
  Attestations,
  Attested,
  Counted,
  Dealt,
  Delivered,
  Masked,
  Revealed,
  Roster,
} from '../privacy/secure/messages.ts';

/**
 * What a round sums (secure-sums.ts has the vectors).
 *   measure  the moments of the rows, for the scaling
 *   train    changes of the contributions since those accepted last
 */
export type SumPurpose = 'measure' | 'train';

/* ---- from participant to coordinator ---- */

/** A participant's keys: sent once the settings are known, and when a roster or a plan does not fit. */
export interface Advertise extends Omit<Advertisement, 'id'> {
  readonly kind: 'advertise';
  readonly session: number;
}

export interface DealtMessage extends Dealt {
  readonly kind: 'dealt';
  readonly session: number;
}

export interface MaskedMessage extends Masked {
  readonly kind: 'masked';
  readonly session: number;
  /** As in `answer`. */
  readonly base: number;
}

export interface AttestedMessage extends Attested {
  readonly kind: 'attested';
  readonly session: number;
}

export interface RevealedMessage extends Revealed {
  readonly kind: 'revealed';
  readonly session: number;
}

/* ---- from coordinator to participant ---- */

export interface RosterMessage extends Roster {
  readonly kind: 'roster';
  readonly session: number;
  /** The first round it is for: an older roster is ignored. */
  readonly round: number;
}

/** Opens the sum of a round; lengths and grid follow from the settings. A number is used once, ever. */
export interface PlanMessage {
  readonly kind: 'plan';
  readonly session: number;
  readonly round: number;
  readonly purpose: SumPurpose;
  /** Digest of roster and parameters, 32 bytes. */
  readonly roster: Uint8Array;
}

export interface DeliveredMessage extends Delivered {
  readonly kind: 'delivered';
  readonly session: number;
}

export interface CountedMessage extends Counted {
  readonly kind: 'counted';
  readonly session: number;
}

export interface AttestationsMessage extends Attestations {
  readonly kind: 'attestations';
  readonly session: number;
}

export type SecureToCoordinator =
  | Advertise
  | DealtMessage
  | MaskedMessage
  | AttestedMessage
  | RevealedMessage;
export type SecureToParticipant =
  | RosterMessage
  | PlanMessage
  | DeliveredMessage
  | CountedMessage
  | AttestationsMessage;
