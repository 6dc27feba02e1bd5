/** Everybody can use the participant's page: each of its main states without serious findings of axe-core, in both themes, on a desk and on a phone. */
import { describe, expect, test } from 'vitest';
import { makeHarLike } from '../../src/data/generate-har.ts';
import { expectAccessible, isWiderThanScreen, seriousFindings, WIDTHS } from '../helpers/accessible.ts';
import { chromium } from '../helpers/chromium.ts';
import { csvOf, JoinTab } from '../helpers/join-page.ts';
import { PageTest } from '../helpers/pages.ts';
import { QUICK, ServerTest } from '../helpers/server.ts';
import { useBuilt } from '../node/client/helpers.ts';

useBuilt();
const servers = new ServerTest();
const pages = new PageTest();
const table = makeHarLike({ participants: 2, rowsPerParticipant: 40, features: 12 });

describe.skipIf(!chromium)('the page', { timeout: 120_000 }, () => {
  test.each(WIDTHS)(
    '%i pixels wide, in both themes',
    async (width) => {
      const server = await servers.start({ enrolment: 'invitation' }, { ...QUICK, minParticipants: 2 });
      const [one, two] = await server.invite('default', { count: 2 });
      const [expired] = await server.invite('default', { lifetimeMs: 1 });
      const context = await pages.context({ viewport: { width, height: 800 }, reducedMotion: 'reduce' });
      const tab = await JoinTab.open(context, server.url);
      const check = (state: string) => expectAccessible(tab.page, state);
      await tab.text('You need an invitation first').waitFor();
      await check('no invitation');
      await tab.giveFile('holiday.csv', '\0\0');
      await tab.alert();
      await check('a file that is none');
      await tab.giveFile('1.csv', csvOf(table, '1'));
      await tab.text('Columns to learn from').waitFor();
      await check('a file');
      await tab.page
        .getByLabel('Invitation link')
        .fill(`${server.url}/join/default#invitation=${expired.token}`);
      await tab.button('Use this invitation').click();
      await tab.button('Join').click();
      expect(await tab.alert()).toContain('It has expired');
      await check('an invitation that has expired');
      await tab.page.getByLabel('Invitation link').fill(one.token);
      await tab.button('Use this invitation').click();
      await tab.button('Join').click();
      await tab.text('one more person').waitFor();
      await check('waiting');
      const other = await JoinTab.open(await pages.context(), server.url, `default#invitation=${two.token}`);
      await other.join(table, '2');
      await tab.ready();
      await tab.text('Your model says').waitFor();
      await check('ready');
      await tab.button('How the models do: show as a table').click();
      await check('numbers as a table');
      await tab.button('Leave').click();
      await check('a question');
      await tab.button('Cancel').click();
      await tab.leave();
      await check('left');
    },
    180_000,
  );

  test('is checked by something that finds what is wrong', async () => {
    const server = await servers.start();
    const tab = await JoinTab.open(
      await pages.context({ viewport: { width: 360, height: 800 } }),
      server.url,
    );
    await tab.heading('Take part in default').waitFor();
    await tab.page.evaluate(() => {
      const [image, beam] = [document.createElement('img'), document.createElement('div')];
      beam.style.width = '2000px';
      beam.textContent = 'wide';
      document.querySelector('main')!.append(image, beam);
    });
    expect((await seriousFindings(tab.page)).map((line) => line.split(':')[0])).toEqual(['image-alt']);
    expect(await isWiderThanScreen(tab.page)).toBe(true);
  });

  test('can be used with a keyboard alone', async () => {
    const server = await servers.start({}, { ...QUICK, minParticipants: 1 });
    const tab = await JoinTab.open(await pages.context(), server.url);
    await tab.heading('Take part in default').waitFor();
    const { keyboard } = tab.page;
    const focused = () =>
      tab.page.evaluate(() => document.activeElement?.textContent || document.activeElement?.tagName);
    const tabTo = async (text: string) => {
      for (let i = 0; i < 30 && !(await focused())?.includes(text); i++) await keyboard.press('Tab');
      expect(await focused()).toContain(text);
    };
    await tabTo('Demo data');
    await keyboard.press('Enter');
    await tab.text('Columns to learn from').waitFor();
    await tabTo('Join');
    await keyboard.press('Enter');
    // The focus goes to what has taken the place of the button.
    await tab.page.waitForFunction(() => document.activeElement?.tagName === 'H1');
    await tab.ready();
    await tabTo('Leave');
    await keyboard.press('Enter');
    await tab.page.getByRole('dialog').waitFor();
    await keyboard.press('Escape');
    await tab.page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await focused()).toBe('Leave');
  });

  test('says aloud how it stands', async () => {
    const server = await servers.start({}, { ...QUICK, minParticipants: 2 });
    const tab = await JoinTab.open(await pages.context(), server.url);
    await tab.join(table, '1');
    const said = tab.page.locator('.standing [role=status]');
    await said.getByText('Training starts when one more person has joined').waitFor();
    const other = await JoinTab.open(await pages.context(), server.url);
    await other.join(table, '2');
    await said.getByText('Your model is ready').waitFor();
  });
});
