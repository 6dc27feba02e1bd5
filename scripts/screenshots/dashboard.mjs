/** The dashboard in each of its states. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { joinFederation } from 'kindred/client';
import { makeHarLike } from 'kindred/internals/data/generate-har';
import { rowsOfParticipant } from 'kindred/internals/data/participants';
import { parseOptions, startServer } from 'kindred/server';

const NAMES = ['ada', 'ben', 'cleo', 'dana', 'emil', 'fay', 'gus', 'hana', 'ivo', 'jun', 'kim', 'lea'];

/** Slow enough to be seen at work, and never done. */
const LIVE = {
  minParticipants: NAMES.length,
  passes: 3,
  waiting: { kind: 'fixed', ms: 1500 },
  stop: { gap: 1e-12, rounds: 100_000 },
};
const FEDERATIONS = {
  hospitals: { minParticipants: 6, stop: { gap: 1e-6 } },
  watches: { minParticipants: 6, secure: true, stop: { gap: 1e-3 } },
  sensors: {
    minParticipants: 6,
    dp: { clip: 1, epsilon: 8, delta: 1e-5, bounds: [-1, 1] },
    stop: { rounds: 12 },
  },
  kitchens: { minParticipants: 4 },
};

export async function shoot({ browser, take, views }) {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-screenshots-'));
  const people = new People(folder);
  const servers = [];
  const start = async (options) => {
    const store = join(folder, `${servers.length}.db`);
    const server = await startServer({ store, version: '0.1.0', ...options });
    servers.push(server);
    return server;
  };
  try {
    const server = await start({ reports: reportsIn(folder) });
    const forbidden = await start({ loopback: false });
    const empty = await start({});
    await populate(server, people);
    for (const { name, options } of views) {
      const context = await browser.newContext(options);
      const shots = new Shots(context, (page, state) => take(page, `dashboard-${state}-${name}`));
      await shots.ofVisitor(server, { forbidden, empty });
      await shots.ofReports(server);
      await shots.ofOperator(server);
      await shots.ofLostServer(await start({}));
      await context.close();
    }
  } finally {
    people.leave();
    for (const server of servers) await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** In the form of a report of `kindred reproduce`: the real one takes minutes. */
function reportsIn(folder) {
  const report = join(folder, 'reports', 'quick');
  mkdirSync(report, { recursive: true });
  const verdicts = [
    ['holds', 'The first claim.', 'made up for this screenshot'],
    ['holds in part', 'The second claim.', 'made up for this screenshot'],
    ['does not hold', 'The third claim.', 'made up for this screenshot'],
  ].map(([verdict, claim, measured], i) => ({
    id: `c${i}`,
    section: `${4 + i}`,
    claim,
    measured: [measured],
    verdict,
  }));
  writeFileSync(join(report, 'verdicts.json'), JSON.stringify(verdicts));
  writeFileSync(join(report, 'report.html'), '<!doctype html><title>Report</title>');
  return join(folder, 'reports');
}

/** Participants on rows of made-up people. */
class People {
  constructor(folder) {
    this.folder = folder;
    this.table = makeHarLike({ participants: NAMES.length, seed: 7 });
    this.joined = [];
  }

  join(server, federation, k, more = {}) {
    const participant = NAMES[k];
    const participation = joinFederation({
      url: `${server.url}/${federation}`,
      stateFolder: join(this.folder, `${federation}-${participant}`),
      participant,
      data: { table: rowsOfParticipant(this.table, this.table.participants[k]) },
      testFraction: 0.3,
      // Nothing of tests may be sent under differential privacy.
      reportTests: federation !== 'sensors',
      keepGoing: true,
      ...more,
    });
    participation.done.catch(() => {});
    this.joined.push(participation);
    return participation;
  }

  leave() {
    for (const participation of this.joined) participation.close();
  }
}

async function populate(server, people) {
  for (const [name, options] of Object.entries(FEDERATIONS))
    await server.create(name, parseOptions(name, options));
  await server.create('wards', parseOptions('wards', LIVE));
  for (const name of ['hospitals', 'watches', 'sensors']) {
    for (let k = 0; k < 6; k++) people.join(server, name, k, { secure: name === 'watches' });
  }
  const isDone = (name) => server.federation(name).host.state.phase === 'finished';
  await until(() => ['hospitals', 'watches', 'sensors'].every(isDone), 'the finished federations');
  // The last two are too slow for the deadline.
  for (let k = 0; k < NAMES.length; k++)
    people.join(server, 'wards', k, { slowdown: k < 10 ? 20 + 60 * k : 5000 });
  await until(() => server.federation('wards').host.state.round >= 14, 'rounds of wards');
}

async function until(isSo, what) {
  for (const endMs = Date.now() + 60_000; !isSo(); await pause(50)) {
    if (Date.now() > endMs) throw new Error(`waited in vain: ${what}`);
  }
}

class Shots {
  constructor(context, take) {
    this.context = context;
    this.take = take;
  }

  /** A page at a view of the dashboard. */
  async at({ url }, hash = '#/') {
    const page = await this.context.newPage();
    await page.goto(`${url}/${hash}`);
    return page;
  }

  async ofVisitor(server, { forbidden, empty }) {
    const list = await this.at(server);
    await list.getByText('federations,').waitFor();
    await pause(500);
    await this.take(list, 'list');
    await list.close();
    const nothing = await this.at(empty);
    await nothing.getByText('No federation yet').waitFor();
    await this.take(nothing, 'empty');
    const gate = await this.at(forbidden);
    await gate.getByText('Sign in to look').waitFor();
    await this.take(gate, 'forbidden');
    await gate.getByLabel('Token', { exact: true }).fill('wrong');
    await gate.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
    await gate.getByText('does not know this token').waitFor();
    await this.take(gate, 'forbidden-wrong');
    const missing = await this.at(server, '#/federations/nowhere');
    await missing.getByText('There is no federation').waitFor();
    await this.take(missing, 'missing');
    for (const page of [nothing, gate, missing]) await page.close();
    await this.ofFederations(server);
  }

  async ofFederations(server) {
    for (const name of ['wards', 'hospitals', 'watches', 'sensors', 'kitchens']) {
      const page = await this.at(server, `#/federations/${name}`);
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      await pause(1500);
      await this.take(page, name);
      await page.getByRole('heading', { name: 'Participants' }).scrollIntoViewIfNeeded();
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
      await pause(300);
      await this.take(page, `${name}-below`);
      await page.close();
    }
    const compare = await this.at(server, '#/compare?run=hospitals:1&run=watches:1&run=wards:1');
    await compare.getByText('In numbers').waitFor();
    await pause(400);
    await this.take(compare, 'compare');
    await compare.close();
  }

  async ofReports(server) {
    const page = await this.at(server, '#/reports/quick');
    await page.getByText('The first claim').waitFor();
    await this.take(page, 'report');
    await page.close();
  }

  async ofOperator(server) {
    const page = await this.at(server);
    await page.evaluate((token) => sessionStorage.setItem('kindred.token', token), server.operatorToken);
    await page.reload();
    await page.getByRole('button', { name: 'New federation' }).click();
    await page.getByLabel('Name').fill('clinics');
    await this.take(page, 'create');
    await page.keyboard.press('Escape');
    await page.goto(`${server.url}/#/federations/wards`);
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByRole('button', { name: 'Create invitation' }).click();
    await page.getByText('It is shown only now').waitFor();
    await this.take(page, 'invitation');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'More actions' }).click();
    await this.take(page, 'menu');
    await page.getByRole('menuitem', { name: 'Change the deadline' }).click();
    await this.take(page, 'deadline');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'ada', exact: true }).click();
    await pause(300);
    await this.take(page, 'participant');
    await page.keyboard.press('Escape');
    await page.goto(`${server.url}/#/audit`);
    await page.getByText('Entries').waitFor();
    await this.take(page, 'audit');
    await page.close();
  }

  async ofLostServer(server) {
    await server.create('wards', parseOptions('wards', {}));
    const page = await this.at(server, '#/federations/wards');
    await page.getByRole('heading', { name: 'wards', level: 1 }).waitFor();
    await server.close();
    await page.getByText('What you see is from before').waitFor();
    await this.take(page, 'lost');
    await page.close();
  }
}
