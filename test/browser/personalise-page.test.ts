/** The page that makes a model personal, in a real Chromium: its states, what it sends (nothing), and that it works without a network. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions, Page, Request } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { makeMotion } from '../../src/data/generate-motion.ts';
import { makeRegression } from '../../src/data/generate-regression.ts';
import { rowsOfParticipant, selectRows } from '../../src/data/participants.ts';
import type { Table } from '../../src/data/table.ts';
import { writeCsv } from '../../src/data/write-csv.ts';
import { modelFromJson, modelToJson } from '../../src/methods/model.ts';
import { personalise } from '../../src/methods/personalise.ts';
import { train } from '../../src/methods/train.ts';
import { expectAccessible, seriousFindings, WIDTHS } from '../helpers/accessible.ts';
import { chromium } from '../helpers/chromium.ts';
import { PageTest } from '../helpers/pages.ts';
import { ServerTest } from '../helpers/server.ts';
import { useBuilt } from '../node/client/helpers.ts';

useBuilt();
const LONG = 120_000;
const servers = new ServerTest();
const pages = new PageTest();
const folder = mkdtempSync(join(tmpdir(), 'kindred-personalise-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const people = makeMotion({ participants: 5, takes: 2 });
const { model } = train(people, { testFraction: 0 });
const newcomer = rowsOfParticipant(makeMotion({ participants: 6, takes: 2 }), '6')!;

function file(name: string, content: string | Iterable<string>): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : [...content].join(''));
  return path;
}
const table = (name: string, rows: Table) => file(name, writeCsv(rows));
const modelPath = file('model.json', modelToJson(model));

interface Opened {
  readonly page: Page;
  readonly requests: Request[];
  readonly errors: string[];
}

async function opened(options: BrowserContextOptions = {}): Promise<Opened> {
  const server = await servers.start();
  const page = await (await pages.context({ reducedMotion: 'reduce', ...options })).newPage();
  const requests: Request[] = [];
  const errors: string[] = [];
  page.on('request', (request) => requests.push(request));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(`${server.url}/personalise`);
  await page.getByRole('heading', { name: 'Make a model yours' }).waitFor();
  return { page, requests, errors };
}

async function choose(page: Page, button: string, path: string): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: button }).first().click();
  await (await chooser).setFiles(path);
}

const done = (page: Page) =>
  page.getByRole('button', { name: 'Download the model' }).waitFor({ timeout: LONG });

test.skipIf(!chromium)(
  'a model and rows give the model that the library gives; nothing is sent, and no network is needed',
  async () => {
    const { page, requests, errors } = await opened();
    // The worker is there: from here on the network may go.
    await page.waitForFunction(() =>
      performance.getEntriesByType('resource').some(({ name }) => name.includes('worker')),
    );
    await page.waitForLoadState('networkidle');
    await page.context().setOffline(true);
    const before = requests.length;
    await choose(page, 'Choose a model', modelPath);
    await page.getByText('5 people').waitFor();
    await choose(page, 'Choose a table', table('mine.csv', newcomer));
    await done(page);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the model' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('model-6.json');
    const saved = modelFromJson(readFileSync((await download.path())!, 'utf8'), 'saved');
    const wanted = personalise(model, newcomer, { testFraction: 0.3 });
    expect(saved.personal.get('6')).toEqual(wanted.model.personal.get('6'));
    const row = page.getByRole('region', { name: 'Test rows' }).locator('tbody .table-name').first();
    await row.click();
    await page.getByRole('dialog').getByText('Your model says').waitFor();
    // Blobs are of the page itself.
    expect(requests.slice(before).filter((request) => !request.url().startsWith('blob:'))).toEqual([]);
    expect(requests.every((request) => request.method() === 'GET' && request.postData() === null)).toBe(true);
    expect(errors).toEqual([]);
  },
  LONG,
);

test.skipIf(!chromium).each(WIDTHS)(
  'the example, %i pixels wide: from empty to done without serious findings in either theme',
  async (width) => {
    const { page, errors } = await opened({ viewport: { width, height: 900 } });
    await expectAccessible(page, 'empty');
    await page.getByRole('button', { name: 'Try it with an example' }).click();
    await done(page);
    await page.getByText('Your part is').waitFor();
    await page.getByText('corrected').waitFor();
    await expectAccessible(page, 'done');
    await page.locator('.result-grid .table-name').first().click();
    await page.getByRole('dialog').getByText('Your model says').waitFor();
    await expectAccessible(page, 'a row');
    expect(errors).toEqual([]);
  },
  LONG,
);

test.skipIf(!chromium)(
  'wrong file, wrong columns, no target, one class only: each is said where it is wrong',
  async () => {
    const { page } = await opened();
    await choose(page, 'Choose a model', table('not-a-model.json', newcomer));
    await page.getByRole('alert').getByText('This is not a Kindred model').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await choose(page, 'Another', modelPath);
    await page.getByText('5 people').waitFor();
    await choose(page, 'Choose a table', file('other.csv', 'speed,y\n1,walking\n2,sitting\n'));
    await page.getByRole('alert').getByText('These are other columns').waitFor();
    const rows = page.locator('section', { hasText: 'Your rows' });
    const another = async (path: string) => {
      const chooser = page.waitForEvent('filechooser');
      await rows.getByRole('button', { name: 'Another' }).last().click();
      await (await chooser).setFiles(path);
    };
    const lines = [...writeCsv(newcomer)].join('').trim().split('\n');
    await another(file('lacking.csv', lines.map((line) => line.replace(/,[^,]*$/, '')).join('\n')));
    await page.getByRole('alert').getByText('1 column missing').waitFor();
    await page.getByRole('alert').getByText('jerk').waitFor();
    await another(file('no-target.csv', lines.map((line) => line.split(',').slice(2).join(',')).join('\n')));
    await page.getByRole('alert').getByText('There is no column to learn from').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    const seated = newcomer.targets!.flatMap((target, i) => (target === 'sitting' ? [i] : []));
    await another(table('seated.csv', selectRows(newcomer, seated)));
    await page.getByText('One class only.').waitFor();
    await done(page);
    expect(await seriousFindings(page)).toEqual([]);
    // Back to the beginning.
    await page.getByRole('button', { name: 'Start over' }).click();
    await page.getByText('Drop the model here').waitFor();
  },
  LONG,
);

test.skipIf(!chromium)(
  'a regression, rows before the model, other choices',
  async () => {
    const numbers = makeRegression({ tasks: 4, rows: 60, features: 5, heterogeneity: 'diverse' });
    const trained = train(numbers, { objective: 'regression', testFraction: 0 }).model;
    const { page, errors } = await opened();
    await choose(page, 'Choose a table', table('numbers.csv', numbers));
    await page.getByText('Waits for a model').waitFor();
    await choose(page, 'Choose a model', file('numbers.json', modelToJson(trained)));
    await done(page);
    await page.getByText('error (RMSE), mean over people').first().waitFor();
    await page.getByLabel('For whom').selectOption('3');
    await page.getByText('After: your model').waitFor();
    await page.getByLabel('Whose rows').selectOption('');
    await page.getByLabel('Name in the model').fill('ada');
    await page.getByLabel('Name in the model').press('Tab');
    await page.getByRole('button', { name: 'None: learn from all' }).click();
    await page.getByText('No rows were kept for testing').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the model' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('model-ada.json');
    expect(errors).toEqual([]);
  },
  LONG,
);
