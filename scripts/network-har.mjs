/**
 * The measurements of docs/network.md: a training of 30 participants as 30 real processes, against `kindred train` on the same
 * rows; then with a third of them ten times as slow, waiting for all against closing rounds after a while.
 *
 *   node scripts/network-har.mjs [data.csv.gz]      (needs a build; without a file: the embedded HAR-like data)
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeHarLike, modelFromJson, readTable, rowsOfParticipant, writeCsv } from 'kindred';
import { readParticipantState } from '../dist/node/client/state-folder.js';
import { outputOf as run, start } from './processes.mjs';

const [file] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'kindred-network-'));
const say = (text) => process.stdout.write(`${text}\n`);

/** One training of real processes; gives its history and the folders of the participants' states. */
async function federation(name, ids, serveFlags, slowdownOf) {
  const here = join(folder, name);
  mkdirSync(here);
  const store = join(here, 'kindred.db');
  const server = start(
    ['serve', '--port', '0', '--store', store, '--json', '--log-level', 'error', ...serveFlags],
    'inherit',
  );
  const { url } = await new Promise((resolve) =>
    server.stdout.once('data', (data) => resolve(JSON.parse(data))),
  );
  const states = ids.map((id) => join(here, `state-${id}`));
  await Promise.all(
    ids.map((id, k) => {
      const data = ['--data', join(folder, `${id}.csv`), '--task', id, '--state', states[k]];
      return run(['join', url, ...data, '--slowdown', `${slowdownOf(k)}`, '--json']);
    }),
  );
  const history = await (await fetch(`${url}/v1/federations/default/history`)).json();
  const ended = new Promise((resolve) => server.on('exit', resolve));
  server.kill('SIGTERM');
  await ended;
  const verified = JSON.parse(await run(['verify', store, ...states, '--json']));
  return { history, states, conservation: verified.conservation.relativeError };
}

const norm = (vector) => Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));

/** Largest relative difference between the participants' own models and those of a training in one process. */
function difference(states, model, c2) {
  const differences = states.map((state) => {
    const { participant, stored } = readParticipantState(state);
    const { w, u } = stored.model;
    const own = w.map((value, j) => value + u[j] / c2);
    const v = model.personal.get(participant);
    const expected = model.w.map((value, j) => value + v[j]);
    return norm(own.map((value, j) => value - expected[j])) / norm(expected);
  });
  return Math.max(...differences);
}

function course(history) {
  const last = history.at(-1);
  const seconds = (last.closedMs - history[0].closedMs) / 1000;
  return { rounds: last.round, gap: last.relativeGap, seconds };
}

const table = file
  ? await readTable(file, { drop: ['activity'] })
  : makeHarLike({ participants: 30, seed: 1 });
const ids = table.participants;
for (const id of ids)
  writeFileSync(join(folder, `${id}.csv`), [...writeCsv(rowsOfParticipant(table, id))].join(''));
const whole = join(folder, 'all.csv');
writeFileSync(whole, [...writeCsv(table)].join(''));
await run(['train', whole, '--test-fraction', '0', '--model', join(folder, 'model.json')]);
const model = modelFromJson(readFileSync(join(folder, 'model.json'), 'utf8'), 'model.json');
say(`${table.source}: ${ids.length} participants, ${table.n} rows, ${table.features.length} features`);
const all = ['--min-participants', `${ids.length}`];

const equal = await federation('equal', ids, [...all, '--wait', 'all'], () => 1);
const { rounds, gap } = course(equal.history);
say(
  `${ids.length} processes, all respond: ${rounds} rounds, gap ${gap.toExponential(1)}; models differ from train's by ` +
    `${difference(equal.states, model, 1).toExponential(1)}, conservation ${equal.conservation.toExponential(1)}`,
);

// So slow that it is the pretended devices that take the time, not the two cores that all of them share.
const slowdownOf = (k) => (k % 3 === 0 ? 400 : 40);
for (const [name, wait] of [
  ['waiting for all', ['--wait', 'all', '--straggler', 'restart']],
  ['rounds of 250 ms, anytime', ['--wait', '250ms', '--straggler', 'anytime']],
]) {
  const result = await federation(name.replaceAll(/\W+/g, '-'), ids, [...all, ...wait], slowdownOf);
  const { rounds: n, gap: g, seconds } = course(result.history);
  say(
    `a third ten times as slow, ${name}: ${n} rounds, gap ${g.toExponential(1)}, ${seconds.toFixed(1)} s, ` +
      `conservation ${result.conservation.toExponential(1)}`,
  );
}
rmSync(folder, { recursive: true, force: true });
