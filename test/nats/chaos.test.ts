/**
 * Random schedules of what can go wrong with a federation on a cluster of three nats-servers: the root, owners of shards and gateways crash,
 * each is cut off for a while, nodes of the cluster are killed and restarted, cut off from each other and paused, everything in JetStream is
 * rolled back. Whatever happens, training comes to its end, and what participants have adds up to what the root has. KINDRED_SCHEDULES=500
 * runs more of them, KINDRED_SEED says which one is the first.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Stream, stream } from '../../src/base/random.ts';
import type { CoordinatorOptions } from '../../src/coordinator/options.ts';
import { sumOfContributions } from '../../src/coordinator/training.ts';
import { makeHarLike } from '../../src/data/generate-har.ts';
import { ChaosTree, type Role, type SeenRow } from '../helpers/chaos-tree.ts';
import { natsProgram } from '../helpers/nats.ts';
import { NatsCluster, NODES } from '../helpers/nats-cluster.ts';
import { QUICK, until } from '../helpers/server.ts';
import { conservationError, TreeParticipant } from '../helpers/tree-participants.ts';

// All of them in CI; a machine that somebody works on has other things to do.
const SCHEDULES = Number(process.env.KINDRED_SCHEDULES ?? (process.env.CI ? 50 : 12));
const FIRST_SEED = Number(process.env.KINDRED_SEED ?? 1);
/** Each has a cluster of its own. Most of the time they wait, for elections above all. */
const AT_ONCE = Number(process.env.KINDRED_CLUSTERS ?? 5);
const PEOPLE = 5;
const GAP = 1e-8;
/** While a shard is away the others go on: that must not be the end of training. */
const MOST_ROUNDS = 1_000_000;
const OPTIONS = {
  ...QUICK,
  // The last one comes while training is under way, or at rest.
  minParticipants: PEOPLE - 1,
  retryMs: 200,
  stop: { ...QUICK.stop, gap: GAP, rounds: MOST_ROUNDS },
};
/** When the last thing begins to happen. */
const LATEST_MS = 1500;
const ROLES: readonly Role[] = ['root', 'gateway', 'owner'];
const LONGEST_MS = 90_000;

/** Two levels, or three. */
const SHAPES = [{ shards: 2 }, { shards: 2 }, { shards: 3, fanIn: 2 }];

interface Deed {
  readonly atMs: number;
  readonly what: string;
  act(tree: ChaosTree): Promise<void>;
}

function deed(random: Stream): Deed {
  const atMs = 100 + LATEST_MS * random.uniform();
  const role = ROLES[random.below(ROLES.length)];
  const which = random.below(2);
  const ms = Math.round(100 + 1500 * random.uniform());
  const at = (what: string, act: (tree: ChaosTree) => Promise<void>) => ({ atMs, what, act });
  const kind = random.uniform();
  const node = random.below(NODES);
  if (kind < 0.3) return at(`crash ${role}`, (tree) => tree.crash(role, which));
  if (kind < 0.5) return at(`partition ${role} ${ms}`, (tree) => tree.partition(role, which, ms));
  if (kind < 0.65) return at(`kill node ${node} ${ms}`, (tree) => tree.killNode(node, ms));
  if (kind < 0.8) return at(`cut off node ${node} ${ms}`, (tree) => tree.cutOffNode(node, ms));
  if (kind < 0.9) return at(`pause node ${node} ${ms}`, (tree) => tree.pauseNode(node, ms));
  return at(`rollback ${ms}`, (tree) => tree.rollBack(() => pause(ms)));
}

/** One after the other: three nodes bear the loss of one. */
async function happen(tree: ChaosTree, deeds: readonly Deed[]): Promise<void> {
  const startMs = performance.now();
  for (const { atMs, act } of deeds) {
    await pause(Math.max(0, startMs + atMs - performance.now()));
    await act(tree);
  }
}

async function runSchedule(cluster: NatsCluster, seed: number): Promise<void> {
  const random = stream(seed, 'chaos on NATS');
  const deeds = Array.from({ length: 1 + random.below(4) }, () => deed(random)).sort(
    (a, b) => a.atMs - b.atMs,
  );
  const plan = `schedule ${seed}: ${deeds.map(({ atMs, what }) => `${Math.round(atMs)} ${what}`).join(', ')}`;
  await inTree(cluster, seed, plan, async (tree, join) => {
    join(PEOPLE - 1);
    await Promise.all([happen(tree, deeds), pause(LATEST_MS * random.uniform()).then(() => join(1))]);
  });
}

type Act = (tree: ChaosTree, join: (count: number) => readonly TreeParticipant[]) => Promise<void>;

