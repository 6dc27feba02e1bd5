/**
 * What a curious coordinator has seen of one participant, where answers come one by one. Every attack of the audit is a function of
 * these records and of nothing else; its results are scored against the truth elsewhere (score.ts).
 *
 * The coordinator is honest: it keeps to the protocol and only records. It knows the code, the settings (it made them) and
 * what it sent.
 */
import type { AnswerScalars } from '../../solver/answer.ts';
import type { ProblemSettings } from '../../solver/problem.ts';

export interface KnownSettings extends ProblemSettings {
  /** Whether a contribution is the best personal part to w, or a step from the last accepted one. */
  readonly training: 'answers' | 'steps';
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

export interface ObservedRound {
  readonly round: number;
  /** As it was sent to the participant. */
  readonly w: Float64Array;
  readonly sigma: number;
  readonly tolerance: number;
  /** The whole contribution; undefined where there was none (a missed deadline, a round for the certificate) or it was summed unseen. */
  readonly u: Float64Array | undefined;
  /** With `answers` about (w, u / C2); with `steps` about (w, what was accepted last / C2). */
  readonly scalars: AnswerScalars | undefined;
  /** The share of the change that was taken: 1, or less by a norm bound; undefined: it was not accepted. */
  readonly taken: number | undefined;
}

export interface Observation {
  readonly participant: string;
  readonly settings: KnownSettings;
  /** n_k as reported on joining. */
  readonly rows: number | undefined;
  /** Count, mean and sum of squared deviations of every raw feature, where they were sent for the scaling. */
  readonly moments: ObservedMoments | undefined;
  readonly rounds: readonly ObservedRound[];
  /** The round whose w is in use at the end; 0: none in particular. */
  readonly best: number;
}

export interface ObservedMoments {
  readonly count: number;
  readonly mean: Float64Array;
  readonly m2: Float64Array;
}

/** Columns of a row, with the bias. */
export function columnsOf({ features, bias }: KnownSettings): number {
  return features + (bias ? 1 : 0);
}
