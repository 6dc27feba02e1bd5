/**
 * Chaos: a coordinator and 12 participants as real processes over loopback, killed (SIGKILL) again and again at random moments and
 * started again, until a given number of kills has been dealt. A third of the kills waits for a file to be written and comes
 * in the middle of that. After every training: it has ended, the relative gap is below 1e-3, and what the participants hold is
 * what the coordinator's store holds, to 1e-9 (`kindred verify`); the dual bound has never fallen while it was about the same
 * participants, as it would if accepted answers were lost; everybody has an accepted answer; and everybody's log, over all sessions,
 * replayed through the machines gives the same effects to the byte (`kindred replay`).
 *
 *   node scripts/chaos.mjs [--kills 40] [--seed 1] [--participants 12] [--keep] [--json]
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { stream } from '../dist/base/random.js';
import { run, start } from './processes.mjs';

const { values: flags } = parseArgs({
  options: {
    kills: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    participants: { type: 'string', default: '12' },
    keep: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const KILLS = Number(flags.kills);
const PARTICIPANTS = Number(flags.participants);
const GAP = 1e-3;
/** Participants pretend to be so many times as slow, so that a training lasts long enough to be disturbed. */
const SLOWDOWN = '60';
/** Kills of one training; the rest goes to the next one. */
const KILLS_OF_RUN = 8;
const RUN_LIMIT_MS = 120_000;

const random = stream(Number(flags.seed), 'chaos');
const between = (low, high) => low + random.uniform() * (high - low);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const say = (text) => process.stderr.write(`${text}\n`);

/** A process that is started again when it was killed, and only then. */
class Kept {
  constructor(name, args) {
    this.name = name;
    this.args = args;
    this.errors = '';
    this.done = new Promise((resolve) => {
      this.finish = resolve;
    });
    this.start();
  }

  start() {
    this.out = '';
    this.child = start(this.args);
    this.child.stdout.on('data', (data) => {
      this.out += data;
    });
    this.child.stderr.on('data', (data) => {
      this.errors = (this.errors + data).slice(-4000);
    });
    this.child.on('exit', (code, signal) => {
      if (signal === 'SIGKILL') this.ended?.();
      else this.finish(code ?? signal);
    });
  }