/** Whatever `act` has done, training comes to its end. `join` brings so many more people in, and gives all. */
async function inTree(
  cluster: NatsCluster,
  seed: number,
  plan: string,
  act: Act,
  options: Partial<CoordinatorOptions> = {},
): Promise<void> {
  const shape = SHAPES[seed % SHAPES.length];
  const tree = await ChaosTree.start({
    ...{ nats: cluster, namespace: `chaos-${seed}`, shape },
    options: { ...OPTIONS, ...options },
  });
  const table = makeHarLike({ participants: PEOPLE, rowsPerParticipant: 20, features: 8, seed });
  const participants: TreeParticipant[] = [];
  try {
    await act(tree, (count) => {
      const ids = table.participants.slice(participants.length, participants.length + count);
      participants.push(
        ...ids.map((id) => new TreeParticipant(tree.entrance.url, table, id, { stays: 'for good' })),
      );
      return participants;
    });
    await comesToAnEnd(tree, participants, plan);
    checkBounds(tree.rows, plan);
  } finally {
    await Promise.all(participants.map(({ participation }) => participation.close()));
    await tree.close();
  }
}

async function comesToAnEnd(
  tree: ChaosTree,
  participants: readonly TreeParticipant[],
  plan: string,
): Promise<void> {
  const deadline = performance.now() + LONGEST_MS;
  const hasEnded = ({ participation: { status }, pending }: TreeParticipant) =>
    status.phase === 'finished' && pending === 0;
  let error = Number.POSITIVE_INFINITY;
  while (error > 1e-9) {
    const state = tree.federation?.host.state;
    const isOver = state?.phase === 'finished' && participants.every(hasEnded);
    if (isOver) error = conservationError(sumOfContributions(state), participants);
    if (isOver && error <= 1e-9) {
      const { finish, round, certificate } = state;
      const end = `${plan}; round ${round}, gap ${certificate.relativeGap}; ${tree.describe()}`;
      expect(finish, end).toBe('gap');
      expect(certificate.relativeGap, end).toBeLessThan(GAP);
      return;
    }
    const phases = participants.map(({ participation: { status } }) => `${status.phase} ${status.round}`);
    const where = `${plan}; error ${error}; ${phases.join(', ')}; ${tree.describe()}`;
    expect(performance.now(), where).toBeLessThan(deadline);
    await pause(20);
  }
}

/** Of the same problem: the lower bound never falls. */
function checkBounds(rows: readonly SeenRow[], plan: string): void {
  for (let r = 1; r < rows.length; r++) {
    const [before, after] = [rows[r - 1], rows[r]];
    if (before.problem !== after.problem || !Number.isFinite(before.row.dual)) continue;
    if (after.row.round <= before.row.round) continue;
    const least = before.row.dual - 1e-9 * Math.abs(before.row.dual);
    expect(after.row.dual, `${plan}, round ${after.row.round}`).toBeGreaterThanOrEqual(least);
  }
}

/** Seeds in turn, each on the cluster of whoever takes it. What has failed is told when all have been run. */
async function runSchedules(seeds: number[]): Promise<readonly string[]> {
  const failures: string[] = [];
  const one = async () => {
    let cluster = await NatsCluster.start();
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      try {
        await runSchedule(cluster, seed);
        await cluster.clear();
      } catch (error) {
        const { message } = error as Error;
        failures.push(message);
        // At once: the others take some minutes.
        console.error(message);
        await cluster.end();
        cluster = await NatsCluster.start();
      }
    }
    await cluster.end();
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, seeds.length) }, one));
  return failures;
}

describe.skipIf(!natsProgram)('chaos', () => {
  test('a store is rolled back to before the first round', { timeout: 240_000 }, async () => {
    const cluster = await NatsCluster.start();
    onTestFinished(() => cluster.end());
    await inTree(
      cluster,
      0,
      'rolled back',
      async (tree, join) => {
        join(PEOPLE - 1);
        const behind = () =>
          tree.federation?.groups?.list().reduce((sum, group) => sum + group.participants, 0);
        await until(() => behind() === PEOPLE - 1, 'all but one', 60_000);
        await tree.rollBack(async () => {
          const participants = join(1);
          const hasRounds = ({ participation }: TreeParticipant) => participation.status.round >= 2;
          await until(() => participants.every(hasRounds), 'rounds', 60_000);
        });
      },
      { minParticipants: PEOPLE },
    );
  });

  test(`${SCHEDULES} schedules`, { timeout: SCHEDULES * 60_000 + 120_000 }, async () => {
    const failures = await runSchedules(Array.from({ length: SCHEDULES }, (_, k) => FIRST_SEED + k));
    expect(failures.join('\n\n')).toBe('');
  });
});
