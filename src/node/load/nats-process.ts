/** nats-server as a process of its own, with JetStream in a folder, for benches. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { inputError, KindredError } from '../../base/errors.ts';

/** Debian installs it where only root looks. */
const SERVER_FOLDERS = ['/usr/sbin', '/usr/local/sbin'];
const START_MS = 20_000;

export class NatsProcess {
  readonly url: string;
  private readonly child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.child = child;
    this.url = `nats://127.0.0.1:${port}`;
  }

  static async start(folder: string): Promise<NatsProcess> {
    const port = await freePort();
    const args = ['-a', '127.0.0.1', '-p', `${port}`, '-js', '-sd', folder];
    const child = spawn(natsProgram(), args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let log = '';
    await new Promise<void>((resolve, reject) => {
      const fail = () =>
        reject(new KindredError('SERVER_FAILED', `nats-server did not start: ${log}`, 'run'));
      const timer = setTimeout(fail, START_MS);
      child.once('exit', fail);
      child.stderr?.on('data', (data) => {
        log = `${log}${data}`.slice(-2000);
        if (!log.includes('Server is ready')) return;
        clearTimeout(timer);
        child.removeListener('exit', fail);
        resolve();
      });
    });
    return new NatsProcess(child, port);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
  }
}

function natsProgram(): string {
  for (const folder of [...(process.env.PATH ?? '').split(delimiter), ...SERVER_FOLDERS]) {
    const path = join(folder, 'nats-server');
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not here.
    }
  }
  throw inputError('NATS_SERVER_MISSING', 'nats-server: expected the program to be installed, got none');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
