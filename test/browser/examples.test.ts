/** The examples of `kindred/browser`, bundled by vite as a page's own script would be, in a real Chromium: they print what they say. */
import { expect, test } from 'vitest';
import { chromium } from '../helpers/chromium.ts';
import { PageScripts } from '../helpers/page-script.ts';
import { PageTest } from '../helpers/pages.ts';
import { examplesIn, OF_PAGES, printedBy } from '../helpers/public-names.ts';
import { QUICK, ServerTest } from '../helpers/server.ts';

const servers = new ServerTest();
const pages = new PageTest();
const scripts = new PageScripts();

test.skipIf(!chromium).each(OF_PAGES.flatMap(examplesIn))('$name', async ({ code }) => {
  const server = await servers.start({}, { ...QUICK, minParticipants: 1 });
  const page = await (await pages.context()).newPage();
  const printed: string[] = [];
  const expected = printedBy(code);
  const done = new Promise<void>((resolve) => {
    page.on('console', (message) => {
      printed.push(message.text());
      if (printed.length === expected.length) resolve();
    });
    page.on('pageerror', ({ message }) => {
      printed.push(message);
      resolve();
    });
  });
  await scripts.load(page, server.url, await scripts.bundled(code));
  await done;
  expect(printed).toEqual(expected);
});
