/** What goes wrong around the participant's page, and what it makes of that: every state says what has happened and leaves a way on. */
import { parquetWriteBuffer } from 'hyparquet-writer';
import type { BrowserContext } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import type { Participation } from '../../src/client/participation-options.ts';
import type { CoordinatorOptions } from '../../src/coordinator/options.ts';
import { makeHarLike } from '../../src/data/generate-har.ts';
import { rowsOfParticipant } from '../../src/data/participants.ts';
import type { CoordinatorServer } from '../../src/node/server/server.ts';
import { chromium } from '../helpers/chromium.ts';
import { FaultyProxy } from '../helpers/faulty-proxy.ts';
import { csvOf, JoinTab } from '../helpers/join-page.ts';
import { PageTest } from '../helpers/pages.ts';
import { operate, QUICK, ServerTest, until } from '../helpers/server.ts';
import { joinAs, temporaryFolder, useBuilt } from '../node/client/helpers.ts';

useBuilt();
const servers = new ServerTest();
const pages = new PageTest(['--host-resolver-rules=MAP kindred.test 127.0.0.1']);
const folder = temporaryFolder();
const running: Participation[] = [];
const proxies: FaultyProxy[] = [];
let folders = 0;

const table = makeHarLike({ participants: 3, rowsPerParticipant: 40, features: 12 });
const OPTIONS: CoordinatorOptions = { ...QUICK, minParticipants: 3 };
/** Rounds go on until somebody says stop. */
const ENDLESS: CoordinatorOptions = { ...OPTIONS, stop: { ...QUICK.stop, gap: 0, rounds: 100_000 } };

afterEach(async () => {
  for (const participation of running.splice(0)) await participation.close();
  for (const proxy of proxies.splice(0)) await proxy.stop();
});

function others(server: CoordinatorServer): void {
  for (const id of ['2', '3']) {
    const stateFolder = `${folder}/${folders++}`;
    const participation = joinAs(server, table, id, { stateFolder, keepGoing: true });
    participation.done.catch(() => {});
    running.push(participation);
  }
}

function roundOf(server: CoordinatorServer): number {
  return server.federation('default').host.state.round;
}

/** As the page shows it. */
async function shownRound(tab: JoinTab): Promise<number> {
  const badge = tab.page.locator('.standing .badge', { hasText: /^Round/ });
  return Number((await badge.innerText()).replace(/\D/g, ''));
}

async function goesOn(tab: JoinTab): Promise<void> {
  const before = await shownRound(tab);
  await until(async () => (await shownRound(tab)) > before + 1, 'rounds in the page');
}

interface Visit {
  readonly context?: BrowserContext;
  /** Where a proxy is in between. */
  readonly url?: string;
}

async function takingPart(server: CoordinatorServer, { context, url }: Visit = {}): Promise<JoinTab> {
  const tab = await JoinTab.open(context ?? (await pages.context()), url ?? server.url);
  await tab.join(table, '1');
  others(server);
  await tab.text('Your model says').waitFor();
  return tab;
}

