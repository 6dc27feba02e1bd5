/** The page of a participant in a real Chromium, from the link to the model: with participants on Node, a second tab, a reload. */
import { afterEach, describe, expect, test } from 'vitest';
import type { Participation } from '../../src/client/participation-options.ts';
import { makeHarLike } from '../../src/data/generate-har.ts';
import { rowsOfParticipant } from '../../src/data/participants.ts';
import type { Table } from '../../src/data/table.ts';
import { modelFromJson, modelToJson } from '../../src/methods/model.ts';
import { predict } from '../../src/methods/predict.ts';
import type { CoordinatorServer } from '../../src/node/server/server.ts';
import { chromium } from '../helpers/chromium.ts';
import { csvOf, JoinTab } from '../helpers/join-page.ts';
import { PageTest } from '../helpers/pages.ts';
import { operate, QUICK, ServerTest, until } from '../helpers/server.ts';
import { joinAs, temporaryFolder, useBuilt } from '../node/client/helpers.ts';

useBuilt();
const servers = new ServerTest();
const pages = new PageTest();
const folder = temporaryFolder();
const running: Participation[] = [];
let folders = 0;

const table = makeHarLike({ participants: 12, rowsPerParticipant: 40, features: 12 });

afterEach(async () => {
  for (const participation of running.splice(0)) await participation.close();
});

function onNode(server: CoordinatorServer, rows: Table, id: string, slowdown = 1): Participation {
  const stateFolder = `${folder}/${folders++}`;
  const participation = joinAs(server, rows, id, {
    stateFolder,
    slowdown,
    testFraction: 0.3,
    keepGoing: true,
  });
  participation.done.catch(() => {});
  running.push(participation);
  return participation;
}

