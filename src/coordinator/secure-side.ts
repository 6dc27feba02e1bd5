/** What the coordinator keeps of secure aggregation: the roster, the open round, what its phases have sent. */
import type { Pace } from '../base/pace.ts';
import type { Summed } from '../privacy/secure/coordinator.ts';
import type { Abandoned, CoordinatorState as SecureCore } from '../privacy/secure/coordinator-round.ts';
import type { Advertisement } from '../privacy/secure/messages.ts';
import type { DeclineCode } from '../protocol/codes.ts';
import type { SecureToParticipant, SumPurpose } from '../protocol/secure-messages.ts';

/** A message but for the session it is addressed to: that may change before it is retransmitted. */
export type Unaddressed = SecureToParticipant extends infer M
  ? M extends SecureToParticipant
    ? Omit<M, 'session'>
    : never
  : never;

export interface SecureSide {
  /** The roster and the open round; undefined: there are too few for any sum. */
  core: SecureCore | undefined;
  /** Keys of those in the roster, in its order. */
  roster: readonly Advertisement[];
  /** Places in the roster, by id. */
  seats: ReadonlyMap<string, number>;
  /** The first round that the roster is for. */
  rosterRound: number;
  /** What the open round sums. */
  purpose: SumPurpose;
  /** When dealing, attesting or revealing ends without those who are missing. */
  phaseEndsMs: number;
  /** When the present phase is sent again to those who have not replied. */
  pace: Pace;
  /** What the present phase has sent to whom. */
  sent: ReadonlyMap<string, Unaddressed>;
  /** Who does not take part in the open round, and why. */
  declined: Map<string, DeclineCode>;
  /** Of a round that is closed, until it has been taken in. */
  outcome: Summed | Abandoned | undefined;
}
