/** What happens to pages: reloads, lost connections, second tabs, cleared storage, deadlines, new deployments. Chromium and server are real. */
import { describe, expect, test } from 'vitest';
import { DEFAULT_SECURE } from '../../src/coordinator/options.ts';
import { chromium } from '../helpers/chromium.ts';
import { Tab } from '../helpers/page-participant.ts';
import { PageTest } from '../helpers/pages.ts';
import { QUICK, until } from '../helpers/server.ts';
import {
  base,
  joined,
  roundOf,
  rounds,
  SLOWLY,
  TABLE,
  TabFederations,
  takesPart,
} from '../helpers/tab-federation.ts';
import { useBuilt } from '../node/client/helpers.ts';

useBuilt();
const federations = new TabFederations();
const pages = new PageTest();

describe.skipIf(!chromium)('the life of a page', () => {
  test('a reload in mid-round goes on from the state, with the same key', async () => {
    const server = await federations.start();
    federations.onNode(server);
    // Slow enough to be caught while it solves.
    const tab = await joined(await pages.context(), server.url, { slowdown: 2000 });
    await until(async () => (await tab.status()).phase === 'solving', 'a solve');
    await tab.load();
    await tab.join(TABLE, { participant: '1' });
    await takesPart(tab);
    expect((await tab.events()).filter(({ type }) => type === 'bad frame')).toEqual([]);
    expect(await tab.role()).toBe('leader');
  });

  test('offline for three rounds, and back', async () => {
    // The server does not learn at once that the device is gone.
    const server = await federations.start({ waiting: { kind: 'fixed', ms: 500 } });
    federations.onNode(server, SLOWLY);
    const context = await pages.context();
    const tab = await joined(context, server.url);
    await takesPart(tab);
    await context.setOffline(true);
    await tab.seen('lost');
    await rounds(server, 3);
    const missed = await base(tab);
    expect(roundOf(server)).toBeGreaterThanOrEqual(missed + 3);
    await context.setOffline(false);
    await tab.seen('connected', 2);
    await takesPart(tab);
    expect(await base(tab)).toBeGreaterThan(missed + 3);
  });

  test('a server that does not respond any more is noticed, and one that comes back is found', async () => {
    const server = await federations.start();
    federations.onNode(server, SLOWLY);
    const tab = await joined(await pages.context(), server.url, {
      timing: { pingMs: 100, retryFromMs: 20, retryMostMs: 200 },
    });
    await takesPart(tab);
    const connection = server.federation('default').connections.get('1')!;
    // As on a connection that a router has forgotten: nothing arrives, nothing is said.
    (connection as unknown as { socket: { pause(): void } }).socket.pause();
    await tab.seen('lost');
    await tab.seen('connected', 2);
    await takesPart(tab);
    expect((await tab.traffic()).sent.ping.count).toBeGreaterThan(0);
  });

  test('a tab that sleeps through rounds is a straggler, and no more', async () => {
    const server = await federations.start({ waiting: { kind: 'fixed', ms: 300 } });
    federations.onNode(server, SLOWLY);
    const tab = await joined(await pages.context(), server.url);
    await takesPart(tab);
    const asleep = await base(tab);
    await tab.page.workers()[0].evaluate(() => {
      const until = performance.now() + 3000;
      while (performance.now() < until);
    });
    await until(() => roundOf(server) > asleep + 3, 'rounds without the tab');
    await takesPart(tab);
    expect(await tab.role()).toBe('leader');
    expect((await tab.events()).filter(({ type }) => type === 'bad frame')).toEqual([]);
  });

  test('a deadline interrupts a solve, and what there is counts', async () => {
    const server = await federations.start({ waiting: { kind: 'fixed', ms: 400 } });
    federations.onNode(server);
    // A whole solve would take minutes.
    const tab = await joined(await pages.context(), server.url, { slowdown: 100_000 });
    await takesPart(tab);
    const solved = (await tab.events()).flatMap((event) => (event.type === 'solved' ? [event] : []));
    for (const { computeMs } of solved) expect(computeMs).toBeLessThan(5000);
  });

  test('a new deployment takes the scripts away: who takes part goes on, calibrates and ends', async () => {
    const server = await federations.start({ stop: QUICK.stop });
    const context = await pages.context();
    const tab = await joined(context, server.url, { probabilities: true });
    await tab.seen('connected');
    await context.route(/\.js$/, (route) => route.fulfill({ status: 404 }));
    federations.onNode(server);
    const outcome = await tab.outcome();
    expect(outcome).toMatchObject({ result: { reason: 'gap' } });
    expect('result' in outcome && outcome.result.calibration).toBeDefined();
  });

  test('a page takes part in secure aggregation', async () => {
    const server = await federations.start({ stop: QUICK.stop, secure: DEFAULT_SECURE });
    const tab = await joined(await pages.context(), server.url, { secure: true });
    federations.onNode(server, { secure: true });
    expect(await tab.outcome()).toMatchObject({ result: { reason: 'gap' } });
    expect(Object.keys((await tab.traffic()).sent)).toContain('masked');
  });
});

