/** The page of a participant in each of its states. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { joinFederation } from 'kindred/client';
import { makeHarLike } from 'kindred/internals/data/generate-har';
import { rowsOfParticipant } from 'kindred/internals/data/participants';
import { parseOptions, startServer } from 'kindred/server';

const PEOPLE = 7;
const SEED = 1;
const STOP = { gap: 1e-4, rounds: 60 };
const FEDERATIONS = {
  activity: { minParticipants: PEOPLE + 1, stop: STOP },
  waiting: { minParticipants: 3 },
  watches: { minParticipants: 3, secure: true },
};

const COFFEE = `day,cups,hours slept,weekday,meetings,productive
1,2,7.5,Mon,3,yes
2,4,5,Tue,6,no
3,1,8,Wed,2,yes
4,3,6.5,Thu,5,no
5,2,7,Fri,1,yes
6,0,9,Sat,0,yes
7,5,4.5,Mon,7,no
8,2,,Tue,2,yes
9,3,6,Wed,4,no
10,1,8.5,Thu,1,yes
`;

export async function shoot({ browser, take, views }) {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-screenshots-'));
  const servers = new Servers(folder);
  const people = new People(folder);
  try {
    for (const { name, options } of views) {
      const context = await browser.newContext(options);
      const shots = new Shots(context, (page, state) => take(page, `join-${state}-${name}`));
      await shots.ofSetup(await servers.start());
      await shots.ofLostServer(servers);
      await shots.ofRefusals(await servers.start({ enrolment: 'invitation' }));
      await shots.ofRun(servers, people);
      await context.close();
      people.close();
    }
  } finally {
    people.close();
    await servers.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

class Servers {
  constructor(folder) {
    this.folder = folder;
    this.running = new Set();
    this.stores = 0;
  }

  async start(options = {}) {
    const store = join(this.folder, `${this.stores++}.db`);
    const server = await startServer({ store, version: '0.1.0', ...options });
    this.running.add(server);
    for (const [name, given] of Object.entries(FEDERATIONS))
      await server.ensure(name, parseOptions(name, given));
    return server;
  }

  async stop(server) {
    this.running.delete(server);
    await server.close();
  }

  async close() {
    for (const server of this.running) await server.close();
  }
}

/** Participants on rows of made-up people, in this process. */
class People {
  constructor(folder) {
    this.folder = folder;
    this.table = makeHarLike({ participants: PEOPLE, seed: SEED });
    this.joined = [];
    this.folders = 0;
  }

  joinAll(server) {
    for (const id of this.table.participants) {
      const participation = joinFederation({
        url: `${server.url}/activity`,
        stateFolder: join(this.folder, `state-${this.folders++}`),
        participant: id,
        data: { table: rowsOfParticipant(this.table, id) },
        keepGoing: true,
      });
      participation.done.catch(() => {});
      this.joined.push(participation);
    }
  }

  close() {
    for (const participation of this.joined.splice(0)) void participation.close();
  }
}

class Shots {
  constructor(context, take) {
    this.context = context;
    this.takeShot = take;
  }

  /** The whole page, however long it is. */
  async take(page, state) {
    const { width, height } = page.viewportSize();
    const whole = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.setViewportSize({ width, height: Math.max(height, whole) });
    await this.takeShot(page, state);
    await page.setViewportSize({ width, height });
  }

  async open(server, path) {
    const page = await this.context.newPage();
    page.on('pageerror', (error) => console.error(error));
    page.on('console', (message) => message.type() === 'error' && console.error(message.text()));
    await page.goto(`${server.url}${path}`);
    return page;
  }

  async ofSetup(server) {
    const page = await this.open(server, '/join/activity');
    await page.getByText('Drop a table here').waitFor();
    await this.take(page, 'setup');
    await page.getByRole('button', { name: /Demo data/ }).click();
    await page.getByText('Columns to learn from').waitFor();
    await this.take(page, 'demo');
    await page.getByRole('button', { name: /A file of mine/ }).click();
    await page.locator('input[type=file]').setInputFiles(fileOf('coffee.csv', COFFEE));
    await page.getByText('Columns to learn from').waitFor();
    await this.take(page, 'file');
    await page.locator('input[type=file]').setInputFiles(fileOf('holiday.csv', '\0\0\0not a table'));
    await page.getByRole('alert').waitFor();
    await this.take(page, 'wrong-file');
    await page.close();
    const secure = await this.open(server, '/join/watches');
    await secure.getByText('Drop a table here').waitFor();
    await this.take(secure, 'setup-secure');
    await secure.close();
    const nowhere = await this.open(server, '/join/none');
    await nowhere.getByRole('alert').waitFor();
    await this.take(nowhere, 'no-federation');
    await nowhere.close();
  }

  async ofRefusals(server) {
    const page = await this.open(server, '/join/activity');
    await page.getByText('You need an invitation first').waitFor();
    await this.take(page, 'invitation-needed');
    await page.close();
    const [{ token }] = await server.invite('activity', { lifetimeMs: 1 });
    const expired = await this.open(server, `/join/activity#invitation=${token}&demo=har:1:31&name=ben`);
    await expired.getByRole('button', { name: 'Join', exact: true }).click();
    await expired.getByRole('alert').waitFor();
    await this.take(expired, 'invitation-expired');
    await expired.close();
  }

  async ofRun(servers, people) {
    const server = await servers.start();
    const page = await this.open(server, '/join/activity#demo=har:1:32&name=ada');
    await page.getByRole('button', { name: 'Join', exact: true }).click();
    await page.getByText('more people').first().waitFor();
    people.joinAll(server);
    await page.getByText('Your model says').waitFor();
    await this.take(page, 'learning');
    await page.getByRole('heading', { name: 'Your model is ready' }).waitFor({ timeout: 120_000 });
    await this.take(page, 'ready');
    const second = await this.open(server, '/join/activity');
    await second.getByText('Runs in another tab').waitFor();
    await second.getByText('Your model says').waitFor();
    await this.take(second, 'second-tab');
    await second.close();
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('dialog').waitFor();
    await this.takeShot(page, 'leaving');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { name: 'You have left' }).waitFor();
    await this.take(page, 'left');
    await page.close();
  }

  async ofLostServer(servers) {
    const server = await servers.start();
    const page = await this.open(server, '/join/waiting#demo=har:1:30&name=ada');
    await page.getByRole('button', { name: 'Join', exact: true }).click();
    await page.getByText('more people').first().waitFor();
    await this.take(page, 'waiting');
    await servers.stop(server);
    await page.getByRole('heading', { name: 'The server does not answer' }).waitFor();
    await this.take(page, 'server-gone');
    await this.context.setOffline(true);
    await page.getByRole('heading', { name: 'This device is offline' }).waitFor();
    await this.take(page, 'offline');
    await this.context.setOffline(false);
    await page.close();
  }
}

function fileOf(name, text) {
  return { name, mimeType: 'text/csv', buffer: Buffer.from(text) };
}
