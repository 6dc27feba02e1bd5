/**
 * Messages of secure aggregation, beside `round`: those of src/privacy/secure, in the session of the participant that sends or receives them.
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

/** A message of secure aggregation as it is sent: from or to this session of a participant. */
type InSession<Kind extends string, Content> = Content & { readonly kind: Kind; readonly session: number };

/* ---- from participant to coordinator ---- */

/** A participant's keys: sent once the settings are known, and when a roster or a plan does not fit. */
export type Advertise = InSession<'advertise', Omit<Advertisement, 'id'>>;
export type DealtMessage = InSession<'dealt', Dealt>;
/** `base` as in `answer`. */
export type MaskedMessage = InSession<'masked', Masked & { readonly base: number }>;
export type AttestedMessage = InSession<'attested', Attested>;
export type RevealedMessage = InSession<'revealed', Revealed>;

/* ---- from coordinator to participant ---- */

/** `round` is the first that it is for: an older roster is ignored. */
export type RosterMessage = InSession<'roster', Roster & { readonly round: number }>;
export type PlanMessage = InSession<'plan', Plan>;
export type DeliveredMessage = InSession<'delivered', Delivered>;
export type CountedMessage = InSession<'counted', Counted>;
export type AttestationsMessage = InSession<'attestations', Attestations>;

/** Opens the sum of a round; lengths and grid follow from the settings. A number is used once, ever. */
interface Plan {
  readonly round: number;
  readonly purpose: SumPurpose;
  /** Digest of roster and parameters, 32 bytes. */
  readonly roster: Uint8Array;
  /** Round of the accepted answer that each member's change goes from, in the order of the roster; 0: none. */
  readonly bases: readonly number[];
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
