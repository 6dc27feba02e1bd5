/** What candidates are compared by, unless somebody says it, and what goes with it: class weights and epsilons to try. */
import { headsOf } from '../../data/labels.ts';
import { targetMoments } from '../../math/target-scaling.ts';
import { lossOf } from '../../solver/losses/losses.ts';
import type { ResolvedOptions } from '../options.ts';
import type { Prepared } from '../prepare.ts';
import { isUneven, unevenShare } from '../target-summary.ts';
import type { ClassWeight } from './grid.ts';

export const TUNE_METRICS = [
  'errorRate',
  'balancedAccuracy',
  'macroF1',
  'r2',
  'rmse',
  'mae',
  'pinball',
] as const;
export type TuneMetric = (typeof TUNE_METRICS)[number];

export interface MetricChoice {
  readonly metric: TuneMetric;
  /** Why this one, in words. */
  readonly why: string;
}

export function chooseMetric(
  wanted: TuneMetric | undefined,
  {
    objective,
    loss,
    classWeight,
  }: Pick<ResolvedOptions, 'objective' | 'loss'> & { readonly classWeight?: ClassWeight | undefined },
  prepared: Prepared,
): MetricChoice {
  if (wanted) return { metric: wanted, why: 'as asked for (--metric)' };
  if (loss === 'quantile') return { metric: 'pinball', why: 'the default for --loss quantile' };
  if (objective === 'regression') return { metric: 'rmse', why: 'the default for regression' };
  if (classWeight === 'balanced')
    return {
      metric: 'balancedAccuracy',
      why: 'because --class-weight balanced gives all classes the same weight',
    };
  const shares = classShares(prepared);
  if (!isUneven(shares)) return { metric: 'errorRate', why: 'the default for classification' };
  const percent = (share: number) => `${Number((100 * share).toPrecision(2))}%`;
  const rarest = shares.length === 2 ? 'the rarer one' : `the rarest of ${shares.length}`;
  return {
    metric: 'balancedAccuracy',
    why: `because classes are uneven: ${rarest} has ${percent(Math.min(...shares))} of the training rows, less than ${percent(unevenShare(shares.length))}`,
  };
}

function classShares({ y, classes, split: { train } }: Prepared): number[] {
  const heads = headsOf(classes);
  const rows = new Array<number>(Math.max(2, heads)).fill(0);
  for (const i of train) rows[heads === 1 ? Number(y[i] > 0) : y[i]]++;
  return rows.map((count) => count / Math.max(1, train.length));
}

/** Class weights to try where none is given: whoever compares by balanced accuracy wants classes to weigh the same. */
export function usualClassWeights(metric: TuneMetric, options: ResolvedOptions): readonly ClassWeight[] {
  const classes = options.objective === 'classification' && lossOf(options).classes;
  return classes && metric === 'balancedAccuracy' ? ['balanced', 'none'] : [options.classWeight];
}

/** In standard deviations of the target. */
const EPSILONS = [0.05, 0.2, 0.5];
const FIRST_EPSILON = 0.1;
/** A larger default would make a flat problem of a target that varies little. */
const LARGEST_FIRST = 0.3;

/** Epsilons to try where none is given: the default if it suits the target, and some that follow its spread. */
export function usualEpsilons(
  options: ResolvedOptions,
  { y, split: { train } }: Prepared,
): readonly number[] {
  if (options.objective !== 'regression' || lossOf(options).form !== 'tube') return [options.epsilon];
  const { count, m2 } = targetMoments(y, train);
  const deviation = Math.sqrt(m2[0] / count);
  if (!(deviation > 0)) return [options.epsilon];
  const rounded = (share: number) => Number((share * deviation).toPrecision(1));
  const first = options.epsilon <= LARGEST_FIRST * deviation ? options.epsilon : rounded(FIRST_EPSILON);
  return [first, ...EPSILONS.map(rounded)];
}
