/** Federations that sum in secret, and the check that no message and no crash may break: w is the sum of all u, bit for bit. */
import { type CoordinatorOptions, DEFAULT_SECURE, type SecureOptions } from '../../src/coordinator/index.ts';
import type { Table } from '../../src/data/index.ts';
import type { TrainOptions } from '../../src/methods/index.ts';
import { Simulation } from '../../src/sim/index.ts';
import { commitStep } from '../../src/solver/index.ts';
import { nodePrimitives } from '../privacy/secure/helpers.ts';
import { type PlanChanges, planFor } from './federation.ts';

export type SecureChanges = Omit<PlanChanges, 'options'> & {
  readonly options?: Partial<Omit<CoordinatorOptions, 'secure'>> & { secure?: Partial<SecureOptions> };
};

export function securePlan(table: Table, train: TrainOptions, changes: SecureChanges = {}) {
  const { options, ...rest } = changes;
  const secure = { ...DEFAULT_SECURE, phaseMs: 1e9, ...options?.secure };
  return planFor(
    table,
    { aggregation: 'line-search', ...train },
    { primitives: nodePrimitives, ...rest, options: { ...options, secure } },
  );
}

export function runSecurely(table: Table, train: TrainOptions, changes: SecureChanges = {}): Simulation {
  return new Simulation(securePlan(table, train, changes)).run();
}

/** Entries of the stored w that are not exactly the sum of what the participants have, or are about to, commit. */
export function wrongEntries(simulation: Simulation): number {
  const { run, members } = simulation.coordinator.disk;
  const w = run?.total?.w;
  if (!w) return 0;
  const sum = new Float64Array(w.length);
  for (const { id, accepted } of members.values()) {
    const u = committedBy(simulation, id, accepted);
    if (u) for (let j = 0; j < sum.length; j++) sum[j] += u[j];
  }
  return w.filter((value, j) => value !== sum[j]).length;
}

function committedBy(
  { participants }: Simulation,
  id: string,
  accepted: { readonly round: number; readonly weights: readonly number[] },
): Float64Array | undefined {
  const node = participants.get(id)!;
  const { pending, committed } = node.disk ?? {};
  if (!committed || pending?.message.round !== accepted.round) return committed?.u;
  const { y } = node.data;
  const high = y.map(() => Number.POSITIVE_INFINITY);
  const context = { y, low: high.map((value) => -value), high, settings: { epsilon: 0 } };
  return commitStep(context, { committed, atoms: [pending.atom] }, accepted.weights).committed.u;
}
