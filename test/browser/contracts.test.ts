/** The contracts of ports, run inside a real Chromium against what the browser has: IndexedDB, Web Locks, fetch and WebSocket. */
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { encode } from '../../src/protocol/codec.ts';
import { chromium } from '../helpers/chromium.ts';
import { PageScripts } from '../helpers/page-script.ts';
import { PageTest } from '../helpers/pages.ts';
import { ServerTest } from '../helpers/server.ts';
import { TestServer } from '../helpers/test-server.ts';

const servers = new ServerTest();
const pages = new PageTest();
const scripts = new PageScripts();
const open: TestServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

/** What the page's script leaves in its global scope: each test of a contract, with the reason why it failed. */
interface Report {
  readonly name: string;
  readonly failure: string | undefined;
}

const RUN = `
  const run = async (contract, make) => {
    const tests = [];
    contract((name, test) => tests.push({ name, test }), make);
    const report = [];
    for (const { name, test } of tests)
      report.push(await test().then(() => ({ name }), (error) => ({ name, failure: String(error?.stack ?? error) })));
    return report;
  };`;

const STATE = `
  import { stateStoreContract } from 'src/check/contracts/state-store.ts';
  import { openDatabase } from 'src/browser/database.ts';
  import { leadAtOnce } from 'src/browser/leadership.ts';
  import { openStateStore } from 'src/browser/state-store.ts';
  import { removeState } from 'src/browser/states.ts';
  ${RUN}
  let places = 0;
  const make = () => {
    const name = 'place ' + places++;
    const open = async (newcomer) => {
      const leadership = await leadAtOnce(name);
      const database = await openDatabase();
      const store = await openStateStore(database, name, leadership.token, newcomer);
      const release = async () => {
        await store.release();
        database.close();
        await leadership.release();
      };
      return {
        place: store.place,
        get file() { return store.file; },
        save: (changes) => store.save(changes),
        rewrite: (changes) => store.rewrite(changes),
        release,
      };
    };
    return { open, close: () => removeState(name) };
  };
  globalThis.report = () => run(stateStoreContract, make);
  /** Every record of the database, after a rewrite without a field that had a value before. */
  globalThis.left = async () => {
    const place = make();
    const store = await place.open({ participant: 'ada', features: ['x'], schema: '', columns: undefined, rows: '' });
    await store.save({ excluded: Float64Array.of(123.456), rows: 'abc' });
    await store.rewrite({ excluded: undefined, rows: 'def' });
    const database = await openDatabase();
    const read = (request) => new Promise((resolve) => { request.onsuccess = () => resolve(request.result); });
    const records = [];
    for (const name of database.objectStoreNames)
      records.push(...await read(database.transaction(name).objectStore(name).getAll()));
    database.close();
    await store.release();
    return records.map((record) => JSON.stringify(record)).join();
  };`;

const TRANSPORT = `
  import { clientTransportContract } from 'src/check/contracts/client-transport.ts';
  import { newIdentity, signerOf } from 'src/browser/identity.ts';
  import { TrafficMeter } from 'src/browser/traffic.ts';
  import { webTransport } from 'src/browser/web-transport.ts';
  import { parseEndpoint } from 'src/client/endpoint.ts';
  ${RUN}
  const { send, received, disconnect, gone, begin } = globalThis;
  const make = async () => {
    await begin();
    return {
      transport: webTransport(parseEndpoint(location.origin), new TrafficMeter(() => {}), { pingMs: 15_000, unanswered: 2 }),
      signer: await signerOf(await newIdentity()),
      send: (frame) => send([...frame]),
      received: async () => Uint8Array.from(await received()),
      disconnect: (code) => disconnect(code),
      gone: () => gone(),
      close: () => {},
    };
  };
  globalThis.report = () => run(clientTransportContract, make);`;

async function reported(page: Page): Promise<Report[]> {
  await page.waitForFunction(() => 'report' in globalThis);
  return page.evaluate(() => (globalThis as unknown as { report: () => Promise<Report[]> }).report());
}

function expectAllGood(report: readonly Report[], least: number): void {
  expect(report.filter(({ failure }) => failure !== undefined)).toEqual([]);
  expect(report.length).toBeGreaterThanOrEqual(least);
}

describe.skipIf(!chromium)('contracts in a page', () => {
  test('state in IndexedDB, with Web Locks', async () => {
    const server = await servers.start();
    const page = await (await pages.context()).newPage();
    await scripts.load(page, server.url, await scripts.bundled(STATE));
    expect(await page.evaluate(() => 'locks' in navigator)).toBe(true);
    expectAllGood(await reported(page), 6);
    const left = (await page.evaluate('left()')) as string;
    expect(left).toContain('def');
    expect(left).not.toMatch(/abc|123\.456/);
  });

  test('state in IndexedDB, where the browser withholds Web Locks: on plain http', async () => {
    const server = await servers.start();
    const page = await (await pages.context()).newPage();
    await scripts.load(page, `http://lan.example:${new URL(server.url).port}`, await scripts.bundled(STATE));
    expect(await page.evaluate(() => 'locks' in navigator)).toBe(false);
    expectAllGood(await reported(page), 6);
  });

  test('fetch and WebSocket', async () => {
    const server = await TestServer.start();
    open.push(server);
    const until = (holds: () => boolean) =>
      new Promise<void>((resolve) => {
        const check = () => (holds() ? resolve() : setImmediate(check));
        check();
      });
    let taken = 0;
    const page = await (await pages.context()).newPage();
    const calls: Record<string, (given: never) => unknown> = {
      begin: async () => {
        server.disconnect();
        await until(() => server.connected === 0);
        taken = server.heard.length;
      },
      send: (frame: number[]) => server.say('ada', Uint8Array.from(frame)),
      received: async () => {
        await until(() => server.heard.length > taken);
        return [...encode(server.heard[taken++].message, 'f64')];
      },
      disconnect: (code: number) => server.disconnect(code),
      gone: () => until(() => server.connected === 0),
    };
    for (const [name, call] of Object.entries(calls)) await page.exposeFunction(name, call);
    await scripts.load(page, server.url, await scripts.bundled(TRANSPORT));
    expectAllGood(await reported(page), 7);
  });
});
