/** A server in a process of its own, so that its survival, its memory and its clock are its own, with any limits. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ServerLimits } from '../../src/node/server/limits.ts';
import { type Ask, ask, type Heard } from './http.ts';

const PROGRAM = fileURLToPath(new URL('./limited-server.mjs', import.meta.url));

/** What the process knows of itself. */
interface Observed {
  /** The longest time for which the machine had no time for this process, whatever the process did. */
  readonly stalledMs: number;
  /** By federation and round: who had no connection when the round was closed. */
  readonly gone: Readonly<Record<string, Readonly<Record<number, readonly string[]>>>>;
}

interface Ready {
  readonly url: string;
  readonly token: string;
}

export class LimitedServer {
  readonly url: string;
  readonly store: string;
  private readonly token: string;
  private readonly child: ChildProcess;

  private constructor(child: ChildProcess, store: string, { url, token }: Ready) {
    this.child = child;
    this.store = store;
    this.url = url;
    this.token = token;
  }

  /** Listens on loopback when it comes back. */
  static async start(store: string, limits: Partial<ServerLimits> = {}): Promise<LimitedServer> {
    const child = fork(PROGRAM, [JSON.stringify({ store, limits })], { execArgv: [] });
    const failed = once(child, 'exit').then(() => {
      throw new Error('the server did not start');
    });
    const [ready] = (await Promise.race([once(child, 'message'), failed])) as [Ready];
    failed.catch(() => {});
    return new LimitedServer(child, store, ready);
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  async observed(): Promise<Observed> {
    const answer = once(this.child, 'message');
    this.child.send('observed?');
    const [observed] = (await answer) as [Observed];
    return observed;
  }

  /** As the operator. */
  operate(path: string, options: Ask = {}): Promise<Heard> {
    return ask(`${this.url}${path}`, { token: this.token, ...options });
  }

  /** Options as the API takes them. */
  async create(name: string, options: object): Promise<void> {
    const { status, text } = await this.operate('/v1/federations', { body: { name, options } });
    if (status !== 201) throw new Error(`federation ${name}: ${status} ${text}`);
  }

  /** The store is one plain file then. */
  async stop(): Promise<void> {
    if (!this.isRunning) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
  }
}
