/** The dashboard against a real server with real connections: it shows what happens, and nothing twice. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { CoordinatorServer } from '../../src/node/server/server.ts';
import { chromium } from '../helpers/chromium.ts';
import { expectQuiet, LONG, PATIENCE, rowsOfChart, sees, statOf, view } from '../helpers/dashboard.ts';
import { PageTest } from '../helpers/pages.ts';
import { operate, QUICK, ServerTest, until } from '../helpers/server.ts';
import { Trainer } from '../helpers/ws-trainer.ts';

const servers = new ServerTest();
const pages = new PageTest();
const HOME = '/v1/federations/default';
/** Rounds without end. */
const ENDLESS = { ...QUICK, stop: { ...QUICK.stop, gap: 0, rounds: 1e6 } };

async function joinAll(server: CoordinatorServer, ...trainers: Trainer[]): Promise<void> {
  for (const trainer of trainers) await trainer.join(server.url);
}

/** The rounds that the server has closed, once it stands still. */
async function rounds(server: CoordinatorServer): Promise<number[]> {
  const { json } = await operate(server, `${HOME}/history`);
  return (json as { round: number }[]).map(({ round }) => round);
}

async function expectRows(page: Page, server: CoordinatorServer): Promise<void> {
  const wanted = (await rounds(server)).length;
  await until(async () => (await rowsOfChart(page, 'Relative duality gap')) === wanted, `${wanted} rounds`);
}

