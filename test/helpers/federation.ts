/** Small federations for tests. */
import { type CoordinatorOptions, DEFAULT_OPTIONS } from '../../src/coordinator/index.ts';
import type { Table } from '../../src/data/index.ts';
import { resolveOptions, type TrainOptions } from '../../src/methods/index.ts';
import { prepare } from '../../src/methods/prepare.ts';
import { settled } from '../../src/participant/index.ts';
import type { Accepted } from '../../src/protocol/index.ts';
import {
  HARDWARE,
  PERFECT_LINK,
  participantsOf,
  type Simulation,
  type SimulationPlan,
} from '../../src/sim/index.ts';
import { toldOf } from '../../src/solver/index.ts';

export type PlanChanges = Partial<Omit<SimulationPlan, 'options' | 'participants'>> & {
  readonly options?: Partial<CoordinatorOptions>;
  readonly hardware?: (k: number, participants: number) => number;
};

export const TEST_COMPUTE = { fixedMs: 1, perValueMs: 0.001, spread: 0.2 };

export function planFor(table: Table, train: TrainOptions, changes: PlanChanges = {}): SimulationPlan {
  const resolved = resolveOptions(train);
  const prepared = prepare(table, resolved);
  const { objective, c1, c2, epsilon, classWeight, scale, bias, passes, seed, aggregation, gap, rounds } =
    resolved;
  const options: CoordinatorOptions = {
    ...DEFAULT_OPTIONS,
    ...{ objective, c1, c2, epsilon, classWeight, scale, bias, passes, seed, aggregation },
    minParticipants: prepared.table.participants.length,
    retryMs: 1e6,
    maxWaitMs: 1e9,
    stop: { ...DEFAULT_OPTIONS.stop, gap, rounds },
    ...changes.options,
  };
  const compute = changes.compute ?? TEST_COMPUTE;
  const participants = participantsOf(prepared.table, prepared.y, prepared.split.train, {
    compute,
    passes,
    retryMs: options.retryMs,
    hardware: changes.hardware ?? HARDWARE.equal,
  });
  const { options: _o, hardware: _h, ...rest } = changes;
  return {
    link: PERFECT_LINK,
    partitions: [],
    crashes: [],
    deeds: [],
    seed,
    untilMs: 1e9,
    transcript: 'off',
    ...rest,
    options,
    participants,
    compute,
  };
}

/**
 * The largest difference between what the coordinator has of a participant and what the participant has itself (an update
 * that was accepted, but whose outcome has not arrived, is committed for the comparison), and between w and their sum;
 * relative to |w|.
 */
export function conservationError(simulation: Simulation): number {
  const { coordinator, participants } = simulation;
  const { run, members } = coordinator.disk;
  if (!run?.scaling) return 0;
  const sum = new Map<number, number>();
  let worst = 0;
  let size = 0;
  for (const member of members.values()) {
    const node = participants.get(member.id)!;
    const own = committedBy(node, member.accepted);
    const known = member.known?.u;
    if (!known) continue;
    for (let j = 0; j < known.length; j++) {
      worst = Math.max(worst, Math.abs(known[j] - (own ? own[j] : 0)));
      sum.set(j, (sum.get(j) ?? 0) + (own ? own[j] : 0));
    }
  }
  const w = coordinator.state?.aggregator?.w;
  if (w) {
    for (let j = 0; j < w.length; j++) {
      worst = Math.max(worst, Math.abs(w[j] - (sum.get(j) ?? 0)));
      size = Math.max(size, Math.abs(w[j]));
    }
  }
  return worst / Math.max(size, 1e-6);
}

export function committedBy(
  node: Simulation['participants'] extends ReadonlyMap<string, infer N> ? N : never,
  accepted: Accepted,
): Float64Array | undefined {
  const { disk } = node;
  if (!disk) return undefined;
  if (disk.pending && disk.pending.message.round === accepted.round) {
    const { y } = node.data;
    const wide = y.map(() => Number.POSITIVE_INFINITY);
    const context = { y, low: wide.map((value) => -value), high: wide, settings: { epsilon: 0 } };
    const before = { committed: disk.committed!, atoms: disk.atoms };
    const kept = disk.settings!.atoms;
    return toldOf(settled(context, before, disk.pending.atom, kept, accepted).committed).u;
  }
  return disk.committed && toldOf(disk.committed).u;
}