  get alive() {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  async kill() {
    const ended = new Promise((resolve) => {
      this.ended = resolve;
    });
    if (!this.child.kill('SIGKILL')) return false;
    await ended;
    return true;
  }
}

/** Undefined where it takes longer. */
async function within(ms, promise) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  return await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Resolves when something in the folder (or the file) is being written, or when the time is up. */
function written(path, limitMs) {
  return new Promise((resolve) => {
    if (!existsSync(path)) return resolve(false);
    const watcher = watch(path, () => end(true));
    const timer = setTimeout(() => end(false), limitMs);
    function end(hit) {
      clearTimeout(timer);
      watcher.close();
      resolve(hit);
    }
  });
}

async function freePort() {
  const { createServer } = await import('node:net');
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** One training with some kills; gives how many were dealt, and what was found afterwards. */
async function training(folder, data, number, kills) {
  const store = join(folder, 'kindred.db');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const logs = join(folder, 'logs');
  mkdirSync(logs, { recursive: true });
  const serve = `serve --port ${port} --store ${store} --record ${logs} --json`;
  const options = `--min-participants ${PARTICIPANTS} --gap ${GAP} --c1 10 --wait all --max-wait 5s --seed ${number}`;
  const server = new Kept('coordinator', `${serve} ${options}`.split(' '));
  const states = Array.from({ length: PARTICIPANTS }, (_, k) => join(folder, `p${k + 1}`));
  const people = states.map((state, k) => {
    const own = `--data ${data} --task ${k + 1} --state ${state} --record ${join(logs, `p${k + 1}.log`)}`;
    return new Kept(`p${k + 1}`, `join ${url} ${own} --slowdown ${SLOWDOWN} --json`.split(' '));
  });
  const all = Promise.all(people.map((one) => one.done));
  let over = false;
  all.then(() => {
    over = true;
  });
  const places = {
    coordinator: `${store}-wal`,
    ...Object.fromEntries(states.map((s, k) => [`p${k + 1}`, s])),
  };
  // Mostly while it trains, but joining and starting must stand it, too.
  if (number % 3 !== 0) await started(url, () => over);
  const dealt = await deal([server, ...people], places, kills, () => over);
  const codes = await within(RUN_LIMIT_MS, all);
  if (!codes) {
    const stuck = [server, ...people]
      .filter((one) => one.alive)
      .map((one) => `${one.name}: ${one.errors.slice(-300)}`);
    for (const one of [server, ...people]) one.child.kill('SIGKILL');
    return { dealt, problem: `training did not end within ${RUN_LIMIT_MS} ms\n${stuck.join('\n')}` };
  }
  const failed = people.filter((_, k) => codes[k] !== 0);
  const federation = await fetch(`${url}/v1/federations/default`).then((response) => response.json());
  const { rounds } = await fetch(`${url}/v1/federations/default/rounds?limit=1000`).then((response) =>
    response.json(),
  );
  server.child.kill('SIGTERM');
  await server.done;
  if (failed.length > 0) {
    return { dealt, problem: failed.map((one) => `${one.name} failed: ${one.errors}`).join('\n') };
  }
  const verified = await run(['verify', store, ...states, '--json']);
  const replayed = await run(['replay', ...readdirSync(logs).map((name) => join(logs, name))]);
  const { conservation, ok, participants = [] } = verified.out === '' ? {} : JSON.parse(verified.out);
  const unheard = participants.filter(({ storeRound }) => !storeRound).map(({ id }) => id);
  const last = rounds.at(-1);
  const problems = [
    ok ? '' : `verify: ${verified.errors || verified.out}`,
    federation.finish === 'gap' ? '' : `ended by ${federation.finish}`,
    last.relativeGap <= GAP ? '' : `relative gap ${last.relativeGap}`,
    fallen(rounds),
    crossed(rounds),
    unheard.length === 0 ? '' : `no accepted answer of ${unheard.join(', ')}`,
    replayed.code === 0 ? '' : `replay: ${replayed.errors}`,
  ];
  const problem = problems.filter((text) => text !== '').join('; ');
  return {
    dealt,
    problem,
    rounds: last.round,
    gap: last.relativeGap,
    missing: last.missing.length,
    conservation: conservation?.relativeError,
  };
}

/** A bound of the same problem never falls, unless accepted answers were lost; with other members missing it is another problem. */
function fallen(rows) {
  let best = Number.NEGATIVE_INFINITY;
  let about = '';
  for (const { round, dual, missing } of rows) {
    if (dual === null) continue;
    if (about !== missing.join()) best = Number.NEGATIVE_INFINITY;
    about = missing.join();
    if (dual < best - 1e-9 * Math.abs(best)) return `the dual fell in round ${round}: answers were lost`;
    best = Math.max(best, dual);
  }
  return '';
}

/** No lower bound is above an upper one: a gap of 0 that is none would end a training too early. */
function crossed(rows) {
  const wrong = rows.find(({ primal, dual }) => primal !== null && dual > primal + 1e-6 * Math.abs(primal));
  return wrong ? `round ${wrong.round}: dual ${wrong.dual} above primal ${wrong.primal}` : '';
}

/** Resolves when the first round is open. */
async function started(url, isOver) {
  while (!isOver()) {
    const state = await fetch(`${url}/v1/federations/default`)
      .then((response) => response.json())
      .catch(() => ({}));
    if (state.round > 0) return;
    await pause(50);
  }
}

async function deal(processes, places, kills, isOver) {
  const dealt = { total: 0, coordinator: 0, writing: 0 };
  while (dealt.total < kills && !isOver()) {
    const [server, ...people] = processes;
    const victim = random.uniform() < 0.3 ? server : people[random.below(people.length)];
    if (!victim.alive) {
      await pause(10);
      continue;
    }
    const writing = random.uniform() < 1 / 3 && (await written(places[victim.name], 2000));
    if (isOver() || !(await victim.kill())) continue;
    dealt.total++;
    if (writing) dealt.writing++;
    if (victim === server) dealt.coordinator++;
    // At once, or after the others have noticed.
    setTimeout(() => victim.start(), between(0, 300));
    await pause(between(0, 500));
  }
  return dealt;
}

const folder = mkdtempSync(join(tmpdir(), 'kindred-chaos-'));
say(`chaos: ${KILLS} kills, ${PARTICIPANTS} participants, seed ${flags.seed}, in ${folder}`);
const data = join(folder, 'people.csv');
const made = await run([
  'data',
  'make',
  'har',
  '--participants',
  `${PARTICIPANTS}`,
  '--seed',
  flags.seed,
  '--out',
  data,
]);
if (made.code !== 0) throw new Error(made.errors);
const runs = [];
let dealt = 0;
while (dealt < KILLS) {
  const result = await training(
    join(folder, `run-${runs.length + 1}`),
    data,
    runs.length + 1,
    Math.min(KILLS_OF_RUN, KILLS - dealt),
  );
  dealt += result.dealt.total;
  runs.push(result);
  const { total, coordinator, writing } = result.dealt;
  say(
    `  training ${runs.length}: ${total} kills (${coordinator} of the coordinator, ${writing} in the middle of a write), ` +
      (result.problem
        ? `PROBLEM: ${result.problem}`
        : `${result.rounds} rounds, gap ${result.gap.toExponential(1)}, ${result.missing} missing, conservation ${result.conservation.toExponential(1)}`),
  );
  if (result.problem) break;
}
const problem = runs.find((one) => one.problem)?.problem;
if (flags.json) process.stdout.write(`${JSON.stringify({ kills: dealt, runs, ok: !problem }, null, 2)}\n`);
say(
  problem
    ? `chaos: FAILED after ${dealt} kills; everything is kept in ${folder}`
    : `chaos: ${dealt} kills, nothing lost`,
);
if (!problem && !flags.keep) rmSync(folder, { recursive: true, force: true });
process.exitCode = problem ? 1 : 0;
