/** The pages as the server delivers them: they load in a real browser, under the policy that they are sent with. */
import { expect, test } from 'vitest';
import { chromium } from '../helpers/chromium.ts';
import { PageTest } from '../helpers/pages.ts';
import { ServerTest } from '../helpers/server.ts';

const servers = new ServerTest();
const pages = new PageTest();

test.skipIf(!chromium).each(['/', '/join/default', '/personalise'])(
  '%s loads without an error or a violation of the policy',
  async (path) => {
    const server = await servers.start();
    const page = await (await pages.context()).newPage();
    const errors: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(`${server.url}${path}`);
    await page.waitForSelector('#app main');
    expect(errors).toEqual([]);
  },
);
