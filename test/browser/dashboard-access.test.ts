/** Whether everybody can use the dashboard: axe-core in each state, light and dark, on a desktop and on a phone; by keyboard alone; at 360 pixels. */
import { describe, expect, test } from 'vitest';
import type { CoordinatorServer } from '../../src/node/server/server.ts';
import { expectAccessible as check, WIDTHS } from '../helpers/accessible.ts';
import { chromium } from '../helpers/chromium.ts';
import { choose, expectQuiet, PATIENCE, sees, view } from '../helpers/dashboard.ts';
import { PageTest } from '../helpers/pages.ts';
import { operate, PATIENT, QUICK, ServerTest, until } from '../helpers/server.ts';
import { Trainer } from '../helpers/ws-trainer.ts';

const servers = new ServerTest();
const pages = new PageTest();
const DEFAULT = '#/federations/default';

async function trained(server: CoordinatorServer): Promise<void> {
  const trainers = [new Trainer('ada'), new Trainer('ben', 20)];
  for (const trainer of trainers) await trainer.join(server.url, { agent: 'kindred 0.1.0 test' });
  for (const trainer of trainers) await trainer.finished;
}

/** axe-core looks at everything on the page, several times in a test. */
const LONG = { timeout: 240_000 };

describe.skipIf(!chromium).each(WIDTHS)('%i pixels wide, in both themes', LONG, (width) => {
  const isPhone = width < 500;
  const look = { viewport: { width, height: 800 }, isMobile: isPhone, hasTouch: isPhone };

  test('views have no serious findings', async () => {
    const server = await servers.start({}, QUICK);
    await server.create('kitchens', PATIENT);
    await trained(server);
    const viewer = await view(pages, server, { token: server.operatorToken, ...look });
    const { page } = viewer;
    await sees(page, '2 federations');
    await check(page, 'list');
    await page.goto(`${server.url}/${DEFAULT}`);
    await sees(page, 'The target gap is reached.');
    await page.getByRole('button', { name: 'ada', exact: true }).waitFor(PATIENCE);
    await check(page, 'federation at rest');
    await page.getByRole('button', { name: 'Relative duality gap: show as a table' }).click();
    await check(page, 'numbers of a chart');
    await page.goto(`${server.url}/#/federations/kitchens`);
    await sees(page, 'Nobody has joined yet');
    await check(page, 'empty federation');
    await page.goto(`${server.url}/#/compare?run=default:1`);
    await sees(page, 'In numbers');
    await check(page, 'comparison');
    await page.goto(`${server.url}/#/reports`);
    await sees(page, 'No report is served');
    await check(page, 'no reports');
    await page.goto(`${server.url}/#/audit`);
    await sees(page, 'Entries');
    await check(page, 'audit log');
    expectQuiet(viewer);
  });

  test('dialogs and menus have no serious findings', async () => {
    const server = await servers.start({}, QUICK);
    await trained(server);
    const { page } = await view(pages, server, { hash: DEFAULT, token: server.operatorToken, ...look });
    await page.getByRole('button', { name: 'ada', exact: true }).click();
    await page.getByRole('button', { name: 'Revoke access' }).waitFor();
    await check(page, 'participant');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'More actions' }).click();
    await check(page, 'menu');
    await page.keyboard.press('Escape');
    await choose(page, 'Change the deadline');
    await check(page, 'deadline');
    await page.keyboard.press('Escape');
    await choose(page, 'Delete');
    await check(page, 'question');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByRole('button', { name: 'Create invitation' }).click();
    await sees(page, 'It is shown only now');
    await check(page, 'invitation');
    await page.keyboard.press('Escape');
    await page.goto(`${server.url}/#/`);
    await page.getByRole('button', { name: 'New federation' }).click();
    await check(page, 'new federation');
  });

  test('states without content have no serious findings', async () => {
    const server = await servers.start({ loopback: false }, 'none');
    const { page } = await view(pages, server, look);
    await sees(page, 'Sign in to look');
    await check(page, 'token needed');
    await page.getByLabel('Token', { exact: true }).fill('wrong');
    await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
    await sees(page, 'The server does not know this token.');
    await check(page, 'wrong token');
    const open = await servers.start({}, 'none');
    await page.goto(`${open.url}/`);
    await sees(page, 'No federation yet');
    await check(page, 'no federation');
    await page.goto(`${open.url}/#/federations/nowhere`);
    await sees(page, 'There is no federation named nowhere');
    await check(page, 'no such federation');
    await page.goto(`${open.url}/#/`);
    await sees(page, 'No federation yet');
    await open.close();
    await sees(page, 'What you see may be out of date.');
    await check(page, 'lost');
  });
});

describe.skipIf(!chromium)('by keyboard alone', LONG, () => {
  test('a participant is found, opened and closed, and the focus is where it was', async () => {
    const server = await servers.start({}, QUICK);
    await trained(server);
    const { page } = await view(pages, server, { hash: DEFAULT });
    await page.getByRole('button', { name: 'ada', exact: true }).waitFor(PATIENCE);
    await page.getByLabel('Find participants by name').focus();
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
    await until(async () => {
      await page.keyboard.press('Tab');
      return (await focused()) === 'ada';
    }, 'the first participant');
    await page.keyboard.press('ArrowDown');
    await until(async () => (await focused()) === 'ben', 'the next one');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('heading', { name: 'ben' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await focused()).toBe('ben');
  });

  test('the menu opens, moves and gives the focus back', async () => {
    const server = await servers.start({}, PATIENT);
    const { page } = await view(pages, server, { hash: DEFAULT, token: server.operatorToken });
    const button = page.getByRole('button', { name: 'More actions' });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'menuitem');
    await page.keyboard.press('End');
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    await expect.poll(focused).toBe('Delete');
    await page.keyboard.press('Escape');
    await expect.poll(() => button.evaluate((element) => element === document.activeElement)).toBe(true);
    await operate(server, '/v1/federations/default/pause', { method: 'POST' });
    await sees(page, 'Paused: no round closes');
  });
});
