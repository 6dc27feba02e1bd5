/**
 * Scores of candidates: each participant's held-out rows are scored together over the folds that are done, then averaged over participants,
 * as `train` averages. Two candidates are compared by the differences of their scores, participant by participant.
 */
import { inputError } from '../../base/errors.ts';
import { headsOf } from '../../data/labels.ts';
import type { Split } from '../../data/split.ts';
import { type Metrics, measure } from '../../solver/metrics.ts';
import { quantileMetrics, quantileOf } from '../../solver/model-metrics.ts';
import type { ResolvedOptions } from '../options.ts';
import type { Prepared } from '../prepare.ts';
import type { TuneMetric } from './metric.ts';

/** Decisions on the held-out rows of folds, by fold. */
export type Decisions = ReadonlyMap<number, Float64Array>;

export interface Score {
  readonly score: number;
  /** Over participants. */
  readonly standardError: number;
  /** Of each participant; undefined where it has no held-out rows to compute it from. */
  readonly each: readonly (number | undefined)[];
}

type Problem = Pick<ResolvedOptions, 'objective' | 'loss' | 'quantile'>;

export class Scoring {
  readonly metric: TuneMetric;
  private readonly problem: Problem;
  private readonly prepared: Prepared;
  private readonly splits: readonly Split[];

  constructor(problem: Problem, metric: TuneMetric, prepared: Prepared, splits: readonly Split[]) {
    this.problem = problem;
    this.metric = metric;
    this.prepared = prepared;
    this.splits = splits;
  }

  of(decisions: Decisions): Score {
    const { table, y: targets, classes } = this.prepared;
    const heads = headsOf(classes);
    const own = table.participants.map(() => ({ y: [] as number[], a: [] as number[] }));
    for (const [fold, { test }] of this.splits.entries()) {
      const decided = decisions.get(fold);
      if (!decided) continue;
      for (const [t, row] of test.entries()) {
        const mine = own[table.participantOf[row]];
        mine.y.push(targets[row]);
        for (let head = 0; head < heads; head++) mine.a.push(decided[t * heads + head]);
      }
    }
    const each = own.map(({ y, a }) => this.measured(y, a, heads)[this.metric]);
    return { each, ...this.summary(each) };
  }

  private measured(y: readonly number[], a: readonly number[], heads: number): Metrics {
    const { objective } = this.problem;
    if (this.metric !== 'pinball') return measure(objective, y, a, heads);
    return y.length === 0 ? {} : quantileMetrics(quantileOf({ options: this.problem }), y, a);
  }

  /** Whether more is better. */
  get isGain(): boolean {
    return this.metric === 'balancedAccuracy' || this.metric === 'macroF1' || this.metric === 'r2';
  }

  /** Best first. */
  compare(a: Score, b: Score): number {
    return this.isGain ? b.score - a.score : a.score - b.score;
  }

  /** By which share of its loss one is improved by another; 0 where it has none left. */
  gain(one: Score, other: Score): number {
    const loss = ({ score }: Score) => (this.isGain ? 1 - score : score);
    return loss(one) > 0 ? 1 - loss(other) / loss(one) : 0;
  }

  /** Whether it falls behind the best one by more than chance explains: both scored on the same rows. */
  isClearlyWorse(one: Score, best: Score): boolean {
    const differences = one.each.flatMap((value, k) => {
      const other = best.each[k];
      return value === undefined || other === undefined ? [] : [this.isGain ? other - value : value - other];
    });
    const { mean, standardError } = meanAndError(differences);
    return mean > standardErrors(differences.length) * standardError;
  }

  private summary(each: readonly (number | undefined)[]): Pick<Score, 'score' | 'standardError'> {
    const values = each.filter((value) => value !== undefined);
    if (values.length === 0) {
      throw inputError(
        'NOTHING_HELD_OUT',
        `tune: no participant has held-out rows to compute ${this.metric}; more rows per participant are needed`,
      );
    }
    const { mean, standardError } = meanAndError(values);
    return { score: mean, standardError };
  }
}

/** Standard errors that a difference must exceed. Of few participants they are not well known, of one not at all. */
function standardErrors(participants: number): number {
  return participants < 2 ? Number.POSITIVE_INFINITY : 2 + 8 / (participants - 1);
}

function meanAndError(values: readonly number[]): { mean: number; standardError: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance =
    values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length - 1);
  return { mean, standardError: Math.sqrt(variance / values.length) };
}