describe.skipIf(!chromium)('the dashboard', LONG, () => {
  test('shows a federation from its first participant to its end', async () => {
    const server = await servers.start({}, QUICK);
    const viewer = await view(pages, server, { hash: '#/federations/default' });
    const { page } = viewer;
    await sees(page, 'Training starts when 2 participants have joined: 0 so far.');
    await sees(page, 'Nobody has joined yet');
    const trainers = [new Trainer('ada'), new Trainer('ben', 20)];
    await joinAll(server, trainers[0]);
    await sees(page, 'Training starts when 2 participants have joined: 1 so far.');
    await joinAll(server, trainers[1]);
    for (const trainer of trainers) await trainer.finished;
    await sees(page, 'The target gap is reached.');
    const all = await rounds(server);
    await until(async () => (await statOf(page, 'Round')) === String(all.at(-1)), 'the last round');
    await expectRows(page, server);
    for (const name of ['ada', 'ben'])
      await page.getByRole('button', { name, exact: true }).waitFor(PATIENCE);
    expect(await page.title()).toBe('default · Kindred');
    expectQuiet(viewer);
  });

  test('lists the own metric before and after personalising, and failures by code', async () => {
    const server = await servers.start({}, ENDLESS);
    const [ada, ben] = [new Trainer('ada'), new Trainer('ben')];
    ada.tests = { shared: 0.853, own: 0.914 };
    // A round that is not answered is sent again; the failure is reported once.
    let hasFailed = false;
    ben.mayAnswer = (round) => {
      if (round < 3) return true;
      if (!hasFailed) ben.link!.send({ kind: 'fault', session: ben.session, round, code: 'OUT_OF_MEMORY' });
      hasFailed = true;
      return false;
    };
    const viewer = await view(pages, server, { hash: '#/federations/default' });
    const { page } = viewer;
    await joinAll(server, ada, ben);
    const cellsOf = async (name: string) => {
      const titles = await page.locator('.table thead th').allInnerTexts();
      const row = page.getByRole('row').filter({ has: page.getByRole('button', { name, exact: true }) });
      const cells = await row.locator('td').allInnerTexts();
      return Object.fromEntries(titles.map((title, i) => [title.trim(), cells[i]?.trim()]));
    };
    await until(async () => (await cellsOf('ben')).Fault === 'OUT_OF_MEMORY', 'the code of the failure');
    expect(await cellsOf('ada')).toMatchObject({ Before: '85.3%', After: '91.4%', Fault: '' });
    expect(await cellsOf('ben')).toMatchObject({ Before: '–', After: '–' });
    await sees(page, 'OUT_OF_MEMORY 1');
    await page.getByRole('button', { name: 'ada', exact: true }).click();
    await sees(page, 'Balanced accuracy, own model');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Faults (1)' }).click();
    await page.getByRole('button', { name: 'ada', exact: true }).waitFor({ state: 'detached' });
    expectQuiet(viewer);
  });

  test('lists federations, and follows one from there and back', async () => {
    const server = await servers.start({}, QUICK);
    await server.create('wards', QUICK);
    const viewer = await view(pages, server);
    const { page } = viewer;
    await sees(page, '2 federations, 0 training, 0 participants connected');
    await page.getByRole('link', { name: 'wards' }).click();
    await page.getByRole('heading', { name: 'wards', level: 1 }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Federations', level: 1 }).waitFor();
    await server.remove('wards');
    await sees(page, '1 federation, 0 training');
    expectQuiet(viewer);
  });

  test('reconnects to a server that was restarted, and shows no round twice', async () => {
    const store = servers.newStore();
    const first = await servers.start({ store }, ENDLESS);
    const { page, complaints } = await view(pages, first, { hash: '#/federations/default' });
    const trainers = [new Trainer('ada'), new Trainer('ben', 20)];
    await joinAll(first, ...trainers);
    await until(() => first.federation('default').host.state.round > 5, 'some rounds');
    await operate(first, `${HOME}/pause`, { method: 'POST' });
    await sees(page, 'Paused: no round closes');
    await expectRows(page, first);
    const port = Number(new URL(first.url).port);
    await first.close();
    await sees(page, 'What you see may be out of date.');
    const second = await servers.start({ store, port }, ENDLESS);
    const before = (await rounds(second)).length;
    await page.locator('.banner', { hasText: 'out of date' }).waitFor({ state: 'detached', ...PATIENCE });
    await joinAll(second, ...trainers);
    await operate(second, `${HOME}/resume`, { method: 'POST' });
    await until(async () => (await rounds(second)).length > before + 3, 'more rounds');
    await operate(second, `${HOME}/pause`, { method: 'POST' });
    await sees(page, 'Paused: no round closes');
    await expectRows(page, second);
    expect(await page.locator('.table-name').allInnerTexts()).toEqual(['ada', 'ben']);
    expect(complaints).toEqual([]);
  });

  test('says so when a federation is not there, and when it is deleted under its eyes', async () => {
    const server = await servers.start({}, QUICK);
    const missing = await view(pages, server, { hash: '#/federations/nowhere' });
    await sees(missing.page, 'There is no federation named nowhere');
    const { page } = await view(pages, server, { hash: '#/federations/default' });
    await page.getByRole('heading', { name: 'default', level: 1 }).waitFor();
    await server.remove('default');
    await sees(page, 'default was deleted');
    const lost = await view(pages, server, { hash: '#/nonsense' });
    await sees(lost.page, 'There is no such page');
  });

  test('begins anew when another federation has taken the name', async () => {
    const store = servers.newStore();
    const first = await servers.start({ store }, QUICK);
    const { page } = await view(pages, first, { hash: '#/federations/default' });
    const trainers = [new Trainer('ada'), new Trainer('ben', 20)];
    await joinAll(first, ...trainers);
    for (const trainer of trainers) await trainer.finished;
    await sees(page, 'The target gap is reached.');
    const port = Number(new URL(first.url).port);
    await first.close();
    const second = await servers.start({ port }, QUICK);
    await sees(page, 'Training starts when 2 participants have joined: 0 so far.');
    await sees(page, 'Nobody has joined yet');
    await sees(page, 'No round has closed yet');
    expect((await rounds(second)).length).toBe(0);
  });

  test('lays runs of two federations over each other', async () => {
    const server = await servers.start({}, QUICK);
    await server.create('wards', QUICK);
    for (const federation of ['default', 'wards']) {
      const trainers = [new Trainer('ada'), new Trainer('ben', 20)];
      for (const trainer of trainers) await trainer.join(server.url, { federation });
      for (const trainer of trainers) await trainer.finished;
    }
    await operate(server, '/v1/federations/wards/recount', { method: 'POST' });
    await until(() => server.federation('wards').host.state.phase === 'finished', 'the second run');
    const viewer = await view(pages, server, { hash: '#/compare?run=default:1&run=wards:1' });
    const { page } = viewer;
    await sees(page, 'In numbers');
    const runs = page.getByRole('region', { name: 'Runs in numbers' }).locator('tbody tr');
    expect(await runs.count()).toBe(2);
    await page.getByRole('group', { name: 'wards' }).getByLabel('Run 2').check();
    await until(async () => (await runs.count()) === 3, 'the third run');
    expect(new URL(page.url()).hash).toBe('#/compare?run=default:1&run=wards:1&run=wards:2');
    expectQuiet(viewer);
  });

  test('lists reports of kindred reproduce, and opens one in a tab that runs nothing', async () => {
    const folder = join(servers.folder, 'reports');
    mkdirSync(join(folder, 'quick'), { recursive: true });
    const claim = '<img src=x onerror="window.pwned=1">';
    const style = '<style>p { color: rgb(1, 2, 3) }</style><script>document.title = "pwned"</script>';
    writeFileSync(
      join(folder, 'quick/report.html'),
      `<!doctype html><title>Report</title>${style}<p>text</p>`,
    );
    const verdict = { id: 'c1', section: '4', claim, measured: ['1.3 times'], verdict: 'holds' };
    writeFileSync(join(folder, 'quick/verdicts.json'), JSON.stringify([verdict]));
    const server = await servers.start({ reports: folder, loopback: false }, QUICK);
    const viewer = await view(pages, server, { hash: '#/reports', token: server.operatorToken });
    const { page, context } = viewer;
    await page.getByRole('link', { name: 'quick' }).click();
    await page.getByRole('heading', { name: claim }).waitFor();
    const [tab] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('button', { name: 'Open the report' }).click(),
    ]);
    await tab.waitForURL(/\/reports\/[\w-]{24}\/report\.html$/, PATIENCE);
    const text = tab.locator('p', { hasText: 'text' });
    await text.waitFor(PATIENCE);
    expect(await text.evaluate((element) => getComputedStyle(element).color)).toBe('rgb(1, 2, 3)');
    expect(await tab.title()).toBe('Report');
    expectQuiet(viewer);
  });
});
