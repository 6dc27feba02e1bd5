// Which files run while a federation trains: a server and two participants in this process, and the functions that V8 has seen
// called from one round to the next (main thread; the participants' solver threads are not counted).
//   npm run build && node scripts/walk.mjs
import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseTable } from 'kindred';
import { joinFederation } from 'kindred/client';
import { DEFAULT_OPTIONS } from 'kindred/internals/coordinator/options';
import { startServer } from 'kindred/server';

const folder = mkdtempSync(join(tmpdir(), 'kindred-walk-'));
const server = await startServer({
  store: join(folder, 'kindred.db'),
  host: '127.0.0.1',
  port: 0,
  enrolment: 'open',
});
const stop = { ...DEFAULT_OPTIONS.stop, gap: 0, rounds: 100_000 };
await server.ensure('default', { ...DEFAULT_OPTIONS, minParticipants: 2, stop });

let solved = 0;
let trained = () => {};
const steady = new Promise((resolve) => {
  trained = resolve;
});
const participations = [];
for (const participant of ['1', '2']) {
  participations.push(
    joinFederation({
      url: server.url,
      participant,
      stateFolder: join(folder, participant),
      data: { table: await parseTable(csvOf(participant), 'rows.csv') },
      onEvent: ({ type }) => type === 'solved' && ++solved === 12 && trained(),
    }),
  );
}
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
await steady;
await session.post('Profiler.takePreciseCoverage');
await new Promise((resolve) => setTimeout(resolve, 500));
const { result } = await session.post('Profiler.takePreciseCoverage');
const files = result.flatMap(({ url, functions }) => {
  const called = functions.filter(({ functionName, ranges }) => functionName && ranges[0].count > 0);
  const [, file] = url.split('/dist/');
  return file && called.length > 0 ? [{ file, functions: called.length }] : [];
});
for (const { file, functions } of files.sort((a, b) => (a.file < b.file ? -1 : 1)))
  console.log(`${functions}\t${file}`);
console.log(`${files.length} files, ${files.reduce((sum, { functions }) => sum + functions, 0)} functions`);

for (const participation of participations) await participation.close();
await server.close();
rmSync(folder, { recursive: true, force: true });

function csvOf(participant) {
  const rows = Array.from({ length: 40 }, (_, i) => {
    const y = (7 * i + Number(participant)) % 2 === 0 ? -1 : 1;
    return [
      participant,
      y,
      0.3 * y + Math.sin(i * participant + 1),
      Math.cos(i + Number(participant)),
    ].join();
  });
  return new TextEncoder().encode(`task,y,a,b\n${rows.join('\n')}\n`);
}
