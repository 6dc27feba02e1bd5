/** A real nats-server on loopback, with JetStream in a folder of its own: it can be killed, and started again with what it had stored. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { programPath } from './programs.ts';

export const natsProgram = programPath('nats-server');

const READY = /Server is ready/;
/** Somebody else may take a free port before the server does. */
const IN_USE = /address already in use/;
const MOST_TRIES = 20;

export class NatsServer {
  readonly port: number;
  readonly folder: string;
  private process: ChildProcess | undefined;
  private readonly config: string;

  private constructor(port: number, more: string) {
    this.port = port;
    this.folder = mkdtempSync(join(tmpdir(), 'kindred-nats-'));
    this.config = join(this.folder, 'server.conf');
    const store = join(this.folder, 'jetstream');
    writeFileSync(
      this.config,
      `host: 127.0.0.1\nport: ${port}\njetstream { store_dir: "${store}" }\n${more}\n`,
    );
  }

  /** `more`: further lines of its configuration. */
  static async start(more = ''): Promise<NatsServer> {
    for (let tries = 1; ; tries++) {
      const server = new NatsServer(await freePort(), more);
      try {
        await server.run();
        return server;
      } catch (error) {
        await server.end();
        if (tries === MOST_TRIES || !IN_USE.test((error as Error).message)) throw error;
      }
    }
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  async run(): Promise<void> {
    const child = spawn(natsProgram!, ['-c', this.config], { stdio: ['ignore', 'ignore', 'pipe'] });
    this.process = child;
    let log = '';
    await new Promise<void>((resolve, reject) => {
      child.stderr!.on('data', (chunk: Buffer) => {
        log += chunk;
        if (READY.test(log)) resolve();
      });
      child.once('exit', (code) => reject(new Error(`nats-server ended with ${code}: ${log}`)));
    });
  }

  /** SIGKILL: nothing is written any more. */
  async kill(): Promise<void> {
    const child = this.process;
    this.process = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    await new Promise((resolve) => {
      child.once('exit', resolve);
      child.kill('SIGKILL');
    });
  }

  /** From its next start on. */
  withoutJetStream(): void {
    writeFileSync(this.config, `host: 127.0.0.1\nport: ${this.port}\n`);
  }

  /** All that it had stored. */
  loseStore(): void {
    rmSync(join(this.folder, 'jetstream'), { recursive: true, force: true });
  }

  async end(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** For one test, or for those of a file if it is called outside of a test and ended by the caller. */
export async function natsForTest(more = ''): Promise<NatsServer> {
  const server = await NatsServer.start(more);
  onTestFinished(() => server.end());
  return server;
}

/** Of those that systems give to outgoing connections none: a server that is down for a moment must find its port free. */
const PORTS = { from: 10_240, to: 32_000 };

export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.from + Math.floor((PORTS.to - PORTS.from) * Math.random());
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (isListening) await new Promise((resolve) => server.close(resolve));
  return isListening;
}
