/**
 * `mtl`: the multi-task SVM itself (DESIGN section 1), all participants in one process. The paper's Algorithm 1 is the
 * special case `--aggregation sum`, with its errors put right (docs/paper-errata.md).
 */
import { Aggregator, addScaled, type MemberState, newMember, norm, type Shard } from '../solver/index.ts';
import type { Method } from './method.ts';
import { trainInRounds } from './rounds.ts';

export const trainMtl: Method = (input) => {
  const { workspace, settings, warmStart } = input;
  const { aggregation, c2 } = settings;
  const shards = workspace.each(settings);
  const aggregator = new Aggregator(aggregation, workspace.d, c2);
  const members = shards.map((shard, k) => newMember(shard, warmStart?.[k]));
  for (const [k, { committed }] of members.entries()) aggregator.join(k, { u: warmStart && committed.u });
  const personal = (_k: number, { committed }: MemberState) => committed.u.map((value) => value * (1 / c2));
  const { certificate, inUse, ...course } = trainInRounds(input, { aggregator, shards, members, personal });
  return {
    w: inUse.w,
    v: inUse.members.map((member, k) => personal(k, member)),
    servesNewcomers: true,
    certificate,
    conservation: { relativeError: conservationError(inUse.w, shards, inUse.members) },
    ...course,
    duals: members.map((member) => member.committed.beta),
  };
};

/** |w - C2 sum_k v_k| / |w| with every v_k computed afresh from the participant's own duals. */
function conservationError(
  w: Float64Array,
  shards: readonly Shard[],
  members: readonly MemberState[],
): number {
  const rest = w.slice();
  for (const [k, shard] of shards.entries()) addScaled(rest, -1, shard.combine(members[k].committed.beta));
  return norm(rest) / (norm(w) || 1);
}
