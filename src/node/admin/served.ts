/** `kindred serve` as a process of its own, for benches, demos and scripts. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { KindredError } from '../../base/errors.ts';

const PROGRAM = fileURLToPath(new URL('../../../bin/kindred.js', import.meta.url));
const START_MS = 20_000;

export interface SpawnOptions {
  /** `own`: a ctrl-c of the terminal does not reach it, so that whoever has started it stops it in good order. */
  readonly group?: 'ours' | 'own';
  /** In addition to our own; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Starts this program again as another process, with its output in reach. */
export function spawnKindred(args: readonly string[], { group, env }: SpawnOptions = {}): ChildProcess {
  return spawn(process.execPath, [PROGRAM, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: group === 'own',
    env: { ...process.env, ...env },
  });
}

/** What it prints when it is ready. */
interface Ready {
  readonly url: string;
  readonly operatorTokenFile: string;
  readonly dashboard: string;
  readonly page: string;
  /** With --tls-self-signed. */
  readonly certificate?: { readonly file: string };
}

export class ServedCoordinator {
  readonly url: string;
  /** Where a browser on this machine finds its pages, and where other people's find that for taking part. */
  readonly dashboard: string;
  readonly page: string;
  /** The certificate that it has made for itself. */
  readonly certificateFile: string | undefined;
  private readonly child: ChildProcess;
  private readonly tokenFile: string;

  private constructor(child: ChildProcess, ready: Ready) {
    this.child = child;
    this.url = ready.url;
    this.dashboard = ready.dashboard;
    this.page = ready.page;
    this.certificateFile = ready.certificate?.file;
    this.tokenFile = ready.operatorTokenFile;
  }

  /** Resolves when it listens: on loopback and at any port that is free, unless `args` say otherwise. */
  static start(
    store: string,
    args: readonly string[],
    options: SpawnOptions = {},
  ): Promise<ServedCoordinator> {
    return ServedCoordinator.run('serve', ['--store', store, ...args], options);
  }

  /** Another process that serves, such as a gateway. */
  static async run(
    command: string,
    args: readonly string[],
    options: SpawnOptions = {},
  ): Promise<ServedCoordinator> {
    const fixed = [command, '--port', '0', '--log-level', 'error', '--json'];
    const child = spawnKindred([...fixed, ...args], options);
    let [out, errors] = ['', ''];
    child.stderr?.on('data', (data) => {
      errors = `${errors}${data}`.slice(-2000);
    });
    const ready = await new Promise<Ready>((resolve, reject) => {
      const fail = () => {
        const why = errors.trim() || 'no error message';
        reject(new KindredError('SERVER_FAILED', `kindred ${command} did not start: ${why}`, 'run'));
      };
      const timer = setTimeout(fail, START_MS);
      child.once('exit', fail);
      child.stdout?.on('data', (data) => {
        out += data;
        const found = documentIn(out);
        if (!found) return;
        clearTimeout(timer);
        child.removeListener('exit', fail);
        resolve(found);
      });
    });
    return new ServedCoordinator(child, ready);
  }

  async get(path: string): Promise<Response> {
    return await fetch(`${this.url}${path}`);
  }

  get operatorToken(): string {
    return readFileSync(this.tokenFile, 'utf8').trim();
  }

  /** As the operator. */
  async post(path: string, body: unknown = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${this.operatorToken}`, 'content-type': 'application/json' };
    return await fetch(`${this.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  /** In bytes, as the process itself reports. */
  memory(): Promise<number> {
    return this.metric('process_resident_memory_bytes');
  }

  /** Of processor time since its start. */
  cpuSeconds(): Promise<number> {
    return this.metric('process_cpu_seconds_total');
  }

  private async metric(name: string): Promise<number> {
    const text = await (await this.get('/metrics')).text();
    return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]);
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  async stop(): Promise<void> {
    if (!this.isRunning) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
  }

  /** At once, without saving. */
  kill(): void {
    this.child.kill('SIGKILL');
  }
}

/** One JSON document, which may come in pieces. */
function documentIn(text: string): Ready | undefined {
  try {
    return JSON.parse(text) as Ready;
  } catch {
    return undefined;
  }
}
