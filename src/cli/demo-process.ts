/** One `kindred join` of the demo, in a process of its own. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { KindredError } from '../base/errors.ts';
import { splitAsTrain } from '../client/own-rows.ts';
import type { JoinResult } from '../client/participation-options.ts';
import { selectRows } from '../data/participants.ts';
import type { Table } from '../data/table.ts';
import { evaluate } from '../methods/evaluate.ts';
import { type SpawnOptions, spawnKindred } from '../node/admin/served.ts';
import { modelFromFolder } from '../node/client/state-folder.ts';

/** How well somebody's own model does on the rows that they kept for testing. */
export interface TestedPerson {
  readonly id: string;
  readonly errorRate?: number | undefined;
  readonly balancedAccuracy?: number | undefined;
}

/** As `kindred join --verbose` says it. */
const RESTS = /^training rests after round /m;

export class DemoProcess {
  /** Once training has rested for the first time; needs --verbose. Rejects where the process ends before. */
  readonly rested: Promise<void>;
  private readonly command: string;
  private readonly child: ChildProcess;
  private readonly output: Promise<string>;
  private readonly ended: Promise<unknown>;
  private errors = '';

  constructor(args: readonly string[], options: SpawnOptions) {
    this.command = args[0];
    this.child = spawnKindred(args, options);
    this.output = text(this.child.stdout!);
    this.ended = once(this.child, 'close');
    this.rested = new Promise((resolve, reject) => {
      this.child.stderr!.setEncoding('utf8').on('data', (more: string) => {
        this.errors = `${this.errors}${more}`.slice(-2000);
        if (RESTS.test(this.errors)) resolve();
      });
      void this.ended.then(() => reject(this.failure()));
    });
    // Whoever waits for it hears of it.
    this.rested.catch(() => {});
  }

  /** What it writes at its end, with --json. */
  async result(): Promise<TestedPerson> {
    const { participant, test } = await this.document<JoinResult>();
    return { id: participant, ...test };
  }

  async document<T>(): Promise<T> {
    await this.ended;
    const out = await this.output;
    if (out === '') throw this.failure();
    return JSON.parse(out) as T;
  }

  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.ended;
  }

  /** At once, without saving. */
  kill(): void {
    this.child.kill('SIGKILL');
  }

  private failure(): KindredError {
    const { exitCode, signalCode } = this.child;
    const how = exitCode === null ? `was ended by ${signalCode}` : `exited with code ${exitCode}`;
    return new KindredError('DEMO_FAILED', `kindred ${this.command} ${how}: ${this.errors.trim()}`, 'run');
  }
}

/** Runs a command to its end; gives the document that it writes. */
export async function outputOf<T>(args: readonly string[], options: SpawnOptions = {}): Promise<T> {
  return await new DemoProcess(args, options).document<T>();
}

interface SplitSetting {
  readonly testFraction: number;
  readonly seed: number;
}

/** The same as the process would say at its end, from what it has stored. */
export function testedByState(state: string, own: Table, { testFraction, seed }: SplitSetting): TestedPerson {
  const [id] = own.participants;
  const { test } = splitAsTrain(own, id, testFraction, seed);
  const [tested] = evaluate(modelFromFolder(state), selectRows(own, test)).participants;
  return tested;
}
