/** The first minute of a new user (docs/quickstart.md): `npm start` on a terminal, the dashboard, and its link in a second tab. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { chromium } from '../helpers/chromium.ts';
import { JoinTab } from '../helpers/join-page.ts';
import { PageTest } from '../helpers/pages.ts';
import { script, Terminal } from '../helpers/terminal.ts';
import { launcher, useBuilt } from '../node/client/helpers.ts';

useBuilt();
const LONG = 240_000;
const pages = new PageTest();
const folder = mkdtempSync(join(tmpdir(), 'kindred-quickstart-'));
let terminal: Terminal | undefined;
afterEach(() => {
  terminal?.kill();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

test.skipIf(!chromium || !script)(
  'the dashboard shows the federation, and whoever opens the link and presses Join has a model of their own',
  async () => {
    terminal = new Terminal(`"${process.execPath}" "${launcher}" demo --participants 4`, {
      ...{ TMPDIR: folder, NO_COLOR: '1' },
    });
    const [, dashboard] = await terminal.reads(/^Dashboard +(\S+)\s/m);
    const context = await pages.context();
    const watching = await context.newPage();
    await watching.goto(dashboard);
    await watching.locator('main').waitFor();
    const [, link] = await terminal.reads(/^Take part +(\S+)\s/m);
    const { origin, pathname, hash } = new URL(link);
    const tab = await JoinTab.open(context, origin, `${pathname.slice('/join/'.length)}${hash}`);
    await tab.text('Columns to learn from').waitFor();
    await tab.button('Join').click();
    await tab.ready();
    const { name, text } = await tab.download();
    expect(name).toBe('guest-1.json');
    expect(JSON.parse(text)).toMatchObject({ format: 'kindred-model' });
    await terminal.reads(/Next guest +\S+name=guest-2\s/);
    terminal.interrupt();
    expect(await terminal.exitCode()).toBe(0);
  },
  LONG,
);
