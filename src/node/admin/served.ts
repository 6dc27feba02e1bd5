/** `kindred serve` as a process of its own, for benches, demos and scripts. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { KindredError } from '../../base/errors.ts';

const PROGRAM = fileURLToPath(new URL('../../../bin/kindred.js', import.meta.url));
const START_MS = 20_000;

/** Starts this program again as another process, with its output in reach. */
export function spawnKindred(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
}

/** What it prints when it is ready. */
interface Ready {
  readonly url: string;
  readonly operatorTokenFile: string;
}

export class ServedCoordinator {
  readonly url: string;
  private readonly child: ChildProcess;
  private readonly tokenFile: string;

  private constructor(child: ChildProcess, { url, operatorTokenFile }: Ready) {
    this.child = child;
    this.url = url;
    this.tokenFile = operatorTokenFile;
  }

  /** Resolves when it listens, on loopback, at any port that is free. */
  static async start(store: string, args: readonly string[]): Promise<ServedCoordinator> {
    const fixed = ['serve', '--port', '0', '--log-level', 'error', '--json', '--store', store];
    const child = spawnKindred([...fixed, ...args]);
    let [out, errors] = ['', ''];
    child.stderr?.on('data', (data) => {
      errors = `${errors}${data}`.slice(-2000);
    });
    const ready = await new Promise<Ready>((resolve, reject) => {
      const fail = () => {
        const why = errors.trim() || 'no error message';
        reject(new KindredError('SERVER_FAILED', `the server did not start: ${why}`, 'run'));
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

  /** As the operator. */
  async post(path: string, body: unknown = {}): Promise<Response> {
    const token = readFileSync(this.tokenFile, 'utf8').trim();
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return await fetch(`${this.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  /** In bytes, as the process itself reports. */
  async memory(): Promise<number> {
    const text = await (await this.get('/metrics')).text();
    return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1]);
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
}

/** One JSON document, which may come in pieces. */
function documentIn(text: string): Ready | undefined {
  try {
    return JSON.parse(text) as Ready;
  } catch {
    return undefined;
  }
}
