/** Small federations for tests. */
import { type CoordinatorOptions, DEFAULT_OPTIONS } from '../../src/coordinator/options.ts';
import type { CoordinatorState } from '../../src/coordinator/state.ts';
import type { StoredMember, StoredRun } from '../../src/coordinator/stored.ts';
import { combinerOf, inquiryOf } from '../../src/coordinator/training.ts';
import type { Table } from '../../src/data/table.ts';
import { resolveOptions } from '../../src/methods/options.ts';
import { prepare } from '../../src/methods/prepare.ts';
import { acceptedSolution } from '../../src/participant/outcome.ts';
import type { Accepted } from '../../src/protocol/messages.ts';
import type { TrainOptions } from '../../src/settings/training.ts';
import { PERFECT_LINK } from '../../src/sim/network.ts';
import { HARDWARE, participantsOf } from '../../src/sim/participants.ts';
import type { Simulation, SimulationPlan } from '../../src/sim/simulation.ts';
import { sentPart } from '../../src/solver/member.ts';
import { plusScaled } from '../../src/solver/vector.ts';

export type PlanChanges = Partial<Omit<SimulationPlan, 'options' | 'participants'>> & {
  readonly options?: Partial<CoordinatorOptions>;
  readonly hardware?: (k: number, participants: number) => number;
};

export const TEST_COMPUTE = { fixedMs: 1, perValueMs: 0.001, spread: 0.2 };

export function planFor(table: Table, train: TrainOptions, changes: PlanChanges = {}): SimulationPlan {
  const resolved = resolveOptions(train, table);
  const prepared = prepare(table, resolved);
  const { objective, loss, c1, c2, epsilon, classWeight, scale, scaleTarget, bias, positive } = resolved;
  const { features, passes, seed, aggregation, gap, rounds } = resolved;
  const options: CoordinatorOptions = {
    ...DEFAULT_OPTIONS,
    ...{ objective, loss, c1, c2, epsilon, classWeight, scale, scaleTarget, features, bias },
    ...{ passes, seed, aggregation },
    ...(positive !== undefined && { positive }),
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

type Node = Simulation['participants'] extends ReadonlyMap<string, infer N> ? N : never;

/**
 * Conservation, relative to the size of the sum: what the coordinator holds as the sum of all accepted contributions, durable and in
 * memory, against what the participants themselves have stored as accepted (an answer that was accepted, but whose outcome has not
 * arrived, counts); with steps also each single contribution.
 */
export function conservationError({ coordinator, participants }: Simulation): number {
  const { run, members } = coordinator.disk;
  if (!run?.scaling) return 0;
  const accepted = acceptedBy(run, members.values());
  let sum: Float64Array | undefined;
  let worst = 0;
  for (const { id, known } of members.values()) {
    const own = committedBy(participants.get(id)!, accepted.get(id)!);
    if (own) sum = plusScaled(sum ?? new Float64Array(own.length), 1, own);
    if (known) worst = Math.max(worst, furthest(known.u, own));
  }
  const { state } = coordinator;
  const held = [run.inquiry?.u, state && inquiryOf(state)?.u, state && stepsHeld(state)];
  let size = 1e-6;
  for (const total of held) {
    if (!total) continue;
    worst = Math.max(worst, furthest(total, sum));
    size = Math.max(size, largest(total));
  }
  return worst / size;
}

/** With steps w is the sum; MOCHA has none, noise is in none. */
function stepsHeld(state: CoordinatorState): Float64Array | undefined {
  const { method, dp } = state.options;
  return method === 'mocha' || dp ? undefined : combinerOf(state)?.w;
}

const largest = (vector: Float64Array) => vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
const furthest = (a: Float64Array, b: Float64Array | undefined) => largest(b ? plusScaled(a, -1, b) : a);

/** Which answer of each member the store says was accepted last. */
export function acceptedBy(run: StoredRun, members: Iterable<StoredMember>): Map<string, Accepted> {
  const all = [...members];
  const accepted = new Map(all.map((member): [string, Accepted] => [member.id, member.accepted]));
  if (!run.accepted) return accepted;
  for (const { id } of all) accepted.set(id, { round: 0 });
  for (let i = 0; i < run.accepted.length; i += 3) {
    const [index, round, factor] = run.accepted.subarray(i, i + 3);
    const member = all.find((one) => one.index === index);
    if (member) accepted.set(member.id, { round, factor });
  }
  return accepted;
}

/** What a participant has stored of the answer that the coordinator has accepted last; undefined: none counts. */
export function committedBy({ id, disk, data }: Node, accepted: Accepted): Float64Array | undefined {
  if (accepted.round === 0) return undefined;
  const { pending, committed, base } = disk!;
  if (pending?.message.round === accepted.round) {
    const { y } = data;
    const settings = { objective: 'classification', epsilon: 0 } as const;
    const context = { y, cap: y.map(() => 0), settings };
    return sentPart(acceptedSolution(context, committed, pending.solution, accepted)).u;
  }
  if (base !== accepted.round || !committed) {
    throw new Error(
      `participant "${id}" has the answer of round ${base}, the coordinator that of ${accepted.round}`,
    );
  }
  return sentPart(committed).u;
}
