/** Real processes of a federation on NATS, which can be killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../../bin/kindred.js', import.meta.url));

interface Ready {
  readonly url: string;
  readonly standby?: true;
}

export class KindredProcess {
  readonly url: string;
  readonly isStandby: boolean;
  private readonly child: ChildProcess;

  private constructor(child: ChildProcess, { url, standby }: Ready) {
    this.child = child;
    this.url = url;
    this.isStandby = standby === true;
  }

  /** Resolves when it says that it is ready. Gone when the test is over. */
  static async start(folder: string, ...args: readonly string[]): Promise<KindredProcess> {
    const child = spawn(
      process.execPath,
      [PROGRAM, ...args, '--json', '--port', '0', '--log-level', 'warn'],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        cwd: folder,
        env: { ...process.env, KINDRED_OPERATOR_TOKEN: 'operator-token' },
      },
    );
    onTestFinished(() => void child.kill('SIGKILL'));
    let [out, errors] = ['', ''];
    child.stderr.on('data', (data) => (errors = `${errors}${data}`.slice(-4000)));
    return await new Promise((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`kindred ${args[0]} ended with ${code}: ${errors}`)));
      child.stdout.on('data', (data) => {
        out += data;
        const end = out.indexOf('\n');
        if (end >= 0) resolve(new KindredProcess(child, JSON.parse(out.slice(0, end)) as Ready));
      });
    });
  }

  /** SIGKILL: nobody is told. */
  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  stop(): Promise<void> {
    return this.end('SIGTERM');
  }

  private end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return Promise.resolve();
    return new Promise((resolve) => {
      this.child.once('exit', () => resolve());
      this.child.kill(signal);
    });
  }
}
