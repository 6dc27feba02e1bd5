/** A federation of processes on this machine: `kindred serve`, one `kindred join` for each participant, `kindred verify`. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { KindredError } from '../base/errors.ts';
import type { Verification } from '../check/verify.ts';
import type { JoinResult } from '../client/participation-options.ts';
import { rowsOfParticipant } from '../data/participants.ts';
import type { Table } from '../data/table.ts';
import { writeCsv } from '../data/write-csv.ts';
import { ServedCoordinator, spawnKindred } from '../node/admin/served.ts';
import { writeAtomically } from '../node/files/files.ts';
import { scientific } from './number-text.ts';

const REFRESH_MS = 200;

export type Federated = Awaited<ReturnType<typeof federate>>;

interface DemoSetting {
  readonly folder: string;
  readonly seed: number;
  readonly testFraction: number;
  /** The last participant takes this many times as long as the first. */
  readonly slowest: number;
}

export async function federate(table: Table, setting: DemoSetting, onProgress: (text: string) => void) {
  const { folder, seed, testFraction, slowest } = setting;
  const ids = table.participants;
  onProgress('writing one file per participant');
  for (const id of ids)
    await writeAtomically(join(folder, `${id}.csv`), writeCsv(rowsOfParticipant(table, id)!));
  mkdirSync(join(folder, 'state'));
  const store = join(folder, 'kindred.db');
  const states = ids.map((id) => join(folder, 'state', id));
  const options = ['--min-participants', `${ids.length}`, '--seed', `${seed}`];
  const server = await ServedCoordinator.start(store, options);
  try {
    const watching = watch(server, ids.length, onProgress);
    const people = await Promise.all(
      ids.map((id, k) => {
        const data = ['--data', join(folder, `${id}.csv`), '--task', id, '--state', states[k]];
        const split = ['--test-fraction', `${testFraction}`, '--seed', `${seed}`];
        const slowdown = ['--slowdown', `${1 + ((slowest - 1) * k) / (ids.length - 1)}`];
        return outputOf<JoinResult>(['join', server.url, ...data, ...split, ...slowdown, '--json']);
      }),
    ).finally(() => clearInterval(watching));
    const { bestGap } = await stateOf(server);
    const history = await getJson<readonly { round: number; closedMs: number }[]>(server, '/history');
    const last = history[history.length - 1];
    await server.stop();
    onProgress('verifying');
    const { conservation, ok } = await outputOf<Verification>(['verify', store, ...states, '--json']);
    return {
      ...{ folder, store, states, people },
      rounds: last.round,
      relativeGap: bestGap ?? Number.NaN,
      // From the first round to the end.
      trainingMs: last.closedMs - history[0].closedMs,
      conservation: conservation.relativeError,
      verified: ok,
    };
  } finally {
    await server.stop();
  }
}

/** Runs a command of this program in a process of its own; gives the document that it writes. */
async function outputOf<T>(args: readonly string[]): Promise<T> {
  const child = spawnKindred(args);
  const closed = new Promise((resolve) => child.on('close', resolve));
  const [out, errors] = await Promise.all([text(child.stdout!), text(child.stderr!)]);
  const ended = `kindred ${args[0]} exited with code ${await closed}`;
  if (out !== '') return JSON.parse(out) as T;
  throw new KindredError('DEMO_FAILED', `${ended}: ${errors.trim()}`, 'run');
}

interface FederationState {
  readonly phase: string;
  readonly round: number;
  readonly relativeGap: number | null;
  readonly bestGap: number | null;
  readonly participants: { readonly connected: number };
}

async function getJson<T>(server: ServedCoordinator, path: string): Promise<T> {
  return (await (await server.get(`/v1/federations/default${path}`)).json()) as T;
}

const stateOf = (server: ServedCoordinator) => getJson<FederationState>(server, '');

function watch(server: ServedCoordinator, people: number, onProgress: (text: string) => void) {
  return setInterval(async () => {
    const state = await stateOf(server).catch(() => undefined);
    if (!state) return;
    const { phase, round, relativeGap, participants } = state;
    if (phase === 'gathering') onProgress(`${participants.connected} of ${people} participants connected`);
    else onProgress(`round ${round}, relative gap ${scientific(relativeGap)}`);
  }, REFRESH_MS);
}
