/**
 * `mtl`: the multi-task SVM itself, all participants in one process: by questions and answers, or step by step as the paper's
 * Algorithm 1 (`--aggregation sum`, with its errors put right: docs/paper-errata.md) and CoCoA+ (`safe`) do it.
 */
import { Aggregator, addScaled, newMember, norm, type Shard, type Solution } from '../solver/index.ts';
import { personalPart, trainByAnswers } from './answers.ts';
import type { Method } from './method.ts';
import { trainInRounds } from './rounds.ts';

export const trainMtl: Method = (input) => {
  const { aggregation, c2 } = input.settings;
  if (aggregation !== 'answers') return trainBySteps(input, aggregation);
  const shards = input.workspace.each(input.settings);
  const { answers, last, w, u, ...course } = trainByAnswers(input, shards);
  const duals = answers.map(({ beta }) => beta);
  return {
    w,
    v: answers.map((answer) => personalPart(answer, c2)),
    servesNewcomers: true,
    conservation: {
      relativeError: conservationError(
        u,
        shards,
        last.map(({ beta }) => beta),
      ),
    },
    ...course,
    duals,
  };
};

function trainBySteps(input: Parameters<Method>[0], rule: 'safe' | 'sum'): ReturnType<Method> {
  const { workspace, settings, warmStart } = input;
  const { c2 } = settings;
  const shards = workspace.each(settings);
  const aggregator = new Aggregator(rule, workspace.d, c2);
  const members = shards.map((shard, k) => newMember(shard, warmStart?.[k]));
  for (const [k, { u }] of members.entries()) aggregator.join(k, { u: warmStart && u });
  const personal = (_k: number, { u }: Solution) => u.map((value) => value * (1 / c2));
  const { certificate, inUse, ...course } = trainInRounds(input, { aggregator, shards, members, personal });
  const used = inUse.members.map(({ beta }) => beta);
  return {
    w: inUse.w,
    v: inUse.members.map((member, k) => personal(k, member)),
    servesNewcomers: true,
    certificate,
    conservation: { relativeError: conservationError(inUse.w, shards, used) },
    ...course,
    duals: members.map(({ beta }) => beta),
  };
}

/** |u - sum_k u_k| / |u| with every u_k computed afresh from the participant's own duals. */
function conservationError(
  u: Float64Array,
  shards: readonly Shard[],
  duals: readonly Float64Array[],
): number {
  const rest = u.slice();
  for (const [k, shard] of shards.entries()) addScaled(rest, -1, shard.combine(duals[k]));
  return norm(rest) / (norm(u) || 1);
}
