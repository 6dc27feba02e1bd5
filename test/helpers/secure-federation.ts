/** Federations that sum in secret, and the check that no message and no crash may break: U is the sum of all u, bit for bit. */
import { type CoordinatorOptions, DEFAULT_SECURE } from '../../src/coordinator/options.ts';
import type { Table } from '../../src/data/table.ts';
import type { SecureOptions } from '../../src/settings/federation.ts';
import type { TrainOptions } from '../../src/settings/training.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import { nodePrimitives } from '../privacy/secure/helpers.ts';
import { acceptedBy, committedBy, type PlanChanges, planFor } from './federation.ts';

export type SecureChanges = Omit<PlanChanges, 'options'> & {
  readonly options?: Partial<Omit<CoordinatorOptions, 'secure'>> & { secure?: Partial<SecureOptions> };
};

export function securePlan(table: Table, train: TrainOptions, changes: SecureChanges = {}) {
  const { options, ...rest } = changes;
  const secure = { ...DEFAULT_SECURE, phaseMs: 1e9, ...options?.secure };
  return planFor(table, train, {
    primitives: nodePrimitives,
    ...rest,
    options: { ...options, secure },
  });
}

export function runSecurely(table: Table, train: TrainOptions, changes: SecureChanges = {}): Simulation {
  return new Simulation(securePlan(table, train, changes)).run();
}

/** Entries of the stored sum that are not exactly the sum of what the participants have had accepted. */
export function wrongEntries({ coordinator, participants }: Simulation): number {
  const { run, members } = coordinator.disk;
  if (!run?.inquiry) return 0;
  const accepted = acceptedBy(run, members.values());
  const sum = new Float64Array(run.inquiry.u.length);
  for (const { id } of members.values()) {
    const u = committedBy(participants.get(id)!, accepted.get(id)!);
    if (u) for (let j = 0; j < sum.length; j++) sum[j] += u[j];
  }
  return run.inquiry.u.filter((value, j) => value !== sum[j]).length;
}
