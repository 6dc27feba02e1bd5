/**
 * What a curious coordinator has seen: of one participant, where updates come one by one, or of all together, where secure
 * aggregation shows it nothing but sums. Every attack of the audit is a function of these records and of nothing else;
 * whatever it says about rows and models is scored against the truth elsewhere (score.ts).
 *
 * The coordinator is honest: it keeps to the protocol and only looks. It knows the code, the settings (it made them) and
 * what it sent.
 */
import type { ProblemSettings } from '../../solver/index.ts';

export interface KnownSettings extends ProblemSettings {
  /** Whether rows end in a constant 1. */
  readonly bias: boolean;
  readonly classWeight: 'none' | 'balanced';
  /** Features before the bias. */
  readonly features: number;
  readonly seed: number;
  /** Most local passes in a round. */
  readonly passes: number;
  /** x' = (x - shift) factor, once it is settled. */
  readonly scaling: { readonly shift: Float64Array; readonly factor: Float64Array } | undefined;
}

export interface ObservedScalars {
  readonly loss: number;
  readonly dualSum: number;
  readonly uNorm2: number;
}

export interface ObservedRound {
  readonly round: number;
  /** As it was sent to the participant. */
  readonly w: Float64Array;
  readonly sigma: number;
  readonly tolerance: number;
  /** The update; undefined where there was none (a look at the certificate, a missed deadline) or it was summed unseen. */
  readonly du: Float64Array | undefined;
  readonly ds: number | undefined;
  readonly uDotDu: number | undefined;
  readonly duNorm2: number | undefined;
  /** About the model that the participant held when the round began. */
  readonly scalars: ObservedScalars | undefined;
  /** What became of the update: weights for the committed solution and the atoms; undefined: it was not accepted. */
  readonly weights: readonly number[] | undefined;
}

export interface Observation {
  readonly participant: string;
  readonly settings: KnownSettings;
  /** n_k as reported on joining. */
  readonly rows: number | undefined;
  /** Count, mean and sum of squared deviations of every raw feature, where they were sent for the scaling. */
  readonly moments: ObservedMoments | undefined;
  readonly rounds: readonly ObservedRound[];
}

export interface ObservedMoments {
  readonly count: number;
  readonly mean: Float64Array;
  readonly m2: Float64Array;
}

/** All that is seen under secure aggregation. */
export interface SumObservation {
  readonly settings: KnownSettings;
  readonly rounds: readonly SummedRound[];
}

export interface SummedRound {
  readonly round: number;
  readonly w: Float64Array;
  readonly sigma: number;
  /** Sum of the updates, and how many were counted in. */
  readonly du: Float64Array;
  readonly count: number;
  /** The share of the sum that was taken, the same for all. */
  readonly step: number;
}

/** A round whose update was seen. */
export type UpdateRound = ObservedRound & { readonly du: Float64Array; readonly ds: number };

export function updateRounds({ rounds }: Observation): UpdateRound[] {
  return rounds.filter((round): round is UpdateRound => round.du !== undefined && round.ds !== undefined);
}

/** Columns of a row, with the bias. */
export function columnsOf({ features, bias }: KnownSettings): number {
  return features + (bias ? 1 : 0);
}
