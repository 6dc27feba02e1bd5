/** A federation of processes on this machine: `kindred serve`, one `kindred join` for each participant, `kindred verify`. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { KindredError } from '../base/errors.ts';
import type { JoinResult } from '../client/participation-options.ts';
import { rowsOfParticipant } from '../data/participants.ts';
import type { Table } from '../data/table.ts';
import { writeCsv } from '../data/write-csv.ts';
import { ServedCoordinator, spawnKindred } from '../node/admin/served.ts';
import { writeAtomically } from '../node/files/files.ts';
import { scientific } from './number-text.ts';

const LOOK_MS = 200;

interface DemoSetting {
  readonly folder: string;
  readonly seed: number;
  readonly testFraction: number;
  /** The last participant takes this many times as long as the first. */
  readonly slowest: number;
}

export interface Federated {
  readonly folder: string;
  readonly store: string;
  readonly states: readonly string[];
  readonly people: readonly JoinResult[];
  readonly rounds: number;
  readonly relativeGap: number;
  /** From the first round to the end. */
  readonly trainingMs: number;
  readonly conservation: number;
  readonly verified: boolean;
}

export async function federate(
  table: Table,
  setting: DemoSetting,
  onProgress: (text: string) => void,
): Promise<Federated> {
  const { folder, seed } = setting;
  const ids = table.participants;
  onProgress('writing everybody their own file');
  for (const id of ids)
    await writeAtomically(join(folder, `${id}.csv`), writeCsv(rowsOfParticipant(table, id)!));
  mkdirSync(join(folder, 'state'));
  const store = join(folder, 'kindred.db');
  const states = ids.map((id) => join(folder, 'state', id));
  const server = await ServedCoordinator.start(store, [
    '--min-participants',
    `${ids.length}`,
    '--seed',
    `${seed}`,
  ]);
  try {
    const watching = watch(server, ids.length, onProgress);
    const people = await Promise.all(
      ids.map((id, k) => joined(id, states[k], server.url, k / (ids.length - 1), setting)),
    );
    watching.stop();
    const { bestGap } = await stateOf(server);
    const { rounds, trainingMs } = await courseOf(server);
    await server.stop();
    onProgress('verifying');
    const { conservation, ok } = await outputOf<Verified>(['verify', store, ...states, '--json']);
    return {
      folder,
      store,
      states,
      people,
      rounds,
      relativeGap: bestGap ?? Number.NaN,
      trainingMs,
      conservation: conservation.relativeError,
      verified: ok,
    };
  } finally {
    await server.stop();
  }
}

interface Verified {
  readonly conservation: { readonly relativeError: number };
  readonly ok: boolean;
}

/** `place`: from 0, the fastest, to 1. */
async function joined(
  id: string,
  state: string,
  url: string,
  place: number,
  { folder, seed, testFraction, slowest }: DemoSetting,
): Promise<JoinResult> {
  const data = ['--data', join(folder, `${id}.csv`), '--task', id, '--state', state];
  const split = ['--test-fraction', `${testFraction}`, '--seed', `${seed}`];
  const slowdown = ['--slowdown', `${1 + (slowest - 1) * place}`];
  return await outputOf<JoinResult>(['join', url, ...data, ...split, ...slowdown, '--json']);
}

/** Runs a command of this program in a process of its own; gives the document that it writes. */
async function outputOf<T>(args: readonly string[]): Promise<T> {
  const child = spawnKindred(args);
  let [out, errors] = ['', ''];
  child.stdout?.on('data', (data) => {
    out += data;
  });
  child.stderr?.on('data', (data) => {
    errors += data;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (out !== '') return JSON.parse(out) as T;
  throw new KindredError(
    'DEMO_FAILED',
    `kindred ${args[0]} ended with code ${code}: ${errors.trim()}`,
    'run',
  );
}

interface FederationState {
  readonly phase: string;
  readonly round: number;
  readonly relativeGap: number | null;
  readonly bestGap: number | null;
  readonly participants: { readonly connected: number };
}

async function stateOf(server: ServedCoordinator): Promise<FederationState> {
  return (await (await server.get('/v1/federations/default')).json()) as FederationState;
}

/** Rounds that were trained, and how long they took. */
async function courseOf(server: ServedCoordinator): Promise<{ rounds: number; trainingMs: number }> {
  const history = (await (await server.get('/v1/federations/default/history')).json()) as readonly {
    readonly round: number;
    readonly closedMs: number;
  }[];
  const [first] = history;
  const last = history[history.length - 1];
  return { rounds: last.round, trainingMs: last.closedMs - first.closedMs };
}

function watch(
  server: ServedCoordinator,
  people: number,
  onProgress: (text: string) => void,
): { stop(): void } {
  const timer = setInterval(async () => {
    const state = await stateOf(server).catch(() => undefined);
    if (!state) return;
    const { phase, round, relativeGap, participants } = state;
    if (phase === 'gathering') onProgress(`${participants.connected} of ${people} participants are here`);
    else onProgress(`round ${round}, relative gap ${scientific(relativeGap ?? undefined)}`);
  }, LOOK_MS);
  return { stop: () => clearInterval(timer) };
}
