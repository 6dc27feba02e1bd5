/** kindred calibrate: how long local passes take on this machine, as constants for simulated devices. */
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { stream } from '../base/random.ts';
import { Arena } from '../math/arena.ts';
import { checkWritable, writeAtomically } from '../node/files/files.ts';
import { type Calibration, fitCalibration, formulaText, type PassTimes } from '../sim/calibration.ts';
import { calibrationFigure } from '../sim/figures.ts';
import { LocalSolve } from '../solver/local-solve.ts';
import { Shard } from '../solver/shard.ts';
import { finish } from './flags.ts';
import type { Io } from './io.ts';
import { type Layout, writeResult } from './layout.ts';
import { Progress } from './progress.ts';

interface Flags {
  readonly out?: string;
  readonly json?: true;
}

const ROWS = [20, 60, 200, 600] as const;
const COLUMNS = [25, 100, 300, 561] as const;
const MEASUREMENTS = 20;
/** The slowest are other programs' doing: they are left out. */
const COUNTED = 16;
/** A solve of as many passes as a device makes before it answers, at the least. */
const PASSES = 5;
/** Clocks are too coarse for one short solve: as many in a row as last this long. */
const LEAST_MS = 1.5;

export function addCalibrate(program: Command, io: Io): void {
  const command = program
    .command('calibrate')
    .description(
      'Measure local passes on this machine and fit the compute model of simulated devices to them.',
    )
    .option('--out <file>', 'write the fit here, and calibration.svg next to it')
    .action((flags: Flags) => runCalibrate(io, flags));
  finish(command, 'kindred calibrate --out calibration.json');
}

async function runCalibrate(io: Io, flags: Flags): Promise<void> {
  const { out } = flags;
  if (out !== undefined) await checkWritable(out);
  const progress = new Progress(io);
  const times: PassTimes[] = [];
  // The first measurement of a process measures its compiler.
  measurePasses(io.now, ROWS[0], COLUMNS[0]);
  for (const rows of ROWS) {
    for (const columns of COLUMNS) {
      progress.show(`calibrate: ${rows} rows of ${columns} columns`);
      times.push({ rows, columns, ms: measurePasses(io.now, rows, columns) });
    }
  }
  progress.clear();
  const fit = fitCalibration(times);
  const written: string[] = [];
  if (out !== undefined) {
    const { drawFigure } = await import('../charts/draw.ts');
    const chart = join(dirname(out), 'calibration.svg');
    await writeAtomically(out, [`${JSON.stringify(fit, null, 2)}\n`]);
    await writeAtomically(chart, [drawFigure(calibrationFigure(fit))]);
    written.push(`${out}, ${chart}`);
  }
  const model = JSON.stringify(out ?? roundedModel(fit));
  await writeResult(io, flags, fit, (layout) => report(fit, written, model, layout));
}

/** Random rows, both classes, and every row in every pass: the cost that the model describes. */
function measurePasses(now: () => number, n: number, d: number): number[] {
  const random = stream(1, 'calibrate', n, d);
  const arena = new Arena();
  const settings = { objective: 'classification', c1: 1, c2: 1, epsilon: 0 } as const;
  const input = {
    n,
    d,
    y: Float64Array.from({ length: n }, (_, i) => (i % 2 === 0 ? 1 : -1)),
    write: (_: number, row: Float32Array) => {
      for (let j = 0; j < d; j++) row[j] = random.normal() / Math.sqrt(d);
    },
  };
  const shard = new Shard(arena, settings, input, 'rows');
  const [beta, z] = [new Float64Array(n), new Float64Array(d)];
  const solve = () => {
    shard.load(beta, z);
    const local = new LocalSolve(shard, { sigma: 20, tolerance: 1e-9, seed: 1 });
    local.runPasses(PASSES);
    return local.passes;
  };
  const timed = (times: number) => {
    const started = now();
    let passes = 0;
    for (let i = 0; i < times; i++) passes += solve();
    return { ms: now() - started, passes };
  };
  timed(3);
  let times = 1;
  while (timed(times).ms < LEAST_MS && times < 1 << 16) times *= 2;
  const measured = Array.from({ length: MEASUREMENTS }, () => {
    const { ms, passes } = timed(times);
    return ms / passes;
  });
  return measured.sort((a, b) => a - b).slice(0, COUNTED);
}

function report(
  fit: Calibration,
  written: readonly string[],
  model: string,
  { line, table }: Layout,
): string[] {
  const percent = (value: number) => `${(100 * value).toFixed(1)}%`;
  const rows = fit.points.map((point) => [
    String(point.rows),
    String(point.columns),
    `${point.measuredMs.toPrecision(3)} ms`,
    `${point.fittedMs.toPrecision(3)} ms`,
    percent(point.residual),
    percent(point.deviation),
  ]);
  return [
    ...table(['rows', 'columns', 'measured', 'fitted', 'residual', 'deviation'], rows),
    '',
    line('A pass', `${formulaText(fit)}, spread ${percent(fit.spread)}`),
    ...written.map((files) => line('Written', files)),
    line('In a scenario', `"compute": ${model}`),
  ];
}

function roundedModel({ fixedMs, perRowMs, perValueMs, spread }: Calibration): object {
  const entries = Object.entries({ fixedMs, perRowMs, perValueMs, spread });
  return Object.fromEntries(entries.map(([name, value]) => [name, Number(value.toPrecision(3))]));
}
