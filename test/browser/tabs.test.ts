/** Several tabs of one participant: one takes part, the others show it and take over. With Web Locks, and on plain http without. */
import { describe, expect, test } from 'vitest';
import { chromium } from '../helpers/chromium.ts';
import { PageTest } from '../helpers/pages.ts';
import { until } from '../helpers/server.ts';
import { base, joined, SLOWLY, TABLE, TabFederations, takesPart } from '../helpers/tab-federation.ts';
import { useBuilt } from '../node/client/helpers.ts';

useBuilt();
const federations = new TabFederations();
const pages = new PageTest();
const ways = [
  { way: 'with Web Locks', host: '127.0.0.1', hasLocks: true },
  { way: 'on plain http', host: 'lan.example', hasLocks: false },
];

describe.skipIf(!chromium).each(ways)('tabs $way', ({ host, hasLocks }) => {
  async function start() {
    const server = await federations.start({}, { hostNames: ['lan.example'] });
    federations.onNode(server, SLOWLY);
    const url = `http://${host}:${new URL(server.url).port}`;
    return { server, url, context: await pages.context() };
  }

  test('the second follows, shows the same, and goes on when the first is closed', async () => {
    const { server, url, context } = await start();
    const first = await joined(context, url);
    await takesPart(first);
    const missing = (await first.page.evaluate('kindred.missingFeatures()')) as { name: string }[];
    expect(missing.some(({ name }) => name === 'locks')).toBe(!hasLocks);
    expect(missing.some(({ name }) => name === 'crypto.subtle')).toBe(!hasLocks);
    const second = await joined(context, url);
    await second.seen('solved', 3);
    expect([await first.role(), await second.role()]).toEqual(['leader', 'follower']);
    expect(server.federation('default').connections.size).toBe(3);
    expect(await second.model()).toBeDefined();
    expect((await second.traffic()).sent.answer.count).toBeGreaterThan(1);
    expect((await second.status()).participant).toBe('1');
    await first.page.close();
    await until(async () => (await second.role()) === 'leader', 'the second tab to lead');
    await takesPart(second);
  });

  test('whoever leaves in a follower leaves in all tabs', async () => {
    const { url, context } = await start();
    const first = await joined(context, url);
    await takesPart(first);
    const second = await joined(context, url);
    await second.seen('role');
    await second.call('leave');
    for (const tab of [first, second])
      expect(await tab.outcome()).toMatchObject({ result: { reason: 'left' } });
    expect(await second.model()).toBeDefined();
  });

  test('closing the leader hands over, closing a follower changes nothing', async () => {
    const { url, context } = await start();
    const first = await joined(context, url);
    await takesPart(first);
    const second = await joined(context, url);
    const third = await joined(context, url);
    for (const tab of [second, third]) await tab.seen('role');
    await second.call('close');
    expect(await second.outcome()).toMatchObject({ result: { reason: 'closed' } });
    await takesPart(first);
    await first.call('close');
    expect(await first.outcome()).toMatchObject({ result: { reason: 'closed' } });
    await until(async () => (await third.role()) === 'leader', 'the third tab to lead');
    await takesPart(third);
  });

  test('a reload goes on', async () => {
    const { url, context } = await start();
    const tab = await joined(context, url);
    await takesPart(tab);
    const before = await base(tab);
    await tab.load();
    await tab.join(TABLE, { participant: '1' });
    await until(async () => (await base(tab)) > before + 1, 'accepted answers after the reload');
  });
});

test.skipIf(!chromium)(
  'a leader that was asleep finds that it was replaced, and follows',
  async () => {
    const server = await federations.start({}, { hostNames: ['lan.example'] });
    federations.onNode(server, SLOWLY);
    const url = `http://lan.example:${new URL(server.url).port}`;
    const context = await pages.context();
    const first = await joined(context, url);
    await takesPart(first);
    const second = await joined(context, url);
    await second.seen('role');
    const [worker] = first.page.workers();
    // Its thread stands still, as that of a frozen tab. While it has a transaction open nobody can take over: then it sleeps once more.
    for (let naps = 0; naps < 5 && (await second.role()) !== 'leader'; naps++) {
      await worker.evaluate(() => {
        const until = performance.now() + 9000;
        while (performance.now() < until);
      });
    }
    expect(await second.role()).toBe('leader');
    await until(async () => (await first.role()) === 'follower', 'the first tab to follow');
    await takesPart(second);
    expect((await first.events()).flatMap((event) => (event.type === 'role' ? event.role : []))).toEqual([
      'leader',
      'follower',
    ]);
  },
  120_000,
);

test.skipIf(!chromium)('who comes after the end joins anew, whatever other tabs still show', async () => {
  const server = await federations.start();
  const context = await pages.context();
  const first = await joined(context, server.url, { slowdown: 0 });
  expect(await first.outcome()).toMatchObject({ code: 'BAD_OPTION' });
  const second = await joined(context, server.url);
  await second.seen('connected');
  const third = await joined(context, server.url, { url: 'ftp://nowhere' });
  expect(await third.outcome()).toMatchObject({ code: 'BAD_URL' });
});
