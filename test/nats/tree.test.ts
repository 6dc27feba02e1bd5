/** A federation on a real nats-server, all parts in this process: it trains to the end, and what everybody has adds up. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { DEFAULT_SECURE } from '../../src/coordinator/options.ts';
import { modelOf, sumOfContributions } from '../../src/coordinator/training.ts';
import { makeHarLike } from '../../src/data/generate-har.ts';
import { decodeUp } from '../../src/nats/envelope.ts';
import { nodeName, nodesIn, parentOf } from '../../src/nats/shape.ts';
import { shardOf } from '../../src/nats/subjects.ts';
import type { Owner } from '../../src/node/owner/owner.ts';
import { decodeFrom } from '../../src/protocol/codec.ts';
import { DEFAULT_LIMITS } from '../../src/protocol/limits.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import { norm, plusScaled } from '../../src/solver/vector.ts';
import { Balancer, portOf } from '../helpers/balancer.ts';
import { planFor } from '../helpers/federation.ts';
import { natsForTest, natsProgram } from '../helpers/nats.ts';
import { busTo, startGateway, startOwner, startRoot, subjects } from '../helpers/nats-tree.ts';
import { operate, QUICK, until } from '../helpers/server.ts';
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

  test('[TREE-7] secure cohorts in shards: neither gateways nor owners nor the root see an answer', {
    timeout: 120_000,
  }, async () => {
    const { url } = await natsForTest();
    const classes = { classes: ['-1', '1'], positive: '1' };
    const options = { ...OPTIONS, ...classes, secure: DEFAULT_SECURE, stop: { ...OPTIONS.stop, gap: 1e-3 } };
    const kinds = new Set<string>();
    const { bus } = await busTo(url, 'listener');
    bus.subscribe(`kindred.${subjects.namespace}.*.up.*`, (bytes) => {
      const up = decodeUp(bytes);
      if (up.type === 'frame') kinds.add(decodeFrom('participant', up.frame, DEFAULT_LIMITS).kind);
    });
    const root = await startRoot(url, options, undefined, { shards: 2 });
    const gateway = await startGateway(url);
    await startOwner(url);
    const participants = joinAll(gateway.url, table, { secure: true });
    await Promise.all(participants.map(({ participation }) => participation.done));
    const { state } = root.federation('default').host;
    expect(state.finish).toBe('gap');
    expect(conservationError(sumOfContributions(state), participants)).toBeLessThan(1e-9);
    expect([...kinds]).toEqual(expect.arrayContaining(['dealt', 'masked', 'revealed']));
    expect(kinds).not.toContain('answer');
  });

  test('secure sums over too few for the shards are refused when a federation is created', async () => {
    const { url } = await natsForTest();
    const root = await startRoot(url, undefined);
    const options = { ...OPTIONS, minParticipants: 11, secure: DEFAULT_SECURE };
    await expect(root.ensure('small', options)).rejects.toThrow(
      'expected --min-participants of at least 12 for secure aggregation on 4 shards, which sum 3 participants or more each, got 11',
    );
  });

  test('branches between shards and root: the same model as in one process, and orders go through', {
    timeout: 60_000,
  }, async () => {
    const { url } = await natsForTest();
    const options = { ...OPTIONS, waiting: { kind: 'all' } as const };
    const shape = { shards: 8, fanIn: 2 };
    const root = await startRoot(url, options, undefined, shape);
    const gateway = await startGateway(url);
    const owner = await startOwner(url);
    const participants = joinAll(gateway.url, table, { stays: 'for good' });
    onTestFinished(() => {
      for (const { participation } of participants) void participation.leave();
    });
    const federation = root.federation('default');
    const { state } = federation.host;
    await until(() => state.phase === 'finished', 'the end of training');
    const nodeOf = (name: string) => Number(name.split('-')[1]);
    const simulated = new Simulation({
      ...planFor(table, { testFraction: 0 }, { options, untilMs: 1e6 }),
      branchOf: (id) => `shard-${shardOf(id, 8)}`,
      parentOf: (name) => {
        const parent = parentOf(nodeOf(name), shape);
        return parent === undefined ? undefined : nodeName(parent, shape);
      },
    }).run();
    const here = simulated.coordinator.state!;
    expect([...state.members.keys()].sort()).toEqual([...here.members.keys()].sort());
    expect(state.round).toBe(here.round);
    const [w, expected] = [modelOf(state)!.w, modelOf(here)!.w];
    expect(norm(plusScaled(w, -1, expected)) / norm(expected)).toBeLessThan(1e-12);
    const { json } = await operate(root, '/v1/federations/default/participants');
    const { shards } = json as { shards: { id: string; parent?: string; participants: number }[] };
    expect(shards).toHaveLength(nodesIn(shape));
    expect(shards.find(({ id }) => id === 'shard-3')).toMatchObject({ parent: 'branch-9', alive: true });
    const top = shards.filter(({ parent }) => parent === undefined);
    expect(top.map(({ id }) => id)).toEqual(['branch-12', 'branch-13']);
    await until(
      () => federation.groups!.list().every(({ parent, participants }) => parent || participants > 0),
      'counts from below',
    );
    // A new deadline and a forgotten participant reach the bottom of the tree.
    const timing = { waiting: { kind: 'fixed', ms: 7000 }, maxWaitMs: 9000 } as const;
    await federation.host.order({ timing });
    const { round } = state;
    expect(await federation.forget(table.participants[0])).toBeUndefined();
    await until(
      () => state.round > round && state.phase === 'finished',
      'training without one, and again with it',
    );
    const inForce = [...owner.shards()].map(({ host }) => host.host.state);
    for (const { members, options } of inForce) if (members.size > 0) expect(options).toMatchObject(timing);
  });

  test('[TREE-9] a new deadline is in force at all shards with the next round, also at an owner that takes them over', {
    timeout: 60_000,
  }, async () => {
    const { url } = await natsForTest();
    const root = await startRoot(url, OPTIONS);
    const gateway = await startGateway(url);
    const first = await startOwner(url);
    const participants = joinAll(gateway.url, table, { stays: 'for good' });
    onTestFinished(() => {
      for (const { participation } of participants) void participation.leave();
    });
    const { host } = root.federation('default');
    await until(() => host.state.phase === 'finished', 'the end of training');
    const timing = { waiting: { kind: 'fixed', ms: 7000 }, maxWaitMs: 9000 } as const;
    const path = '/v1/federations/default/waiting';
    expect((await operate(root, path, { body: timing })).status).toBe(200);
    // A shard without participants is not asked.
    const asked = new Set(table.participants.map((id) => shardOf(id, 4))).size;
    const inForce = (owner: Owner) =>
      [...owner.shards()]
        .map(({ host }) => host.host.state)
        .flatMap(({ members, options }) => (members.size > 0 ? options : []));
    const everywhere = Array.from({ length: asked }, () => expect.objectContaining(timing));
    const round = host.state.round;
    await host.order('recount');
    await until(() => host.state.round > round && host.state.phase === 'finished', 'another end');
    expect(inForce(first)).toEqual(everywhere);
    await first.close();
    const second = await startOwner(url);
    // Before any round: from the store of each shard.
    await until(() => inForce(second).length === asked, 'the takeover');
    expect(inForce(second)).toEqual(everywhere);
  });
});
