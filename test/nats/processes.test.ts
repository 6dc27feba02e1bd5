/** Real processes on a real nats-server: a gateway, the owner of shards and of a branch above them, and the root are killed in mid-training, and nothing is lost. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeHarLike } from '../../src/data/generate-har.ts';
import { openStore } from '../../src/stores/open-store.ts';
import { Balancer, portOf } from '../helpers/balancer.ts';
import { natsForTest, natsProgram } from '../helpers/nats.ts';
import { KindredProcess } from '../helpers/nats-processes.ts';
import { until } from '../helpers/server.ts';
import { conservationError, joinAll, type TreeParticipant } from '../helpers/tree-participants.ts';

const table = makeHarLike({ participants: 12, rowsPerParticipant: 20, features: 6, seed: 3 });
/** Of the round trip: training takes some seconds. */
const DELAY_MS = 25;

function roundOf(participants: readonly TreeParticipant[]): number {
  return Math.max(...participants.map(({ participation }) => participation.status.round));
}

/** Who has this number of the tree: 0 to 3 are shards, 4 and 5 the branches above them. */
async function ownerOf(owners: readonly KindredProcess[], node: string): Promise<KindredProcess> {
  for (const owner of owners) {
    const metrics = await (await fetch(`${owner.url}/metrics`)).text();
    if (metrics.includes(`kindred_shard_round{federation="default",shard="${node}"}`)) return owner;
  }
  throw new Error(`nobody owns ${node}`);
}

describe.skipIf(!natsProgram)('processes', () => {
  test('a gateway, an owner and the root are killed in mid-training', { timeout: 180_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kindred-tree-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const { url } = await natsForTest();
    const tree = ['--nats', url, '--takeover', '2s'];
    const shape = ['--shards', '4', '--fan-in', '2'];
    const federation = [...shape, '--min-participants', '12', '--gap', '1e-7', '--retry', '300ms'];
    const start = (...args: string[]) => KindredProcess.start(folder, ...args, ...tree);
    const root = await start('serve', ...federation);
    const [second, ...gateways] = await Promise.all([
      start('serve', ...federation),
      start('gateway'),
      start('gateway'),
    ]);
    expect(second.isStandby).toBe(true);
    expect((await fetch(`${second.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${root.url}/readyz`)).status).toBe(200);
    const owners = await Promise.all([start('aggregate'), start('aggregate')]);
    const balancer = await Balancer.start(...gateways.map((gateway) => portOf(gateway.url)));
    onTestFinished(() => balancer.stop());
    balancer.delayMs = DELAY_MS;
    const participants = joinAll(balancer.url, table);
    const moreRounds = async (count: number) => {
      const before = roundOf(participants);
      await until(() => roundOf(participants) >= before + count, `${count} rounds after round ${before}`);
    };
    await moreRounds(2);
    await gateways[0].kill();
    await moreRounds(2);
    await (await ownerOf(owners, '4')).kill();
    await moreRounds(2);
    await root.kill();
    const results = await Promise.all(participants.map(({ participation }) => participation.done));
    expect(new Set(results.map(({ reason }) => reason))).toEqual(new Set(['gap']));
    expect(participants.some(({ lost }) => lost > 0)).toBe(true);
    expect((await fetch(`${second.url}/readyz`)).status).toBe(200);
    await second.stop();
    const store = await openStore(`${url}/kindred-default`, 'read');
    onTestFinished(() => store.close());
    const saved = await store.loadRun('default');
    expect(saved!.run.certificate.relativeGap).toBeLessThan(1e-7);
    expect(conservationError(saved!.run.inquiry!.u, participants)).toBeLessThan(1e-9);
    const duals = (await store.history('default', 0, 10_000)).map(({ dual }) => dual);
    expect(duals.length).toBeGreaterThan(5);
  });
});
