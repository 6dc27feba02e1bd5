/**
 * Training step by step in one process, as a federation does it and with the same functions: everybody examines the model and makes a
 * step, the coordinator's side takes it. With the same seed a federation that waits for all comes to the same.
 */
import { seed32 } from '../base/random.ts';
import { certificateOf } from '../solver/certificate.ts';
import type { Combiner } from '../solver/combiner.ts';
import { localTolerance } from '../solver/local-solve.ts';
import { examine, propose, type Solution } from '../solver/member.ts';
import type { Shard } from '../solver/shard.ts';
import type { HistoryRow, MethodInput, Trajectory } from './method.ts';

interface Federation {
  readonly aggregator: Combiner;
  readonly shards: readonly Shard[];
  /** Changed in place, round by round. */
  readonly members: Solution[];
  /** The personal part of a participant's model, given what it has committed. */
  personal(k: number, member: Solution): Float64Array;
}

/** The model that a training has come to: the best one so far, or the latest. */
interface InUse {
  readonly primal: number;
  readonly w: Float64Array;
  readonly members: readonly Solution[];
}

export function trainInRounds(
  input: MethodInput,
  federation: Federation,
): Trajectory & { readonly inUse: InUse } {
  const { settings, onRound } = input;
  const { aggregator, shards, members, personal } = federation;
  const history: HistoryRow[] = [];
  let passes = 0;
  // In a federation the coordinator learns a gap only with the answers of its round.
  let gapBefore = 1;
  let inUse: InUse | undefined;
  for (let round = 0; ; round++) {
    const scalars = shards.map((shard, k) => ({
      member: k,
      ...examine(shard, members[k], aggregator.orderFor(k).w),
    }));
    const proof = aggregator.certificate(scalars);
    if (!inUse || !aggregator.keepsBest || proof.primal < inUse.primal)
      inUse = { primal: proof.primal, w: aggregator.w, members: [...members] };
    const { w, members: used, primal } = inUse;
    const certificate = certificateOf(primal, proof.dual);
    const row = { round, ...certificate };
    history.push(row);
    onRound?.({ row, w, personal: (k) => personal(k, used[k]) });
    const done = aggregator.settled && certificate.relativeGap <= settings.gap;
    if (done || round === settings.rounds) {
      const stopped = done ? 'gap' : 'rounds';
      return { certificate, rounds: round, passes, history, stopped, inUse };
    }
    passes += solveRound(input, federation, round, { before: gapBefore, now: certificate.relativeGap });
    gapBefore = certificate.relativeGap;
  }
}

/** Everybody makes a step from the model just examined; returns the passes made. */
function solveRound(
  { workspace, settings, passesOf }: MethodInput,
  { aggregator, shards, members }: Federation,
  round: number,
  gap: { readonly before: number; readonly now: number },
): number {
  let passes = 0;
  const updates = shards.map((shard, member) => {
    const step = propose(shard, {
      sigma: aggregator.orderFor(member).sigma,
      tolerance: localTolerance(gap.before),
      passes: passesOf?.(member, round) ?? settings.passes,
      // A federation counts rounds from 1.
      seed: seed32(settings.seed, 'solve', round + 1, workspace.tasks[member].id),
    });
    members[member] = step.solution;
    passes += step.passes;
    return { member, u: step.solution.u };
  });
  aggregator.aggregate(updates, gap.now);
  return passes;
}
