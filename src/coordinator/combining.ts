/** What the choice of aggregation means for a federation: who combines the updates, and what participants solve. */
import { NoisyCombiner } from '../privacy/dp/index.ts';
import { type Aggregation, Aggregator, atomsKept, type Combiner, MochaAggregator } from '../solver/index.ts';
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

export function newCombiner(options: CoordinatorOptions, features: number): Combiner {
  const { aggregation, c2, lambda, bias, stop, dp } = options;
  const d = features + (bias ? 1 : 0);
  if (aggregation === 'mocha') return new MochaAggregator({ d, lambda, gap: stop.gap });
  const aggregator = new Aggregator(aggregation, d, c2);
  return dp ? new NoisyCombiner(aggregator) : aggregator;
}
