/** `kindred serve` in this process: comes back when it listens. */
import { type Outcome, run } from '../cli/helpers.ts';

export interface Ready {
  readonly url: string;
  readonly store: string;
  readonly federations: readonly string[];
  readonly operatorTokenFile: string | null;
  readonly pid: number;
  readonly dashboard: string;
  readonly page: string;
}

export interface Served extends Ready {
  /** When it has ended. */
  readonly outcome: Promise<Outcome>;
}

/** With `--port 0 --json --exit-when-finished` before what is given. */
export async function serve(argv: readonly string[], env: Record<string, string> = {}): Promise<Served> {
  let hear: (line: string) => void;
  const ready = new Promise<string>((resolve) => {
    hear = resolve;
  });
  const stdout = { isTerminal: false, write: (text: string) => hear(text) };
  const always = ['--port', '0', '--json', '--exit-when-finished', '--log-level', 'warn'];
  const outcome = run(['serve', ...always, ...argv], { stdout, env });
  const ended = outcome.then(({ code, stderr }) => {
    throw new Error(`it has ended with ${code}: ${stderr}`);
  });
  const line = await Promise.race([ready, ended]);
  ended.catch(() => {});
  return { ...(JSON.parse(line) as Ready), outcome };
}
