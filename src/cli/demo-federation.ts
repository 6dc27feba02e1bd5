/** A federation of processes on this machine: `kindred serve`, one `kindred join` for each person, `kindred verify`. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Verification } from '../check/verify.ts';
import { rowsOfParticipant } from '../data/participants.ts';
import type { Table } from '../data/table.ts';
import { writeCsv } from '../data/write-csv.ts';
import { ServedCoordinator } from '../node/admin/served.ts';
import { askServer } from '../node/admin/server-client.ts';
import { writeAtomically } from '../node/files/files.ts';
import { ANYTHING } from '../settings/kinds.ts';
import { DemoProcess, outputOf, type TestedPerson, testedByState } from './demo-process.ts';
import { joinLink } from './join-link.ts';
import { scientific } from './number-text.ts';

const REFRESH_MS = 200;
const HOME = '/v1/federations/default';

export interface DemoSetting {
  readonly folder: string;
  readonly seed: number;
  readonly testFraction: number;
  /** The last participant takes this many times as long as the first. */
  readonly slowest: number;
  /** stay: everybody stays connected after training, reads their file again when it changes, and is stopped by `stop`. */
  readonly afterTraining: 'exit' | 'stay';
  /** More flags of `kindred serve`, such as --host. */
  readonly serve: readonly string[];
}

/** What training has come to. */
export interface Trained {
  readonly people: readonly TestedPerson[];
  readonly rounds: number;
  readonly relativeGap: number;
  /** From the first round to the end. */
  readonly trainingMs: number;
}

export interface FederationState {
  readonly phase: string;
  readonly round: number;
  readonly relativeGap: number | null;
  readonly bestGap: number | null;
  readonly participants: { readonly connected: number; readonly joined: number };
}

export class DemoFederation {
  readonly store: string;
  /** Folders of the people's states. */
  readonly states: readonly string[];
  private readonly table: Table;
  private readonly setting: DemoSetting;
  private readonly server: ServedCoordinator;
  private processes: readonly DemoProcess[] = [];

  private constructor(table: Table, setting: DemoSetting, server: ServedCoordinator) {
    this.table = table;
    this.setting = setting;
    this.server = server;
    this.store = storeIn(setting.folder);
    this.states = table.participants.map((id) => join(setting.folder, 'state', id));
  }

  /** The server listens; nobody has joined. */
  static async start(table: Table, setting: DemoSetting): Promise<DemoFederation> {
    const { folder, seed, afterTraining } = setting;
    mkdirSync(join(folder, 'state'));
    const options = ['--min-participants', `${table.participants.length}`, '--seed', `${seed}`];
    const server = await ServedCoordinator.start(storeIn(folder), [...options, ...setting.serve], {
      group: afterTraining === 'stay' ? 'own' : 'ours',
      // The demo's own is in a file.
      env: { KINDRED_OPERATOR_TOKEN: undefined },
    });
    return new DemoFederation(table, setting, server);
  }

  /** For this machine. */
  get dashboard(): string {
    return this.server.dashboard;
  }

  /** Everybody joins with their rows, until training rests. */
  async train(onProgress: (text: string) => void): Promise<Trained> {
    const { participants: ids } = this.table;
    onProgress('writing one file per participant');
    for (const id of ids) await this.writeRows(id, rowsOfParticipant(this.table, id)!);
    const invitations = await this.invite(ids.length);
    this.processes = ids.map((id, k) => this.join(id, k, invitations[k]));
    const watching = this.watch(onProgress);
    try {
      const people = await this.tested();
      const { bestGap } = await this.state();
      const history = (await this.ask('/history')) as readonly { round: number; closedMs: number }[];
      const last = history[history.length - 1];
      const trainingMs = last.closedMs - history[0].closedMs;
      return { people, rounds: last.round, relativeGap: bestGap ?? Number.NaN, trainingMs };
    } finally {
      clearInterval(watching);
    }
  }

  fileOf(id: string): string {
    return join(this.setting.folder, `${id}.csv`);
  }

  async writeRows(id: string, rows: Table): Promise<void> {
    await writeAtomically(this.fileOf(id), writeCsv(rows));
  }

  async state(): Promise<FederationState> {
    return (await this.ask('')) as FederationState;
  }

  /** For one more person, and the generated rows that are theirs. */
  async link(name: string, demo: string | undefined): Promise<string> {
    const [invitation] = await this.invite(1);
    return joinLink(new URL(this.server.page).origin, 'default', { invitation, name, demo });
  }

  /** Saves everything. */
  async stop(): Promise<void> {
    await Promise.all(this.processes.map((one) => one.stop()));
    await this.server.stop();
  }

  /** At once. */
  kill(): void {
    for (const one of this.processes) one.kill();
    this.server.kill();
  }

  /** Of a federation that is stopped. */
  async verify(): Promise<Verification> {
    return await outputOf<Verification>(['verify', this.store, ...this.states, '--json']);
  }

  private join(id: string, k: number, invitation: string): DemoProcess {
    const { testFraction, seed, slowest, afterTraining } = this.setting;
    const data = ['--data', this.fileOf(id), '--task', id, '--state', this.states[k]];
    const split = ['--test-fraction', `${testFraction}`, '--seed', `${seed}`, '--report-tests'];
    const slowdown = ['--slowdown', `${1 + ((slowest - 1) * k) / (this.states.length - 1)}`];
    const trust = this.server.certificateFile === undefined ? [] : ['--ca', this.server.certificateFile];
    const after = afterTraining === 'stay' ? ['--watch', '--verbose'] : ['--json'];
    const address = new URL(this.dashboard).origin;
    return new DemoProcess(['join', address, ...data, ...split, ...slowdown, ...trust, ...after], {
      group: afterTraining === 'stay' ? 'own' : 'ours',
      env: { KINDRED_INVITATION: invitation },
    });
  }

  private async tested(): Promise<TestedPerson[]> {
    const { testFraction, seed, afterTraining } = this.setting;
    if (afterTraining === 'exit') return await Promise.all(this.processes.map((one) => one.result()));
    await Promise.all(this.processes.map((one) => one.rested));
    const split = { testFraction, seed };
    return this.table.participants.map((id, k) =>
      testedByState(this.states[k], rowsOfParticipant(this.table, id)!, split),
    );
  }

  private async invite(count: number): Promise<string[]> {
    const { invitations } = (await this.ask('/invitations', { count })) as {
      readonly invitations: readonly { readonly token: string }[];
    };
    return invitations.map(({ token }) => token);
  }

  private async ask(path: string, body?: unknown): Promise<unknown> {
    const { certificateFile, operatorToken: token } = this.server;
    const tls = certificateFile === undefined ? undefined : { ca: readFileSync(certificateFile, 'utf8') };
    return await askServer(new URL(this.dashboard).origin, `${HOME}${path}`, body, { token, tls }, ANYTHING);
  }

  private watch(onProgress: (text: string) => void) {
    return setInterval(async () => {
      const state = await this.state().catch(() => undefined);
      if (state) onProgress(progressText(state, this.states.length));
    }, REFRESH_MS);
  }
}

function progressText({ phase, round, relativeGap, participants }: FederationState, people: number): string {
  return phase === 'gathering'
    ? `${participants.connected} of ${people} participants connected`
    : `round ${round}, relative gap ${scientific(relativeGap)}`;
}

const storeIn = (folder: string) => join(folder, 'kindred.db');
