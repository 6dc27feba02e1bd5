/** What the processes of a federation on NATS show to Prometheus, with its values: alarms compare them. */
import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { addOwnerMetrics } from '../../src/node/owner/owner-meters.ts';
import { ask } from '../helpers/http.ts';
import { metric } from '../helpers/metrics.ts';
import { natsForTest, natsProgram } from '../helpers/nats.ts';
import { startGateway, startOwner, startRoot } from '../helpers/nats-tree.ts';
import { PATIENT, until } from '../helpers/server.ts';

const LABELS = { federation: 'default' };

describe.skipIf(!natsProgram)('metrics on NATS', () => {
  test('the root knows how many shards have an owner, also when none has', { timeout: 60_000 }, async () => {
    const { url } = await natsForTest();
    const root = await startRoot(url, PATIENT, undefined, { shards: 4, fanIn: 2 });
    const owner = await startOwner(url);
    const read = async (name: string) => metric((await ask(`${root.url}/metrics`)).text, name, LABELS);
    // Four shards and the two branches above them.
    expect(await read('kindred_shards')).toBe(6);
    await until(async () => (await read('kindred_shards_alive')) === 6, 'six that are alive');
    const registry = new Registry();
    addOwnerMetrics(registry, [owner]);
    expect(metric(await registry.metrics(), 'kindred_shards_owned', LABELS)).toBe(6);
    await owner.close();
    await until(async () => (await read('kindred_shards_alive')) === 0, 'none that is alive');
    expect(await read('kindred_shards')).toBe(6);
  });

  test('every process says whether it is connected to NATS', { timeout: 60_000 }, async () => {
    const nats = await natsForTest();
    const [root, gateway] = [await startRoot(nats.url, PATIENT), await startGateway(nats.url)];
    const up = async (at: { url: string }) =>
      metric((await ask(`${at.url}/metrics`)).text, 'kindred_nats_up');
    expect([await up(root), await up(gateway)]).toEqual([1, 1]);
    await nats.kill();
    await until(async () => (await up(root)) + (await up(gateway)) === 0, 'nobody is connected');
    await nats.run();
    await until(async () => (await up(root)) + (await up(gateway)) === 2, 'everybody is connected');
  });
});
