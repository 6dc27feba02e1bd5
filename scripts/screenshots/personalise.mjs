/** The page that makes a model personal, and the panel that records motion, in each of their states. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeMotion } from 'kindred/internals/data/generate-motion';
import { rowsOfParticipant, selectRows } from 'kindred/internals/data/participants';
import { writeCsv } from 'kindred/internals/data/write-csv';
import { modelToJson } from 'kindred/internals/methods/model';
import { train } from 'kindred/internals/methods/train';
import { parseOptions, startServer } from 'kindred/server';

const LONG = 60_000;

export async function shoot({ browser, take, views }) {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-screenshots-'));
  const server = await startServer({ store: join(folder, 'kindred.db'), port: 0 });
  try {
    await server.ensure('default', parseOptions('default', {}));
    for (const { name, options } of views) {
      const context = await browser.newContext(options);
      const page = await context.newPage();
      page.setDefaultTimeout(LONG);
      await personalise(page, server.url, (state) => take(page, `personalise-${state}-${name}`));
      await sensor(page, server.url, (state) => take(page, `sensor-${state}-${name}`));
      await context.close();
    }
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function personalise(page, url, take) {
  const people = makeMotion({ participants: 5, takes: 2 });
  const model = modelToJson(train(people, { testFraction: 0 }).model);
  const own = rowsOfParticipant(people, '5');
  const seated = selectRows(
    own,
    own.targets.flatMap((target, i) => (target === 'sitting' ? [i] : [])),
  );
  await page.goto(`${url}/personalise`);
  await page.getByRole('heading', { name: 'Make a model yours' }).waitFor();
  await take('empty');
  await give(page, 0, 'notes.json', '{"title": "Shopping"}');
  await page.getByText('This is not a Kindred model').waitFor();
  await take('wrong-file');
  await give(page, 0, 'model.json', model);
  await give(page, 1, 'steps.csv', 'day,steps,y\n1,8000,walking\n2,400,sitting\n');
  await page.getByText('These are other columns').waitFor();
  await take('wrong-columns');
  await give(page, 1, 'evening.csv', [...writeCsv(seated)].join(''));
  await page.getByText('One class only.').waitFor();
  await take('one-class');
  await page.getByRole('button', { name: 'Start over' }).click();
  await page.getByRole('button', { name: 'Try it with an example' }).click();
  await page.getByText('corrected').waitFor();
  await take('done');
  await page.locator('.result-grid .table-name').first().click();
  await page.getByText('Your model says').waitFor();
  await take('row');
}

async function give(page, place, name, content) {
  const file = { name, mimeType: '', buffer: Buffer.from(content) };
  await page.locator('input[type=file]').nth(place).setInputFiles(file);
}

async function sensor(page, url, take) {
  await page.goto(`${url}/join/default`);
  await page.getByRole('button', { name: /^Motion/ }).click();
  await page.getByRole('button', { name: 'This device', exact: true }).click();
  await page.getByRole('button', { name: 'Use the motion sensor' }).click();
  await page.getByText('This device has no motion sensor').waitFor();
  await page.locator('.sensor').scrollIntoViewIfNeeded();
  await take('silent');
  await page.getByRole('button', { name: 'A made-up person', exact: true }).click();
  for (const activity of ['Sitting', 'Standing', 'Walking'])
    await record(page, activity, activity === 'Walking' ? () => take('recording') : undefined);
  await page.getByText(/the shared model recognises/).waitFor();
  await take('recorded');
}

async function record(page, activity, during) {
  await page.getByRole('button', { name: new RegExp(`^${activity}`) }).click();
  await page.locator('.label[data-recording]').scrollIntoViewIfNeeded();
  await page.waitForTimeout(1500);
  await during?.();
  await page.getByRole('button', { name: new RegExp(`^${activity}.*windows`) }).waitFor();
}