describe.skipIf(!chromium)('the state of a page', () => {
  test('storage that is cleared ends it, and the name stays taken', async () => {
    const server = await federations.start();
    federations.onNode(server, SLOWLY);
    const context = await pages.context();
    const tab = await joined(context, server.url);
    await takesPart(tab);
    const session = await context.newCDPSession(tab.page);
    await session.send('Storage.clearDataForOrigin', { origin: server.url, storageTypes: 'all' });
    expect(await tab.outcome()).toMatchObject({ code: 'STATE_LOST' });
    await tab.load();
    await tab.join(TABLE, { participant: '1' });
    expect(await tab.outcome()).toMatchObject({ code: 'NAME_TAKEN' });
  });

  test('a browser that does not store keys of WebCrypto stores bytes, and goes on with them', async () => {
    const server = await federations.start();
    federations.onNode(server, SLOWLY);
    const context = await pages.context();
    // As private windows of Firefox do.
    const script = await (await fetch(`${server.url}/kindred.js`)).text();
    const [worker] = /assets\/participant-worker[\w-]+\.js/.exec(script)!;
    const text = await (await fetch(`${server.url}/${worker}`)).text();
    const refuse = `const put = IDBObjectStore.prototype.put;
      IDBObjectStore.prototype.put = function (value, key) {
        if (value.key instanceof CryptoKey) throw new DOMException('no keys', 'DataCloneError');
        return put.call(this, value, key);
      };`;
    await context.route(`${server.url}/${worker}`, (route) =>
      route.fulfill({ contentType: 'text/javascript', body: `${text}\n${refuse}` }),
    );
    const tab = await joined(context, server.url);
    await takesPart(tab);
    await tab.load();
    await tab.join(TABLE, { participant: '1' });
    await takesPart(tab);
    const [kept] = (await tab.page.evaluate(`new Promise((resolve) => {
      indexedDB.open('kindred participants').onsuccess = ({ target: { result } }) => {
        const request = result.transaction('keys').objectStore('keys').getAll();
        request.onsuccess = () => resolve(request.result.map((key) => Object.keys(key)));
      };
    })`)) as string[][];
    expect(kept.sort()).toEqual(['publicKey', 'secretKey']);
  });

  test('a state that is removed ends it', async () => {
    const server = await federations.start();
    federations.onNode(server, SLOWLY);
    const context = await pages.context();
    const tab = await joined(context, server.url, { state: 'mine' });
    await takesPart(tab);
    const other = await Tab.open(context, server.url);
    await other.page.evaluate('kindred.removeState("mine")');
    expect(await tab.outcome()).toMatchObject({ code: 'STATE_LOST' });
    expect(await other.page.evaluate('kindred.savedStates()')).toEqual([]);
  });

  test('a state of another version is refused, and left as it is', async () => {
    const server = await federations.start();
    const tab = await joined(await pages.context(), server.url, { state: 'mine' });
    await tab.seen('connected');
    await tab.call('close');
    await tab.page.evaluate(`new Promise((resolve) => {
      indexedDB.open('kindred participants').onsuccess = ({ target: { result } }) => {
        const change = result.transaction('states', 'readwrite');
        change.objectStore('states').put({ version: 99 }, ['mine', '']);
        change.oncomplete = resolve;
      };
    })`);
    await tab.join(TABLE, { participant: '1', state: 'mine' });
    expect(await tab.outcome()).toMatchObject({ code: 'STORED_VERSION' });
    expect(await tab.page.evaluate('kindred.savedStates()')).toMatchObject([{ name: 'mine' }]);
  });
});
