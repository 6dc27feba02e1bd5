import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { Io } from '../../src/cli/io.ts';
import { runCli } from '../../src/cli/main.ts';
import { makeHarLike } from '../../src/data/generate-har.ts';
import { makeRegression } from '../../src/data/generate-regression.ts';
import type { Table } from '../../src/data/table.ts';
import { writeCsv } from '../../src/data/write-csv.ts';

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line in this process, with everything it writes caught. */
export async function run(argv: readonly string[], changes: Partial<Io> = {}): Promise<Outcome> {
  const written = { stdout: '', stderr: '' };
  const writer = (name: keyof typeof written) => ({
    isTerminal: false,
    write: (text: string) => {
      written[name] += text;
    },
  });
  const io: Io = {
    program: 'kindred',
    stdout: writer('stdout'),
    stderr: writer('stderr'),
    stdin: async () => new Uint8Array(0),
    env: {},
    now: () => performance.now(),
    ...changes,
  };
  const code = await runCli(argv, io);
  return { code, ...written };
}

/** Runs a command that must succeed in silence, and gives its JSON document. */
export async function runJson<T = TrainDocument>(...argv: string[]): Promise<T> {
  const { code, stdout, stderr } = await run([...argv, '--json']);
  if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`);
  return JSON.parse(stdout) as T;
}

/** The fields of `train --json` that others may rely on. */
export interface TrainDocument {
  method: string;
  objective: string;
  participants: (Metrics & { id: string; rows: number; testRows: number })[];
  mean: Metrics;
  certificate?: { primal: number; dual: number; relativeGap: number };
  conservation?: { relativeError: number };
  rounds: number;
  passes: number;
  history: { round: number; primal: number; dual: number | null; relativeGap: number | null }[];
  timing?: { loadMs: number; solveMs: number };
  seed: number;
  options: Record<string, unknown>;
}

interface Metrics {
  errorRate?: number;
  balancedAccuracy?: number;
  r2?: number;
  rmse?: number;
}

/** A folder of its own for a test file, gone afterwards. */
export class Sandbox {
  readonly folder = mkdtempSync(join(tmpdir(), 'kindred-cli-'));

  constructor() {
    afterAll(() => rmSync(this.folder, { recursive: true, force: true }));
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, content: string | Uint8Array): string {
    writeFileSync(this.path(name), content);
    return this.path(name);
  }

  read(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  bytes(name: string): Uint8Array {
    return new Uint8Array(readFileSync(this.path(name)));
  }

  /** Names of all files, hidden ones too. */
  list(): string[] {
    return readdirSync(this.folder, { recursive: true }).map(String).sort();
  }
}

export function csvOf(table: Table): string {
  return [...writeCsv(table)].join('');
}

/** Small and quick, yet with both classes for everyone. */
export function smallHar(seed = 1): Table {
  return makeHarLike({ participants: 4, rowsPerParticipant: 60, features: 12, seed });
}

export function smallRegression(): Table {
  return makeRegression({ tasks: 3, rows: 40, features: 5, heterogeneity: 'diverse' });
}

/** Some rows of a table, as another table. */
export function rowsOf(table: Table, rows: Uint32Array): Table {
  const d = table.features.length;
  return {
    ...table,
    n: rows.length,
    x: Float64Array.from(
      { length: rows.length * d },
      (_, at) => table.x[rows[Math.floor(at / d)] * d + (at % d)],
    ),
    participantOf: Uint32Array.from(rows, (i) => table.participantOf[i]),
    targets: Array.from(rows, (i) => table.targets![i]),
  };
}
