/**
 * `mocha` (Smith et al. 2017, "Federated Multi-Task Learning"), for comparison, all participants in one process. The
 * problem, the relations between tasks and where this departs from the paper: solver/aggregate-mocha.ts. A participant
 * solves the usual local problem with C1 = 1 and no personal part beside the model that it is given.
 *
 * Node-specific accuracy is what the tolerance and the most passes of each local solve make of it (`passesOf` lets a
 * caller vary it per task and round, as slow nodes would).
 */
import { MochaAggregator } from '../solver/aggregate-mocha.ts';
import { newMember } from '../solver/member.ts';
import type { Method } from './method.ts';
import { trainInRounds } from './rounds.ts';

export const trainMocha: Method = (input) => {
  const { lambda, gap } = input.settings;
  const { d } = input.workspace;
  const shards = input.workspace.each({
    ...input.settings,
    c1: 1,
    c2: Number.POSITIVE_INFINITY,
  });
  const aggregator = new MochaAggregator({ d, lambda, gap });
  for (const [t, shard] of shards.entries()) aggregator.join(t, { rows: shard.n });
  const members = shards.map((shard) => newMember(shard));
  const personal = (t: number) => aggregator.modelOf(t);
  const { inUse: _, ...trajectory } = trainInRounds(input, { aggregator, shards, members, personal });
  return { w: aggregator.w, v: shards.map((_, t) => personal(t)), servesNewcomers: false, ...trajectory };
};