describe.skipIf(!chromium)('connections', { timeout: 120_000 }, () => {
  test('offline for three rounds: the page says so, keeps its model, and goes on by itself', async () => {
    const server = await servers.start({}, ENDLESS);
    const context = await pages.context();
    const proxy = await FaultyProxy.start(Number(new URL(server.url).port));
    proxies.push(proxy);
    const tab = await takingPart(server, { context, url: proxy.url });
    await context.setOffline(true);
    // Chromium's emulation leaves open connections alone, as no cable does that is pulled.
    proxy.resetAll();
    await tab.heading('This device is offline').waitFor();
    const left = roundOf(server);
    await until(() => roundOf(server) >= left + 3, 'three rounds without it');
    expect(await shownRound(tab)).toBeLessThan(left + 2);
    expect((await tab.download()).name).toBe('1.json');
    await context.setOffline(false);
    await tab.page.getByText('Connected', { exact: true }).waitFor();
    await goesOn(tab);
  });

  test('a server that restarts: the page waits for it, and training comes to its end', async () => {
    const store = servers.newStore();
    const first = await servers.start({ store }, OPTIONS);
    const tab = await JoinTab.open(await pages.context(), first.url);
    await tab.join(table, '1');
    await tab.text('2 more people').waitFor();
    const port = Number(new URL(first.url).port);
    await first.close();
    await tab.heading('The server does not answer').waitFor();
    const second = await servers.start({ store, port }, OPTIONS);
    others(second);
    await tab.ready();
    await second.close();
    await tab.text('Not connected').waitFor();
    await tab.heading('Your model is ready').waitFor();
  });

  test('a server that cannot be reached when the page opens is asked again', async () => {
    const server = await servers.start({}, OPTIONS);
    const context = await pages.context();
    await context.route('**/announcement', (route) => route.abort());
    const tab = await JoinTab.open(context, server.url);
    expect(await tab.alert()).toContain('The server does not answer');
    await context.unroute('**/announcement');
    await tab.heading('Take part in default').waitFor();
  });

  test('a federation that does not exist', async () => {
    const server = await servers.start({}, OPTIONS);
    const tab = await JoinTab.open(await pages.context(), server.url, 'nobody');
    expect(await tab.alert()).toContain('This federation does not exist');
  });

  test('one that is deleted while somebody takes part: the model stays', async () => {
    const server = await servers.start({}, ENDLESS);
    const tab = await takingPart(server);
    await server.remove('default');
    await tab.heading('This federation was deleted').waitFor();
    expect((await tab.download()).text).toContain('kindred-model');
  });

  test('somebody who is removed by the operator is told', async () => {
    const server = await servers.start({}, ENDLESS);
    const tab = await takingPart(server);
    const { status } = await operate(server, '/v1/federations/default/participants/1/revoke', {
      method: 'POST',
    });
    expect(status).toBeLessThan(300);
    await tab.heading('You were removed from this federation').waitFor();
    expect((await tab.download()).text).toContain('kindred-model');
  });
});

describe.skipIf(!chromium)('data', { timeout: 120_000 }, () => {
  test('a file that is none says why; the right one takes its place', async () => {
    const server = await servers.start({}, { ...OPTIONS, minParticipants: 1 });
    const tab = await JoinTab.open(await pages.context(), server.url);
    await tab.giveFile('photo.csv', Uint8Array.of(0x89, 0, 0, 0, 1, 2, 3));
    expect(await tab.alert()).toContain('binary data');
    expect(await tab.button('Join').isDisabled()).toBe(true);
    await tab.giveFile('empty.csv', '');
    await tab.page.getByRole('alert').getByText('empty', { exact: false }).waitFor();
    await tab.join(table, '1');
    await tab.ready();
  });

  test('Parquet, whose reader is loaded with the first such file', async () => {
    const server = await servers.start({}, { ...OPTIONS, minParticipants: 1 });
    const tab = await JoinTab.open(await pages.context(), server.url);
    const own = rowsOfParticipant(table, '1')!;
    const d = own.features.length;
    const columnData = [
      ...own.features.map((name, j) => ({
        name,
        data: Array.from({ length: own.n }, (_, i) => own.x[i * d + j]),
      })),
      { name: 'y', data: [...own.targets!] },
    ];
    await tab.giveFile('1.parquet', new Uint8Array(parquetWriteBuffer({ columnData })));
    await tab.page.locator('.stat', { hasText: 'Columns' }).getByText('12', { exact: true }).waitFor();
    await tab.button('Join').click();
    await tab.ready();
  });

  test('other columns than those of the others: says which, and another file helps', async () => {
    const server = await servers.start({}, OPTIONS);
    others(server);
    await until(() => server.federation('default').connections.size === 2, 'the others');
    const tab = await JoinTab.open(await pages.context(), server.url);
    await tab.giveFile('1.csv', csvOf(table, '1').replace('x1,', 'z1,'));
    await tab.text('Columns to learn from').waitFor();
    await tab.button('Join').click();
    expect(await tab.alert()).toContain('without "x1", with "z1"');
    await tab.join(table, '1');
    await tab.ready();
  });

  test('choices about a file: target, own rows, columns left out', async () => {
    const server = await servers.start({}, { ...OPTIONS, minParticipants: 1 });
    const tab = await JoinTab.open(await pages.context(), server.url);
    const rows = Array.from(
      { length: 30 },
      (_, i) => `${i < 20 ? 'ada' : 'ben'};${i};${i % 7},5;${i % 2 ? 'a' : 'b'}`,
    );
    await tab.giveFile('all.csv', `person;id;size;kind\n${rows.join('\n')}\n`);
    await tab.text('Columns to learn from').waitFor();
    // Decimal commas, the column that says whose row it is, and the target were guessed.
    expect(await tab.page.getByLabel('Decimals').inputValue()).toBe('comma');
    expect(await tab.page.getByLabel('Whose rows').inputValue()).toBe('person');
    expect(await tab.page.getByLabel('Column to predict').inputValue()).toBe('kind');
    await tab.page.getByLabel('I am').selectOption('ada');
    await tab.page.locator('.stat', { hasText: 'Rows' }).getByText('20', { exact: true }).waitFor();
    await tab.button('id').click();
    await tab.page.locator('.stat', { hasText: 'Columns' }).getByText('1', { exact: true }).waitFor();
    await tab.page.getByLabel('Column to predict').selectOption('size');
    await tab.text('7 classes').waitFor();
  });
});

