/**
 * `mtl`: the multi-task SVM itself (DESIGN section 1), all participants in one process. Round by round as a federation
 * does it, with the same functions: everybody examines the model, proposes, the aggregation rule decides, everybody
 * commits. The paper's Algorithm 1 is the special case `--aggregation sum`, with its errors put right
 * (docs/paper-errata.md).
 */
import { seed32 } from '../base/random.ts';
import {
  Aggregator,
  addScaled,
  certificate,
  commit,
  dot,
  examine,
  localTolerance,
  type MemberState,
  newMember,
  propose,
  type Shard,
} from '../solver/index.ts';
import type { HistoryRow, Method } from './method.ts';

export const trainMtl: Method = ({ workspace, settings, onRound, warmStart, passesOf }) => {
  const { tasks, d } = workspace;
  const shards = workspace.each(settings);
  const { c2, seed } = settings;
  const aggregator = new Aggregator(settings.aggregation, d, c2);
  const members = shards.map((shard, k) => newMember(shard, warmStart?.[k]));
  for (const [k, { committed }] of members.entries()) aggregator.join(k, warmStart && committed.u);
  const history: HistoryRow[] = [];
  let passes = 0;
  for (let round = 0; ; round++) {
    const scalars = shards.map((shard, k) => examine(shard, members[k], aggregator.w));
    const proof = certificate(dot(aggregator.w, aggregator.w), c2, scalars);
    const row = { round, ...proof };
    history.push(row);
    onRound?.({ row, w: aggregator.w, personal: (k) => scaled(members[k].committed.u, 1 / c2) });
    if (proof.relativeGap <= settings.gap || round === settings.rounds) {
      return {
        w: aggregator.w,
        v: members.map((member) => scaled(member.committed.u, 1 / c2)),
        servesNewcomers: true,
        certificate: proof,
        conservation: { relativeError: conservationError(aggregator.w, shards, members) },
        rounds: round,
        passes,
        history,
        stopped: proof.relativeGap <= settings.gap ? 'gap' : 'rounds',
        duals: members.map((member) => member.committed.beta),
      };
    }
    const options = {
      sigma: aggregator.sigma,
      // The gap before this one: in a federation the coordinator learns a gap only with the answers of its round.
      tolerance: localTolerance(history.at(-2)?.relativeGap ?? 1),
      atoms: aggregator.atoms,
    };
    const proposals = shards.map((shard, k) =>
      propose(shard, members[k], {
        ...options,
        passes: passesOf?.(k, round) ?? settings.passes,
        // Rounds are counted from 1 where they are spoken of.
        seed: seed32(seed, 'solve', round + 1, tasks[k].id),
      }),
    );
    const outcomes = aggregator.aggregate(proposals.map(({ update }, member) => ({ ...update, member })));
    for (const { member, weights } of outcomes) {
      members[member] = commit(shards[member], proposals[member].state, weights);
      passes += proposals[member].passes;
    }
  }
};

/** |w - C2 sum_k v_k| / |w| with every v_k computed afresh from the participant's own duals. */
function conservationError(
  w: Float64Array,
  shards: readonly Shard[],
  members: readonly MemberState[],
): number {
  const rest = w.slice();
  for (const [k, shard] of shards.entries()) addScaled(rest, -1, shard.combine(members[k].committed.beta));
  const size = Math.sqrt(dot(w, w));
  return size === 0 ? Math.sqrt(dot(rest, rest)) : Math.sqrt(dot(rest, rest)) / size;
}

function scaled(u: Float64Array, factor: number): Float64Array {
  return u.map((value) => value * factor);
}
