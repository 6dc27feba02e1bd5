/** A round in a run's history: what was known of the model when it closed, and of whom. */
import type { RoundTests } from '../protocol/test-reports.ts';
import type { Certificate } from '../solver/certificate.ts';
import type { Behind } from './place.ts';

/** What has been spent so far, at the delta of the budget. */
export interface PrivacySpent {
  readonly epsilon: number;
  readonly delta: number;
}

/** Scores of one update of a round. */
export interface MemberScore {
  readonly id: string;
  readonly cosine: number | undefined;
  readonly normRatio: number;
  readonly ownShare: number | undefined;
}

/** Who was held to a bound in a round, and the share of its step that was taken. */
export interface Shortened {
  readonly id: string;
  readonly factor: number;
}

/** One line of a run's history: what is known, when a round closed, of the model in use (the best one, or that of its opening). */
export interface RoundRow extends Certificate {
  readonly round: number;
  readonly atMs: number;
  readonly purpose: 'train' | 'certify';
  readonly responders: readonly string[];
  readonly outcome: 'aggregated' | 'abandoned' | 'certified' | 'final';
  /** Whether the numbers are certain; with `steps` they are an estimate until all have reported about this very w. */
  readonly certified: boolean;
  /** Who has joined and is not covered by the certificate: it does not answer any more, or has not answered yet. */
  readonly missing: readonly string[];
  readonly sigma: number;
  /** Under differential privacy: spent so far, this round included. The certificate is then NaN: unknown. */
  readonly privacy?: PrivacySpent;
  /** With the scores of `defence`: of the updates that were taken. */
  readonly scores?: readonly MemberScore[];
  /** With a norm bound: who was held to it. */
  readonly shortened?: readonly Shortened[];
  /** Where responders are branches: the participants behind all of them. */
  readonly behind?: Omit<Behind, 'renewed'>;
  /** The first round after a rest: a new run begins. */
  readonly woken?: true;
  /** What participants have reported of their test rows; null: nobody has. Absent in rows of earlier versions. */
  readonly tests?: RoundTests | null;
}