describe.skipIf(!chromium)('invitations and storage', { timeout: 120_000 }, () => {
  test('expired, of another federation, used: each is said, and a new one helps', async () => {
    const server = await servers.start({ enrolment: 'invitation' }, { ...OPTIONS, minParticipants: 1 });
    const [expired] = await server.invite('default', { lifetimeMs: 1 });
    const [used, good] = await server.invite('default', { count: 2 });
    const someone = await JoinTab.open(await pages.context(), server.url, `default#invitation=${used.token}`);
    await someone.join(table, '2');
    await someone.ready();
    const link = `default#invitation=${expired.token}&name=ada`;
    const tab = await JoinTab.open(await pages.context(), server.url, link);
    await tab.giveFile('1.csv', csvOf(table, '1'));
    expect(await tab.page.getByLabel('Name', { exact: true }).isEditable()).toBe(false);
    await tab.text('Columns to learn from').waitFor();
    await tab.button('Join').click();
    expect(await tab.alert()).toContain('It has expired');
    const paste = async (text: string) => {
      await tab.page.getByLabel('Invitation link').fill(text);
      await tab.button('Use this invitation').click();
    };
    for (const [token, words] of [
      [used.token, 'It has been used'],
      ['A'.repeat(43), 'not one of this federation'],
    ]) {
      await paste(token);
      await tab.button('Join').click();
      await tab.page.getByRole('alert').getByText(words).first().waitFor();
    }
    await tab.name('1');
    await paste('what is this?');
    expect(await tab.text('This is not an invitation').isVisible()).toBe(true);
    await paste(`${server.url}/join/default#invitation=${good.token}&name=1`);
    await tab.button('Join').click();
    await tab.ready();
  });

  test('storage that is wiped while it takes part: said, the name is gone with the key, and another one works', async () => {
    const server = await servers.start({}, ENDLESS);
    const context = await pages.context();
    const tab = await takingPart(server, { context });
    const session = await context.newCDPSession(tab.page);
    await session.send('Storage.clearDataForOrigin', { origin: server.url, storageTypes: 'all' });
    await tab.heading('The storage of this page was deleted').waitFor();
    await tab.button('Delete and start over').click();
    await tab.text('Drop a table here').waitFor();
    await tab.join(table, '1');
    expect(await tab.alert()).toContain('This name is taken');
    await tab.button('Choose another name').click();
    await tab.page.keyboard.type('somebody else');
    await tab.button('Join').click();
    await tab.text('Your model says').waitFor();
  });

  test('a key that is gone while the page keeps the rest: the name is said to be taken, and another one works', async () => {
    const server = await servers.start({}, ENDLESS);
    const tab = await takingPart(server);
    await until(async () => (await shownRound(tab)) > 5, 'a history that is kept');
    await tab.page.goto(`${server.url}/kindred.js`);
    await tab.page.evaluate(
      () =>
        new Promise((resolve) => {
          indexedDB.deleteDatabase('kindred participants').onsuccess = resolve;
        }),
    );
    await tab.page.goto(`${server.url}/join/default`);
    expect(await tab.alert()).toContain('This name is taken');
    await tab.button('Choose another name').click();
    await tab.join(table, '1');
    expect(await tab.alert()).toContain('This name is taken');
    await tab.name('somebody else');
    await tab.button('Join').click();
    await tab.text('Your model says').waitFor();
  });

  test('on plain http of another name it says what the browser withholds, and works without', async () => {
    const server = await servers.start(
      { hostNames: ['kindred.test'], enrolment: 'open' },
      { ...OPTIONS, minParticipants: 1 },
    );
    const url = server.url.replace('127.0.0.1', 'kindred.test');
    const tab = await JoinTab.open(await pages.context(), url);
    await tab.text('not encrypted').click();
    await tab.text('kindred').waitFor();
    await tab.text('Coordination of tabs').waitFor();
    await tab.join(table, '1');
    await tab.ready();
  });
});
