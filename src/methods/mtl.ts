/**
 * `mtl`: the multi-task SVM itself, all participants in one process: by questions and answers, or step by step as the paper's
 * Algorithm 1 (`--aggregation sum`, with its errors put right: docs/paper-errata.md) and CoCoA+ (`safe`) do it.
 */
import { Aggregator, type StepRule } from '../solver/aggregate.ts';
import { MochaAggregator } from '../solver/aggregate-mocha.ts';
import { newMember, type Solution } from '../solver/member.ts';
import { addScaled, norm } from '../solver/vector.ts';
import { inquire, personalPart } from './answers.ts';
import type { Method } from './method.ts';
import { type AskingMethod, ask, inProcess } from './questions.ts';
import { trainInRounds } from './rounds.ts';

export const MTL_BY_ANSWERS: AskingMethod = {
  problem: (settings) => settings,
  *run(input) {
    const { c2 } = input.settings;
    const { answers, last, w, u, ...trajectory } = yield* inquire(input);
    const afresh = yield* ask('sum', [...last.keys()], (k) => last[k].beta);
    return {
      w,
      v: answers.map((answer) => personalPart(answer, c2)),
      servesNewcomers: true,
      conservation: { relativeError: conservationError(u, afresh) },
      ...trajectory,
      duals: answers.map(({ beta }) => beta),
    };
  },
};

const trainByAnswers = inProcess(MTL_BY_ANSWERS);

export const trainMtl: Method = (input) => {
  const { aggregation } = input.settings;
  return aggregation === 'answers' ? trainByAnswers(input) : trainBySteps(input, aggregation);
};

function trainBySteps(input: Parameters<Method>[0], rule: StepRule): ReturnType<Method> {
  const { workspace, settings, warmStart } = input;
  const { c2 } = settings;
  const shards = workspace.each(settings);
  const aggregator = new Aggregator(rule, workspace.d, c2);
  const members = shards.map((shard, k) => newMember(shard, warmStart?.duals?.[k]));
  for (const [k, { u }] of members.entries()) aggregator.join(k, { u: warmStart && u });
  const personal = (_k: number, { u }: Solution) => u.map((value) => value * (1 / c2));
  const { certificate, inUse, ...trajectory } = trainInRounds(input, {
    aggregator,
    shards,
    members,
    personal,
  });
  const afresh = shards.map((shard, k) => shard.combine(inUse.members[k].beta));
  return {
    w: inUse.w,
    v: inUse.members.map((member, k) => personal(k, member)),
    servesNewcomers: true,
    certificate,
    conservation: { relativeError: conservationError(inUse.w, afresh) },
    ...trajectory,
    duals: members.map(({ beta }) => beta),
  };
}

/** |u - sum_k u_k| / |u| with every u_k computed afresh from the participant's own duals. */
function conservationError(u: Float64Array, afresh: readonly Float64Array[]): number {
  const rest = u.slice();
  for (const own of afresh) addScaled(rest, -1, own);
  return norm(rest) / (norm(u) || 1);
}

/**
 * `mocha`, for comparison: the problem and where it departs from the paper are in solver/aggregate-mocha.ts. A participant solves the usual
 * local problem with C1 = 1 and no personal part; `passesOf` lets a caller vary how exactly, as slow nodes would.
 */
export const trainMocha: Method = (input) => {
  const { lambda, gap } = input.settings;
  const { d } = input.workspace;
  const shards = input.workspace.each({
    ...input.settings,
    c1: 1,
    c2: Number.POSITIVE_INFINITY,
  });
  const aggregator = new MochaAggregator({ d, lambda, gap });
  for (const [t, shard] of shards.entries()) aggregator.join(t, { rows: shard.rowCount });
  const members = shards.map((shard) => newMember(shard));
  const personal = (t: number) => aggregator.modelOf(t);
  const { inUse: _, ...trajectory } = trainInRounds(input, { aggregator, shards, members, personal });
  return { w: aggregator.w, v: shards.map((_, t) => personal(t)), servesNewcomers: false, ...trajectory };
};
