/** Names are data: whatever participants, programs and addresses are called, the dashboard shows it as text and runs none of it. */
import { describe, expect, test } from 'vitest';
import { chromium } from '../helpers/chromium.ts';
import { expectQuiet, LONG, PATIENCE, sees, view } from '../helpers/dashboard.ts';
import { PageTest } from '../helpers/pages.ts';
import { QUICK, ServerTest } from '../helpers/server.ts';
import { Trainer } from '../helpers/ws-trainer.ts';

const servers = new ServerTest();
const pages = new PageTest();

const NAMES = [
  '<img src=x onerror="window.pwned=1">',
  '"><script>window.pwned=1</script>',
  "javascript:window.pwned=1//'",
  '{{constructor.constructor("window.pwned=1")()}}',
  '</title><svg onload=window.pwned=1>',
];

describe.skipIf(!chromium)('names', LONG, () => {
  test('of participants and of their programs are text', async () => {
    const server = await servers.start({}, { ...QUICK, minParticipants: NAMES.length });
    const trainers = NAMES.map((name, k) => new Trainer(name, 12 + k));
    for (const trainer of trainers)
      await trainer.join(server.url, { agent: '<b onclick=pwned>evil</b> 1.0' });
    const viewer = await view(pages, server, { hash: '#/federations/default', token: server.operatorToken });
    const { page } = viewer;
    await sees(page, 'The target gap is reached.');
    const shown = page.locator('.table-name');
    await shown.nth(NAMES.length - 1).waitFor(PATIENCE);
    expect((await shown.allInnerTexts()).toSorted()).toEqual(NAMES.toSorted());
    for (const name of NAMES) {
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByRole('dialog').getByRole('heading', { name, exact: true }).waitFor();
      await page.getByRole('button', { name: 'Forget', exact: true }).click();
      await page.getByRole('heading', { name: `Forget ${name}?`, exact: true }).waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
    }
    expect(await page.evaluate(() => 'pwned' in window)).toBe(false);
    expect(await page.locator('main img, main script, main b[onclick]').count()).toBe(0);
    expectQuiet(viewer);
  });

  test('of federations that somebody is sent a link to are text', async () => {
    const server = await servers.start();
    for (const name of NAMES) {
      const encoded = encodeURIComponent(name);
      const viewer = await view(pages, server, { hash: `#/federations/${encoded}` });
      await sees(viewer.page, `There is no federation named ${name}`);
      await viewer.page.goto(`${server.url}/#/compare?run=${encoded}:1`);
      await sees(viewer.page, 'Choose runs to compare');
      await viewer.page.goto(`${server.url}/#/reports/${encoded}`);
      await sees(viewer.page, `There is no report named ${name}`);
      expect(await viewer.page.evaluate(() => 'pwned' in window)).toBe(false);
      expectQuiet(viewer);
    }
  });
});
