/** How a federation is run: what only the coordinator needs to know. */
import type { RobustBoundOptions } from '../privacy/defence/norm-bound.ts';
import type { FederationSettings, SecureSettings } from '../protocol/messages.ts';
import type { Aggregation } from '../solver/aggregate.ts';

/**
 * How long a round stays open (the paper's T_wait).
 *   all         until everybody who is here has answered
 *   fixed       so many milliseconds
 *   share       until this share of participants may be expected to have answered, by the times observed so far
 *   benchmarks  derived from the times that participants report when they join: a quantile of them, times a factor
 */
export type Waiting =
  | { readonly kind: 'all' }
  | { readonly kind: 'fixed'; readonly ms: number }
  | { readonly kind: 'share'; readonly share: number }
  | { readonly kind: 'benchmarks'; readonly quantile: number; readonly factor: number };

/** A rule of the multi-task SVM, or MOCHA, which is another problem. */
type Combining = Aggregation | 'mocha';

interface DefenceOptions {
  /** Longer updates are shortened to this norm. */
  readonly normBound?: number | undefined;
  /** Longer updates than so many times a quantile of the round's norms are shortened to that. */
  readonly robust?: RobustBoundOptions | undefined;
  /** Longer updates than this are refused as they come (TOO_LARGE). */
  readonly refuseAbove?: number | undefined;
  readonly scores?: 'on' | undefined;
}

/** The settings that participants receive, but for what only turns out later, and what they need not know. */
export interface CoordinatorOptions extends Omit<FederationSettings, 'features' | 'training' | 'secure'> {
  readonly aggregation: Combining;
  /** MOCHA's regularisation: it has neither C1 nor C2. */
  readonly lambda: number;
  /** Absent: every answer that contradicts nothing is taken as it is. */
  readonly defence?: DefenceOptions | undefined;
  readonly waiting: Waiting;
  /** A round with fewer answers is abandoned. */
  readonly minResponses: number;
  /** No round is open for longer; Infinity: no bound. */
  readonly maxWaitMs: number;
  /** Training starts when so many have joined. */
  readonly minParticipants: number;
  /** Constant time of a summation (the paper's T_sum). */
  readonly summationMs: number;
  /** After so many rounds without an answer a participant is no longer waited for, until it answers again. */
  readonly patience: number;
  /** Only sums are seen; not with `mocha`, which needs more, nor in f32. */
  readonly secure?: SecureOptions | undefined;
  readonly stop: {
    readonly gap: number;
    readonly rounds: number;
    readonly timeMs: number;
    /** Rounds without a better gap. */
    readonly stall: number;
  };
}

export interface SecureOptions extends SecureSettings {
  /** How long dealing, attesting and revealing wait for those who do not answer. */
  readonly phaseMs: number;
}

/** Sums of up to 2,048 participants; a third may drop out, a fifth may work for the coordinator. */
export const DEFAULT_SECURE: SecureOptions = {
  scaleBits: 30,
  limit: 2 ** 22,
  dropout: 1 / 3,
  corrupted: 0.2,
  phaseMs: 10_000,
};

export const DEFAULT_OPTIONS: CoordinatorOptions = {
  objective: 'classification',
  c1: 1,
  c2: 1,
  epsilon: 0.1,
  classWeight: 'none',
  scale: 'standard',
  bias: true,
  passes: 100,
  seed: 1,
  aggregation: 'answers',
  lambda: 1e-3,
  straggler: 'anytime',
  precision: 'f64',
  waiting: { kind: 'all' },
  minResponses: 1,
  maxWaitMs: 60_000,
  minParticipants: 1,
  summationMs: 0,
  retryMs: 2000,
  patience: 3,
  stop: { gap: 1e-3, rounds: 200, timeMs: Number.POSITIVE_INFINITY, stall: Number.POSITIVE_INFINITY },
};
