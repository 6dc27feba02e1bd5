/** What the choice of aggregation means for a federation: who combines the updates, and what participants solve. */
import { invariant } from '../base/errors.ts';
import { NoisyCombiner } from '../privacy/dp/index.ts';
import {
  type Aggregation,
  Aggregator,
  atomsKept,
  type Combiner,
  MochaAggregator,
  TotalAggregator,
} from '../solver/index.ts';
import type { CoordinatorOptions } from './options.ts';

/** A rule of the multi-task SVM, or MOCHA, which is another problem (classification only). */
export type Combining = Aggregation | 'mocha';

/** What the participants' settings say of the local problem. */
export interface LocalProblem {
  readonly c1: number;
  readonly c2: number;
  /** Local solutions that a participant keeps beside the committed one. */
  readonly atoms: number;
}

/** The price of a personal part beside the model that MOCHA sends: 1/C2 vanishes in every sum, and JSON can say it. */
const NO_PERSONAL_PART = 1e300;

export function localProblem({ aggregation, c1, c2 }: CoordinatorOptions): LocalProblem {
  if (aggregation === 'mocha') return { c1: 1, c2: NO_PERSONAL_PART, atoms: 1 };
  return { c1, c2, atoms: atomsKept(aggregation) };
}

/** The rule, where only sums are seen: the border has refused the others with a sentence. */
export function ruleForSums({ aggregation, precision, mask }: CoordinatorOptions) {
  invariant(
    aggregation !== 'exact' && aggregation !== 'mocha',
    `secure: expected an aggregation that needs only sums (line-search, safe or sum), got ${aggregation}`,
  );
  invariant(precision === 'f64', 'secure: expected precision f64: sums have a grid of their own, got f32');
  invariant(!mask, 'secure: expected no mask beside it, got one');
  return aggregation;
}

export function newCombiner(options: CoordinatorOptions, features: number): Combiner {
  const { aggregation, c2, lambda, bias, stop, secure, dp } = options;
  const d = features + (bias ? 1 : 0);
  if (secure) {
    const rule = ruleForSums(options);
    return new TotalAggregator({ rule, d, c2, stepBits: secure.stepBits });
  }
  if (aggregation === 'mocha') return new MochaAggregator({ d, lambda, gap: stop.gap });
  const aggregator = new Aggregator(aggregation, d, c2);
  return dp ? new NoisyCombiner(aggregator) : aggregator;
}
