/** What operators do on the dashboard, end to end: who may, and what comes of it on the server. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { CoordinatorServer } from '../../src/node/server/server.ts';
import { chromium } from '../helpers/chromium.ts';
import { choose, expectQuiet, expectToast, LONG, PATIENCE, sees, view } from '../helpers/dashboard.ts';
import { PageTest } from '../helpers/pages.ts';
import { operate, PATIENT, QUICK, ServerTest, until } from '../helpers/server.ts';
import { Trainer } from '../helpers/ws-trainer.ts';

const servers = new ServerTest();
const pages = new PageTest();
const DEFAULT = '#/federations/default';
const ENDLESS = { ...QUICK, stop: { ...QUICK.stop, gap: 0, rounds: 1e6 } };

const stateOf = (server: CoordinatorServer) => server.federation('default').host.state;

async function tokenOf(server: CoordinatorServer, role: string): Promise<string> {
  const { json } = await operate(server, '/v1/tokens', { body: { name: `of-${role}`, role } });
  return json.token;
}

async function logged(server: CoordinatorServer): Promise<string> {
  return (await operate(server, '/v1/audit-log')).text;
}

async function signIn(page: Page, token: string): Promise<void> {
  const form = page.locator('form', { has: page.getByLabel('Token', { exact: true }) });
  await form.getByLabel('Token', { exact: true }).fill(token);
  await form.getByRole('button', { name: 'Sign in' }).click();
}

describe.skipIf(!chromium)('access', LONG, () => {
  test('on a network looking needs a token: a wrong one is refused, a good one opens the view', async () => {
    const server = await servers.start({ loopback: false });
    const viewer = await view(pages, server, { hash: DEFAULT });
    const { page } = viewer;
    await sees(page, 'Sign in to look');
    await signIn(page, 'wrong');
    await sees(page, 'The server does not know this token.');
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    await signIn(page, await tokenOf(server, 'read'));
    await page.getByRole('heading', { name: 'default', level: 1 }).waitFor();
    expect(await page.getByRole('button', { name: 'Invite' }).count()).toBe(0);
    // Of this tab alone: neither in its address nor where other tabs would find it.
    expect(await page.evaluate(() => [localStorage.length, document.cookie, location.search])).toEqual([
      0,
      '',
      '',
    ]);
    expectQuiet(viewer);
  });

  test('a token of a role that is too low sees no actions, and is told so where it asks for more', async () => {
    const server = await servers.start({ loopback: false });
    const viewer = await view(pages, server, { hash: '#/audit', token: await tokenOf(server, 'operate') });
    const { page } = viewer;
    await sees(page, 'Your token does not allow this');
    expect(await page.getByRole('link', { name: 'Audit log' }).count()).toBe(0);
    await page.goto(`${server.url}/${DEFAULT}`);
    await page.getByRole('button', { name: 'Invite' }).waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Download the model' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Delete' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.goto(`${server.url}/#/audit`);
    await signIn(page, server.operatorToken);
    await sees(page, 'addToken');
    expectQuiet(viewer);
  });

  test('signing out takes the token out of the tab; a token that is removed signs out', async () => {
    const server = await servers.start({ loopback: false });
    const token = await tokenOf(server, 'operate');
    const { page } = await view(pages, server, { token });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await sees(page, 'Sign in to look');
    expect(await page.evaluate(() => sessionStorage.getItem('kindred.token'))).toBe(null);
    await signIn(page, token);
    await page.getByRole('button', { name: 'New federation' }).waitFor();
    await operate(server, '/v1/tokens/of-operate/remove', { method: 'POST' });
    await page.reload();
    await sees(page, 'Sign in to look');
  });
});

/** Signed in with the operator's token, at a federation with two who train. */
async function atTraining(options = ENDLESS) {
  const server = await servers.start({}, options);
  const trainers = [new Trainer('ada'), new Trainer('ben', 20)];
  for (const trainer of trainers) await trainer.join(server.url);
  const viewer = await view(pages, server, { hash: DEFAULT, token: server.operatorToken });
  await viewer.page.getByRole('button', { name: 'ada', exact: true }).waitFor(PATIENCE);
  return { ...viewer, server, trainers };
}

