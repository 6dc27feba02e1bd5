/**
 * Files and frames as this version writes them, for test/fixtures/<name>/: run it before a format changes, commit what it writes, and
 * test/fixtures.test.ts checks from then on that they are read, or refused with a sentence that says what to do.
 *
 *   node scripts/make-fixtures.mjs [name]      default: v and the version in package.json
 *
 *   frames.json      every golden frame of the protocol, in hex
 *   data.csv         the rows of three participants, "1" to "3"
 *   model.json       of kindred train
 *   plain/           a federation of all three after its last round
 *   secure/          the same with secure aggregation
 *   interrupted/     stopped in its first round: participant "1" does not know yet whether its answer was accepted
 *
 * Each federation: store.db.gz, coordinator.log, participant-1.log, state-1/, state-2/, state-3/.
 *
 * Everything is made by the commands that users have, so that no change of the code inside can make this script lie.
 */
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const KINDRED = join(ROOT, 'bin/kindred.js');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const TARGET = join(ROOT, 'test/fixtures', process.argv[2] ?? `v${version}`);
const IDS = ['1', '2', '3'];
const DATA = 'data.csv';

const children = [];
/** Work is done in a folder of its own, with relative names: no path of this machine gets into a file. */
const work = mkdtempSync(join(tmpdir(), 'kindred-fixtures-'));

function start(args) {
  const child = spawn(process.execPath, [KINDRED, ...args], { cwd: work, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let output = '';
  const seen = [];
  const read = (data) => {
    output += data;
    for (const { pattern, resolve } of seen) {
      const match = output.match(pattern);
      if (match) resolve(match);
    }
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  const ended = new Promise((resolve, reject) => {
    child.on('exit', (code) =>
      code ? reject(new Error(`${args[0]}: exit ${code}\n${output}`)) : resolve(output),
    );
  });
  ended.catch(() => {});
  return {
    ended,
    /** Resolves with the first match in what it prints. */
    prints: (pattern) => new Promise((resolve) => seen.push({ pattern, resolve })),
    stop: (signal) => child.kill(signal),
  };
}

const SERVE = [
  '--port',
  '0',
  '--objective',
  'regression',
  '--min-participants',
  '3',
  '--gap',
  '1e-2',
  '--open',
];

async function serve(folder, ...options) {
  mkdirSync(join(work, folder));
  const store = ['--store', `${folder}/store.db`, '--record', `${folder}/logs`];
  const server = start(['serve', ...SERVE, ...store, '--exit-when-finished', ...options]);
  const [, url] = await server.prints(/(http:\/\/127\.0\.0\.1:\d+)/);
  return { ...server, url };
}

function joinAs(url, folder, id, ...options) {
  const files = ['--state', `${folder}/state-${id}`, '--record', `${folder}/participant-${id}.log`];
  return start(['join', url, '--data', DATA, '--task', id, ...files, '--verbose', ...options]);
}

async function trained(folder, ...options) {
  const server = await serve(folder, ...options);
  await Promise.all(IDS.map((id) => joinAs(server.url, folder, id, ...options).ended));
  await server.ended;
  keep(folder);
}

/** The third participant takes minutes for its answer, so the first one has sent its own and cannot know its outcome. */
async function interrupted(folder) {
  const server = await serve(folder);
  const others = ['2', '3'].map((id) =>
    joinAs(server.url, folder, id, '--slowdown', id === '3' ? '1000000' : '1'),
  );
  const first = joinAs(server.url, folder, '1');
  await first.prints(/round 1: sent/);
  for (const participant of [first, ...others]) {
    participant.stop('SIGKILL');
    await participant.ended.catch(() => {});
  }
  server.stop('SIGTERM');
  await server.ended;
  keep(folder);
}

function keep(folder) {
  const [from, to] = [join(work, folder), join(TARGET, folder)];
  for (const id of IDS) {
    for (const name of ['state', 'identity'])
      cpSync(join(from, `state-${id}`, name), join(to, `state-${id}`, name));
  }
  cpSync(join(from, 'participant-1.log'), join(to, 'participant-1.log'));
  cpSync(join(from, 'logs/default.log'), join(to, 'coordinator.log'));
  writeFileSync(join(to, 'store.db.gz'), gzipSync(readFileSync(join(from, 'store.db')), { level: 9 }));
}

function frames() {
  const folder = join(ROOT, 'test/fixtures/protocol');
  const names = readdirSync(folder).filter((name) => name.endsWith('.hex'));
  const hex = (name) => readFileSync(join(folder, name), 'utf8').replaceAll(/\s/g, '');
  const entries = names.sort().map((name) => [name.replace('.hex', ''), hex(name)]);
  writeFileSync(join(TARGET, 'frames.json'), `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
}

if (existsSync(TARGET)) throw new Error(`${TARGET}: exists; fixtures of a version are written once`);
mkdirSync(TARGET, { recursive: true });
try {
  await start([
    'data',
    'make',
    'regression',
    '--participants',
    '3',
    '--rows',
    '12',
    '--features',
    '3',
    '--out',
    DATA,
  ]).ended;
  await start(['train', DATA, '--objective', 'regression', '--model', 'model.json']).ended;
  for (const name of [DATA, 'model.json']) cpSync(join(work, name), join(TARGET, name));
  await trained('plain');
  await trained('secure', '--secure');
  await interrupted('interrupted');
  frames();
} finally {
  for (const child of children) child.kill('SIGKILL');
  rmSync(work, { recursive: true });
}