describe.skipIf(!chromium)('taking part in the page', { timeout: 120_000 }, () => {
  test('two people in tabs and ten on Node train to the end; the models of the tabs are those that Node would have', async () => {
    const options = { ...QUICK, minParticipants: 12 };
    const server = await servers.start({}, options);
    const tabs = await Promise.all(
      ['1', '2'].map(async (id) => {
        const tab = await JoinTab.open(await pages.context(), server.url);
        await tab.heading('Take part in default').waitFor();
        await tab.join(table, id);
        return tab;
      }),
    );
    for (const id of table.participants.slice(2)) onNode(server, table, id);
    for (const tab of tabs) await tab.ready();
    const reference = await servers.start({}, options);
    const same = table.participants.map((id) => onNode(reference, table, id));
    await until(() => same.every(({ status }) => status.phase === 'finished'), 'the end on Node');
    for (const [k, tab] of tabs.entries()) {
      const { name, text } = await tab.download();
      expect(name).toBe(`${k + 1}.json`);
      const [own, expected] = [modelFromJson(text, name), same[k].model()!];
      expect(own.w).toEqual(expected.w);
      expect(own.personal).toEqual(expected.personal);
      // For rows without a column that says whose they are, as `kindred predict` reads them.
      expect(own.options.joined).toEqual({ participant: `${k + 1}` });
      expect(predict(own, rowsOfParticipant(table, `${k + 1}`)!)).toEqual(
        predict(modelFromJson(modelToJson(expected), name), rowsOfParticipant(table, `${k + 1}`)!),
      );
      expect(await tab.sentBytes()).toBeGreaterThan(1000);
      await tab.text('Your model says').waitFor();
    }
  });

  test('a link brings invitation, name and demo data, and leaves the address bar; the invitation is sent once, to enrol', async () => {
    const server = await servers.start({ enrolment: 'invitation' }, { ...QUICK, minParticipants: 1 });
    const [{ token }] = await server.invite('default', { participant: 'ada' });
    const tab = await JoinTab.open(
      await pages.context(),
      server.url,
      `default#invitation=${token}&name=ada&demo=har:1:3`,
    );
    await tab.text('Columns to learn from').waitFor();
    expect(tab.page.url()).toBe(`${server.url}/join/default`);
    expect(await tab.page.getByLabel('Name', { exact: true }).inputValue()).toBe('ada');
    await tab.text('Nothing has been sent so far').waitFor();
    await tab.button('Join').click();
    await tab.ready();
    expect((await server.store.enrolments('default')).map(({ participant }) => participant)).toEqual(['ada']);
  });

  test('a second tab shows the same run and does not join twice; it goes on when the first is closed', async () => {
    const server = await servers.start({}, { ...QUICK, minParticipants: 3 });
    const context = await pages.context();
    const first = await JoinTab.open(context, server.url);
    await first.join(table, '1');
    await first.text('2 more people').waitFor();
    const second = await JoinTab.open(context, server.url);
    await second.text('Runs in another tab').waitFor();
    await second.text('2 more people').waitFor();
    await first.page.close();
    await second.page.getByText('Runs in another tab').waitFor({ state: 'detached' });
    for (const id of ['2', '3']) onNode(server, table, id);
    await second.ready();
    expect(await server.store.enrolments('default')).toHaveLength(3);
  });

  test('a reload in mid-round goes on by itself, under the same name and with the same rows', async () => {
    const server = await servers.start(
      {},
      { ...QUICK, minParticipants: 3, stop: { ...QUICK.stop, gap: 1e-9 } },
    );
    const tab = await JoinTab.open(await pages.context(), server.url);
    await tab.join(table, '1');
    // Rounds wait for slow ones: there is a middle of a round.
    for (const id of ['2', '3']) onNode(server, table, id, 200);
    await tab.text('Your update is sent.').waitFor();
    await tab.page.reload();
    await tab.text('Your model says').waitFor();
    await tab.ready();
    expect(await server.store.enrolments('default')).toHaveLength(3);
    // Nobody was asked anything.
    expect(await tab.page.getByText('Drop a table here').count()).toBe(0);
  });

  test('leaving is confirmed, and the model stays: after a reload, too, until it is deleted', async () => {
    const server = await servers.start({}, { ...QUICK, minParticipants: 3 });
    const tab = await JoinTab.open(await pages.context(), server.url);
    await tab.join(table, '1');
    const others = ['2', '3'].map((id) => onNode(server, table, id));
    await tab.ready();
    await tab.button('Leave').click();
    await tab.button('Cancel').click();
    await tab.heading('Your model is ready').waitFor();
    const { text } = await tab.download();
    await tab.leave();
    await tab.page.reload();
    await tab.heading('You have left').waitFor();
    expect((await tab.download()).text).toBe(text);
    await tab.button('Join again').click();
    await tab.ready();
    await tab.leave();
    await tab.button('Delete from this device').click();
    await tab.button('Delete').click();
    await tab.text('Drop a table here').waitFor();
    expect(others.map(({ status }) => status.phase)).not.toContain('gone');
  });

  test('nobody hears of test rows unless the box is ticked', async () => {
    const reported: unknown[] = [];
    for (const isTicked of [false, true]) {
      const server = await servers.start({}, { ...QUICK, minParticipants: 1 });
      const tab = await JoinTab.open(await pages.context(), server.url);
      await tab.giveFile('1.csv', csvOf(table, '1'));
      const box = tab.page.getByLabel('Tell the operator');
      await box.waitFor();
      expect(await box.isChecked()).toBe(false);
      if (isTicked) await box.check();
      await tab.button('Join').click();
      await tab.ready();
      const rounds = await operate(server, '/v1/federations/default/rounds');
      reported.push((rounds.json as { rounds: { tests: unknown }[] }).rounds.at(-1)!.tests);
    }
    expect(reported).toMatchObject([null, { metric: 'balancedAccuracy', participants: 1 }]);
  });

  test('two people share a browser, each in a tab of their own', async () => {
    const server = await servers.start({}, { ...QUICK, minParticipants: 2 });
    const context = await pages.context();
    const tabs: JoinTab[] = [];
    for (const id of ['1', '2']) {
      const tab = await JoinTab.open(context, server.url, `default#name=${id}`);
      await tab.join(table, id);
      tabs.push(tab);
    }
    for (const tab of tabs) await tab.ready();
    for (const [k, tab] of tabs.entries()) {
      await tab.page.reload();
      await tab.ready();
      expect((await tab.download()).name).toBe(`${k + 1}.json`);
    }
  });

  test('a row can be changed, and the prediction follows', async () => {
    const server = await servers.start({}, { ...QUICK, minParticipants: 2 });
    const tab = await JoinTab.open(await pages.context(), server.url);
    const rows = Array.from(
      { length: 40 },
      (_, i) => `${i % 20},${i % 2 ? 'wet' : 'dry'},${i % 20 < 10 ? 'low' : 'high'}`,
    );
    const csv = `level,weather,y\n${rows.join('\n')}\n`;
    await tab.giveFile('river.csv', csv);
    await tab.text('1 of text').waitFor();
    await tab.button('Join').click();
    const other = await JoinTab.open(await pages.context(), server.url);
    await other.giveFile('lake.csv', csv);
    await other.text('1 of text').waitFor();
    await other.button('Join').click();
    await tab.ready();
    const level = tab.page.getByLabel('level', { exact: true });
    const verdict = tab.page.locator('.verdict-own');
    await level.fill('0');
    await verdict.getByText('low').waitFor();
    await level.fill('19');
    await verdict.getByText('high').waitFor();
    await tab.text('not in your data').waitFor();
    // "1." is on the way to "1.5".
    await level.fill('');
    await level.pressSequentially('1.5');
    expect(await level.inputValue()).toBe('1.5');
    await verdict.getByText('low').waitFor();
    expect(csvOf(table, '1').split('\n')[0]).not.toContain('task');
  });
});
