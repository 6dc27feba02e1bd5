/** A participant in a page of a real Chromium: in a federation with others, it comes to the bits that it would come to anywhere else. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AGENT } from '../../src/browser/web-transport.ts';
import type { Participation } from '../../src/client/participation-options.ts';
import { modelToJson } from '../../src/methods/model.ts';
import { makeHarLike, makeRegression } from '../../src/public/kindred-core.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import type { Model } from '../../src/solver/model.ts';
import { chromium } from '../helpers/chromium.ts';
import { planFor } from '../helpers/federation.ts';
import { Tab } from '../helpers/page-participant.ts';
import { PageTest } from '../helpers/pages.ts';
import { QUICK } from '../helpers/server.ts';
import { TABLE, TabFederations } from '../helpers/tab-federation.ts';
import { optionsLike } from '../helpers/test-server.ts';
import { useBuilt } from '../node/client/helpers.ts';

useBuilt();
const federations = new TabFederations();
const pages = new PageTest();

function fileOf(participation: Participation): string {
  return modelToJson(participation.model()!);
}

test('a page tells the version of the package', () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  expect(AGENT).toBe(`kindred ${version} browser`);
});

describe.skipIf(!chromium)('a participant in a page', () => {
  test('two tabs and ten participants on Node come to the models of twelve on Node, to the bit', async () => {
    const table = makeHarLike({ participants: 12, rowsPerParticipant: 40, features: 12 });
    const options = { minParticipants: 12, stop: QUICK.stop };
    const reference = federations.onNode(await federations.start(options), {}, table, table.participants);
    for (const { done } of reference) await done;
    const server = await federations.start(options);
    const tabs: Tab[] = [];
    for (const participant of ['1', '2']) {
      const tab = await Tab.open(await pages.context(), server.url);
      await tab.join(table, { participant });
      tabs.push(tab);
    }
    const others = federations.onNode(server, {}, table, table.participants.slice(2));
    for (const { done } of others) expect((await done).reason).toBe('gap');
    const models: (string | undefined)[] = [];
    for (const tab of tabs) {
      expect(await tab.outcome()).toMatchObject({ result: { reason: 'gap' } });
      models.push(await tab.model());
    }
    expect([...models, ...others.map(fileOf)]).toEqual(reference.map(fileOf));
  });

  test.each([
    ['classification', TABLE, {}],
    ['regression', makeRegression({ tasks: 3, rows: 40, features: 8 }), { objective: 'regression' }],
  ] as const)('%s: the simulator comes to the same bits', async (_, table, objective) => {
    const train = { ...objective, gap: 1e-6, rounds: 40, testFraction: 0 };
    const simulation = new Simulation(planFor(table, train)).run();
    const server = await federations.start(
      optionsLike(train, { minParticipants: table.participants.length }),
    );
    const tab = await Tab.open(await pages.context(), server.url);
    const [first] = table.participants;
    await tab.join(table, { participant: first });
    for (const { done } of federations.onNode(server, {}, table)) await done;
    expect(await tab.outcome()).toMatchObject({ result: { reason: 'gap' } });
    const model = JSON.parse((await tab.model())!) as Pick<Model, 'w'>;
    const simulated = simulation.participants.get(first)!.disk!.model!;
    expect([...model.w]).toEqual([...simulated.w]);
    expect(simulated.w.some((value) => value !== 0)).toBe(true);
  });

  test('its traffic is what the browser sends', async () => {
    const server = await federations.start({ stop: QUICK.stop });
    const tab = await Tab.open(await pages.context(), server.url);
    const bodies: number[] = [];
    tab.page.on('request', (request) => {
      const body = request.postDataBuffer();
      if (body) bodies.push(body.length);
    });
    const frames: number[] = [];
    tab.page.on('websocket', (socket) =>
      socket.on('framesent', ({ payload }) => frames.push(Buffer.from(payload).length)),
    );
    await tab.join(TABLE, { participant: '1' });
    for (const { done } of federations.onNode(server)) await done;
    await tab.outcome();
    const { sent, sentBytes, receivedBytes } = await tab.traffic();
    expect([sent.challenge.bytes, sent.session.bytes]).toEqual(bodies);
    const { challenge: _c, session: _s, ...messages } = sent;
    const total = (some: readonly number[]) => some.reduce((sum, bytes) => sum + bytes, 0);
    const all = Object.values(messages);
    expect(total(all.map(({ count }) => count))).toBe(frames.length);
    expect(total(all.map(({ bytes }) => bytes))).toBe(total(frames));
    expect(sentBytes).toBe(total(bodies) + total(frames));
    expect(receivedBytes).toBeGreaterThan(0);
  });
});
