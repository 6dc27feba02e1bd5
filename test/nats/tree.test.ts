/** A federation on a real nats-server, all parts in this process: it trains to the end, and what everybody has adds up. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { modelOf, sumOfContributions } from '../../src/coordinator/training.ts';
import { makeHarLike } from '../../src/data/generate-har.ts';
import { shardOf } from '../../src/nats/subjects.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import { norm, plusScaled } from '../../src/solver/vector.ts';
import { Balancer, portOf } from '../helpers/balancer.ts';
import { planFor } from '../helpers/federation.ts';
import { natsForTest, natsProgram } from '../helpers/nats.ts';
import { startGateway, startOwner, startRoot } from '../helpers/nats-tree.ts';
import { QUICK } from '../helpers/server.ts';
import { conservationError, joinAll } from '../helpers/tree-participants.ts';

const OPTIONS = { ...QUICK, minParticipants: 12, retryMs: 300 };
const table = makeHarLike({ participants: 12, rowsPerParticipant: 20, features: 6, seed: 3 });

describe.skipIf(!natsProgram)('a federation on NATS', () => {
  test('twelve participants behind two gateways train to the end', { timeout: 60_000 }, async () => {
    const { url } = await natsForTest();
    const root = await startRoot(url, OPTIONS);
    const gateways = [await startGateway(url), await startGateway(url)];
    await startOwner(url);
    await startOwner(url);
    const balancer = await Balancer.start(...gateways.map((gateway) => portOf(gateway.url)));
    onTestFinished(() => balancer.stop());
    const participants = joinAll(balancer.url, table);
    await Promise.all(participants.map(({ participation }) => participation.done));
    const { state } = root.federation('default').host;
    expect(state.finish).toBe('gap');
    expect(state.certificate.relativeGap).toBeLessThan(1e-6);
    expect(conservationError(sumOfContributions(state), participants)).toBeLessThan(1e-9);
    expect(participants.every(({ u }) => u)).toBe(true);
  });

  test('the model over NATS and WebSocket is that of the same groups in one process', {
    timeout: 60_000,
  }, async () => {
    const { url } = await natsForTest();
    const options = { ...OPTIONS, waiting: { kind: 'all' } as const };
    const root = await startRoot(url, options);
    const gateway = await startGateway(url);
    await startOwner(url);
    const participants = joinAll(gateway.url, table);
    await Promise.all(participants.map(({ participation }) => participation.done));
    const simulated = new Simulation({
      ...planFor(table, { testFraction: 0 }, { options, untilMs: 1e6 }),
      branchOf: (id) => `shard-${shardOf(id, 4)}`,
    }).run();
    const [there, here] = [root.federation('default').host.state, simulated.coordinator.state!];
    expect(there.round).toBe(here.round);
    const [w, expected] = [modelOf(there)!.w, modelOf(here)!.w];
    expect(norm(plusScaled(w, -1, expected)) / norm(expected)).toBeLessThan(1e-12);
  });
});
