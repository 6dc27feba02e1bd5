/** Conservation in a tree of coordinators. */
import type { StoredRun } from '../../src/coordinator/stored.ts';
import type { CoordinatorNode } from '../../src/sim/coordinator-node.ts';
import type { Simulation } from '../../src/sim/simulation.ts';
import { norm, plusScaled } from '../../src/solver/vector.ts';
import { acceptedBy, committedBy } from './federation.ts';

/** The partial sum of a branch that the root has stored as accepted; 0: none. */
function acceptedPartial({ disk }: CoordinatorNode, branch: string): number {
  if (!disk.run || !disk.members.has(branch)) return 0;
  return acceptedBy(disk.run, disk.members.values()).get(branch)!.round;
}

/**
 * The answers of a branch that count: as stored, or as they were before a partial sum that the root has not accepted. Undefined: that is
 * not known any more, and everybody is asked again.
 */
function settled(run: StoredRun, accepted: number): Pick<StoredRun, 'inquiry' | 'accepted'> | undefined {
  const pending = run.above?.pending;
  // The root has everybody asked again, or has accepted nothing yet.
  if (accepted === 0) return undefined;
  return !pending || pending.message.round === accepted ? run : pending.before;
}

interface Sums {
  /** As the branch has stored it. */
  readonly held: Float64Array;
  /** Of what the participants behind it have stored as accepted. */
  readonly sum: Float64Array;
}

function sumsOf({ coordinator, participants }: Simulation, branch: CoordinatorNode): Sums | undefined {
  const { run, members } = branch.disk;
  const counted = run && settled(run, acceptedPartial(coordinator, branch.role.name));
  if (!counted?.inquiry) return undefined;
  const held = counted.inquiry.u;
  let sum: Float64Array = new Float64Array(held.length);
  const accepted = acceptedBy({ ...run!, ...counted }, members.values());
  for (const id of members.keys()) {
    const own = committedBy(participants.get(id)!, accepted.get(id)!);
    if (own) sum = plusScaled(sum, 1, own);
  }
  return { held, sum };
}

/** Of every branch: its durable sum against what those behind it have stored. */
export function branchError(simulation: Simulation): number {
  let worst = 0;
  for (const branch of simulation.branches.values()) {
    const { held, sum } = sumsOf(simulation, branch) ?? {};
    if (held && sum) worst = Math.max(worst, norm(plusScaled(held, -1, sum)) / Math.max(norm(held), 1e-6));
  }
  return worst;
}

/** From end to end: the durable sum of the root against what all participants have stored as accepted. */
export function treeError(simulation: Simulation): number {
  const u = simulation.coordinator.disk.run?.inquiry?.u;
  if (!u) return 0;
  let rest = u;
  for (const branch of simulation.branches.values()) {
    const { sum } = sumsOf(simulation, branch) ?? {};
    if (sum) rest = plusScaled(rest, -1, sum);
  }
  return norm(rest) / Math.max(norm(u), 1e-6);
}