describe.skipIf(!chromium)('actions', LONG, () => {
  test('create a federation; a refusal stays in the dialog', async () => {
    const server = await servers.start();
    const viewer = await view(pages, server, { token: server.operatorToken });
    const { page } = viewer;
    await page.getByRole('button', { name: 'New federation' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('two words');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await sees(page, 'federation "two words": expected letters');
    await dialog.getByLabel('Name').fill('wards');
    await dialog.getByLabel('Objective').selectOption('regression');
    await dialog.getByLabel('C2').fill('3');
    await dialog.getByText('More options').click();
    await dialog.getByLabel('Options as JSON').fill('{"waiting": {"kind": "share", "share": 2}}');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await sees(page, /options: waiting.share: expected/);
    await dialog.getByLabel('Options as JSON').fill('{"waiting": {"kind": "share", "share": 0.8}}');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'wards', level: 1 }).waitFor(PATIENCE);
    const { options } = server.federation('wards').host.state;
    expect(options).toMatchObject({ objective: 'regression', c2: 3, waiting: { kind: 'share', share: 0.8 } });
    expectQuiet(viewer);
  });

  test('pause and resume', async () => {
    const { server, page } = await atTraining();
    await page.getByRole('button', { name: 'Pause' }).click();
    await sees(page, 'Paused: no round closes');
    expect(stateOf(server).paused).toBe(true);
    await page.getByRole('button', { name: 'Resume' }).click();
    await until(() => !stateOf(server).paused, 'the end of the pause');
    expect(await logged(server)).toMatch(/pauseFederation[\s\S]*resumeFederation/);
  });

  test('change the deadline: from the next round on, also after a restart, and in the audit log', async () => {
    const { server, page } = await atTraining();
    await choose(page, 'Change the deadline');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('A round closes when').selectOption('share');
    await dialog.getByLabel('Share in percent').fill('50');
    await dialog.getByLabel('At most, in seconds').fill('7.5');
    await dialog.getByRole('button', { name: 'Change' }).click();
    await expectToast(page, 'from the next round on');
    const wanted = { waiting: { kind: 'share', share: 0.5 }, maxWaitMs: 7500 };
    await until(() => stateOf(server).options.maxWaitMs === 7500, 'the next round');
    expect(stateOf(server).options).toMatchObject(wanted);
    await sees(page, 'A round stays open until 50% have answered, at most 7.5 s.');
    expect(await logged(server)).toContain('"what":"changeWaiting","target":"default {');
    const store = server.store.name;
    await server.close();
    const again = await servers.start({ store }, ENDLESS);
    expect(stateOf(again).options).toMatchObject(wanted);
  });

  test('invite: the token in the link admits a participant', async () => {
    const server = await servers.start({ enrolment: 'invitation' }, PATIENT);
    const viewer = await view(pages, server, { hash: DEFAULT, token: server.operatorToken });
    const { page } = viewer;
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByLabel('Name of the participant').fill('ada');
    await page.getByRole('button', { name: 'Create invitation' }).click();
    await page.getByRole('img', { name: 'QR code of the invitation link' }).waitFor();
    const link = new URL(await page.getByRole('dialog').locator('.command pre').first().innerText());
    expect(link.href).toMatch(`${server.url}/join/default#invitation=`);
    await sees(page, 'This address works on this machine only.');
    const fields = new URLSearchParams(link.hash.slice(1));
    expect(fields.get('name')).toBe('ada');
    await new Trainer('ada').join(server.url, { invitation: fields.get('invitation')! });
    expect(server.federation('default').connections.has('ada')).toBe(true);
    expectQuiet(viewer);
  });

  test('forget and revoke a participant', async () => {
    const { server, page } = await atTraining();
    await page.getByRole('button', { name: 'ben', exact: true }).click();
    await page.getByRole('button', { name: 'Revoke access' }).click();
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await expectToast(page, 'ben is revoked');
    expect((await server.store.enrolment('default', 'ben'))?.revokedMs).toBeGreaterThan(0);
    await until(() => !server.federation('default').connections.has('ben'), 'the end of the connection');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'ben', exact: true }).click();
    await page.getByRole('button', { name: 'Forget', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Forget', exact: true }).click();
    await expectToast(page, 'ben is forgotten');
    await page.getByRole('button', { name: 'ben', exact: true }).waitFor({ state: 'detached', ...PATIENCE });
    expect([...stateOf(server).members.keys()]).toEqual(['ada']);
  });

  test('finish, reopen and recount', async () => {
    const { server, page } = await atTraining();
    await choose(page, 'End training');
    await page.getByRole('button', { name: 'End training' }).click();
    await sees(page, 'An operator has ended training.');
    expect(stateOf(server).finish).toBe('operator');
    await page.getByRole('button', { name: 'Reopen' }).click();
    await until(() => stateOf(server).phase !== 'finished', 'training');
    await choose(page, 'Ask all again (recount)');
    await page.getByRole('button', { name: 'Recount' }).click();
    await expectToast(page, 'All participants are asked again.');
    expect(await logged(server)).toMatch(/finishFederation[\s\S]*reopenFederation[\s\S]*recountFederation/);
    // What was closed before the end and after it are two runs.
    await page.getByLabel('Run', { exact: false }).first().waitFor(PATIENCE);
    expect(await page.locator('.run-choice option').first().innerText()).toMatch(/^2, the last/);
  });

  test('download the model and the history', async () => {
    const { server, page } = await atTraining(QUICK);
    await sees(page, 'The target gap is reached.');
    const fetched = async (item: string) => {
      const [file] = await Promise.all([page.waitForEvent('download'), choose(page, item)]);
      return [file.suggestedFilename(), readFileSync(await file.path(), 'utf8')] as const;
    };
    const [modelName, model] = await fetched('Download the model');
    expect(modelName).toBe('default-model.json');
    expect(JSON.parse(model)).toEqual((await operate(server, '/v1/federations/default/model')).json);
    const [historyName, history] = await fetched('Download the history (CSV)');
    expect(historyName).toBe('default-history.csv');
    expect(history).toBe((await operate(server, '/v1/federations/default/history?format=csv')).text);
  });

  test('delete: only after its name was typed', async () => {
    const { server, page } = await atTraining();
    await choose(page, 'Delete');
    const button = page.getByRole('button', { name: 'Delete for good' });
    expect(await button.isDisabled()).toBe(true);
    await page.getByLabel('Type default to confirm').fill('default');
    await button.click();
    await sees(page, 'No federation yet');
    expect(server.federations.size).toBe(0);
  });
});
