/** A program on a terminal of its own, through `script` of util-linux: for what it does only where somebody is there. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { programPath } from './programs.ts';

/** Undefined: there is none here, and a line has said so; in CI that is a failure. */
export const script = programPath('script');

const CTRL_C = '\x03';
const PATIENCE_MS = 100_000;

export class Terminal {
  output = '';
  private readonly child: ChildProcess;
  private readonly closed: Promise<unknown>;
  private listen = () => {};

  constructor(command: string, env: Readonly<Record<string, string>>) {
    // `exec`: a shell that stays between them would answer ctrl-c too, dash with an exit code of its own.
    this.child = spawn(script!, ['--quiet', '--return', '--command', `exec ${command}`, '/dev/null'], {
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.closed = once(this.child, 'close');
    this.child.stdout!.setEncoding('utf8').on('data', (more: string) => {
      this.output += more;
      this.listen();
    });
  }

  /** The first match in all that it has written, once it is there. */
  async reads(pattern: RegExp): Promise<RegExpExecArray> {
    return await new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`no ${pattern} in ${this.output}`)), PATIENCE_MS);
      this.listen = () => {
        const found = pattern.exec(this.output);
        if (!found) return;
        clearTimeout(late);
        resolve(found);
      };
      this.listen();
      void this.closed.then(() => reject(new Error(`it ended without ${pattern}: ${this.output}`)));
    });
  }

  interrupt(): void {
    this.child.stdin!.write(CTRL_C);
  }

  /** That of the program. */
  async exitCode(): Promise<number | null> {
    await this.closed;
    return this.child.exitCode;
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }
}
