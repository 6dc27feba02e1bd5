/** kindred bench: what is claimed about speed, measured side by side on this machine, as ratios. */
import type { Command } from 'commander';
import { makeHarLike } from '../data/generate-har.ts';
import type { Table } from '../data/table.ts';
import { type AggregationReport, benchAggregation } from './bench/aggregation.ts';
import { benchCoordinator, type CoordinatorPoint } from './bench/coordinator.ts';
import { benchKernel, benchScaling, type KernelReport, type ScalingReport } from './bench/kernels.ts';
import { benchLiblinear, hasLiblinear, type LiblinearReport } from './bench/liblinear.ts';
import { benchMethods, type MethodReport } from './bench/methods.ts';
import type { NetworkReport } from './bench/network.ts';
import { benchSecure, type SecureReport } from './bench/secure.ts';
import { benchStart, type StartReport } from './bench/start.ts';
import { addDataOptions, type DataFlags, readData } from './data-options.ts';
import { addJsonOption, example, nameList, oneOf } from './flags.ts';
import { type Io, writeJson, writeLines } from './io.ts';
import { Progress } from './progress.ts';
import { styleOf } from './style.ts';
import { type Column, textTable } from './text-table.ts';

const PARTS = [
  'kernel',
  'scaling',
  'liblinear',
  'aggregation',
  'methods',
  'start',
  'coordinator',
  'secure',
  'network',
] as const;
type Part = (typeof PARTS)[number];
/** Not `network`, which takes minutes and thousands of connections: only where it is asked for. */
const USUAL: readonly Part[] = PARTS.filter((part) => part !== 'network');
type Flags = DataFlags & { readonly data?: string; readonly only?: readonly string[]; readonly json?: true };

interface BenchReport {
  readonly data: string;
  kernel?: KernelReport;
  scaling?: ScalingReport;
  liblinear?: readonly LiblinearReport[] | 'not installed';
  aggregation?: AggregationReport;
  methods?: readonly MethodReport[];
  start?: readonly StartReport[];
  coordinator?: readonly CoordinatorPoint[];
  secure?: readonly SecureReport[];
  network?: NetworkReport;
}

export function addBench(program: Command, io: Io): void {
  const command = program
    .command('bench')
    .description('Measure kernels, solver, aggregation and methods side by side; medians and their ratios.')
    .argument('[part...]', `some parts only: ${PARTS.join(', ')} (default: all but network)`)
    .option('--data <file>', 'rows to solve on (default: generated HAR-like data of 30 people)')
    .option('--only <a,b>', 'the same as naming the parts', nameList)
    .action((parts: readonly string[], flags: Flags) => runBench(io, parts, flags));
  addDataOptions(command);
  addJsonOption(command);
  example(
    command,
    'kindred bench',
    'kindred bench aggregation --data har.csv.gz --drop activity',
    'kindred bench network',
  );
}

async function runBench(io: Io, named: readonly string[], flags: Flags): Promise<void> {
  const asked = [...named.map(oneOf('part', PARTS)), ...(flags.only ?? []).map(oneOf('--only', PARTS))];
  const parts = asked.length > 0 ? asked : USUAL;
  const table =
    flags.data === undefined
      ? makeHarLike({ participants: 30, seed: 1 })
      : await readData(io, flags.data, flags);
  const report: BenchReport = {
    data: `${table.source}, ${table.participants.length} participants, ${table.n} rows, ${table.features.length} features`,
  };
  const progress = new Progress(io);
  for (const part of parts) {
    const show = (what: string) => progress.show(`bench: ${what}`);
    show(part);
    await MEASURE[part](io, table, report, show);
  }
  progress.clear();
  if (flags.json) await writeJson(io, report);
  else await writeLines(io, textOf(io, report));
}

type Measure = (
  io: Io,
  table: Table,
  report: BenchReport,
  show: (what: string) => void,
) => void | Promise<void>;

const MEASURE: Readonly<Record<Part, Measure>> = {
  kernel: (io, _, report) => {
    report.kernel = benchKernel(io.now);
  },
  scaling: (io, _, report) => {
    report.scaling = benchScaling(io.now);
  },
  liblinear: (io, table, report) => {
    report.liblinear = hasLiblinear()
      ? [1, 10].map((c1) => benchLiblinear(io.now, table, c1))
      : 'not installed';
  },
  aggregation: (io, table, report) => {
    report.aggregation = benchAggregation(io.now, table);
  },
  methods: (io, table, report) => {
    report.methods = benchMethods(io.now, table);
  },
  start: async (io, table, report) => {
    report.start = await benchStart(io.now, table);
  },
  coordinator: (io, _, report, show) => {
    report.coordinator = benchCoordinator(io.now, show);
  },
  secure: (io, _, report) => {
    report.secure = [3, 10, 30, 100].map((participants) => benchSecure(io.now, participants));
  },
  network: async (_io, _table, report, show) => {
    // Loaded when it is needed: a server and its store take longer to load than the rest of the program.
    const { benchNetwork } = await import('./bench/network.ts');
    report.network = await benchNetwork(show);
  },
};

const ms = (value: number) => `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`;
const times = (value: number) => `${value.toFixed(2)}x`;
const right = (...titles: string[]): Column[] => titles.map((title) => ({ title, align: 'right' }));

function textOf(io: Io, report: BenchReport): string[] {
  const style = styleOf(io);
  const lines = [`Data: ${report.data}`];
  const section = (title: string, ...body: string[]) => lines.push('', style.bold(title), ...body);
  const { kernel, scaling, liblinear, aggregation, methods, start, coordinator, secure, network } = report;
  if (kernel) {
    section(
      'Kernel: one pass over the rows, SIMD against plain JavaScript',
      `  ${kernel.rows} x ${kernel.features}: ${ms(kernel.simdMs)} against ${ms(kernel.javascriptMs)}, ${times(kernel.ratio)} as fast`,
    );
  }
  if (scaling) {
    const rows = scaling.points.map((point) => [
      String(point.rows),
      String(point.features),
      ms(point.passMs),
      ((1e6 * point.passMs) / (point.rows * point.features)).toFixed(3),
    ]);
    section(
      'Scaling: cost of a pass',
      ...textTable(right('rows', 'features', 'pass', 'ns per value'), rows, style),
    );
    lines.push(`  time grows as (rows x features)^${scaling.exponent.toFixed(3)}`);
  }
  if (liblinear === 'not installed') {
    section('LIBLINEAR', "  not installed (Debian's package liblinear-tools), not compared");
  } else if (liblinear) {
    const rows = liblinear.map((run) => [
      String(run.c1),
      ms(run.ourMs),
      run.ourPrimal.toFixed(2),
      ms(run.liblinearMs),
      run.liblinearPrimal.toFixed(2),
      times(run.ratio),
      ms(run.personalMs),
    ]);
    section(
      'One global model to a relative gap of 1e-3, against LIBLINEAR -s 3 to the same primal (solving only); all personal models to 1e-3',
      ...textTable(
        right('C1', 'kindred', 'primal', 'liblinear', 'primal', 'as fast', 'all personal'),
        rows,
        style,
      ),
    );
  }
  if (aggregation)
    section(
      'Aggregation: rounds to a relative gap of 1e-2, default against CoCoA+ (safe, 5 passes)',
      ...aggregationLines(aggregation, style),
    );
  if (methods) {
    const rows = methods.map((run) => [
      run.method,
      ms(run.solveMs),
      times(run.solveMs / methods[0].solveMs),
      String(run.rounds),
      String(run.passes),
      `${(100 * run.errorRate).toFixed(2)}%`,
      run.balancedAccuracy.toFixed(4),
    ]);
    const columns: Column[] = [
      { title: 'method', align: 'left' },
      ...right('solve', 'to mtl', 'rounds', 'passes', 'error', 'BA'),
    ];
    section('Methods with their defaults, same rows, same kernels', ...textTable(columns, rows, style));
  }
  if (start) {
    const rows = start.map((run) => [run.method, ms(run.newMs), ms(run.warmMs), times(run.ratio)]);
    const columns: Column[] = [{ title: 'method', align: 'left' }, ...right('new', 'warm', 'ratio')];
    section(
      'Start: solving in a new process against one that has done it before',
      ...textTable(columns, rows, style),
    );
  }
  if (coordinator) {
    const rows = coordinator.map((point) => [
      String(point.participants),
      ms(point.singleMs),
      ms(point.sumMs),
      String(point.cellBytes),
    ]);
    section(
      'Coordinator: its own work in a round of 562 numbers, answers one by one and as a sum',
      ...textTable(right('participants', 'single', 'sum', 'bytes stored'), rows, style),
    );
  }
  if (secure) {
    const rows = secure.map((run) => [
      String(run.participants),
      ms(run.participantMs),
      ms(run.coordinatorMs),
      String(Math.round(run.bytes)),
      times(run.bytes / run.plainBytes),
    ]);
    section(
      `Secure aggregation: a round of ${secure[0].entries} numbers, nobody missing`,
      ...textTable(right('participants', 'each', 'coordinator', 'bytes each', 'to plain'), rows, style),
    );
  }
  if (network) {
    const rows = network.points.map((point) => [
      point.aggregation,
      String(point.participants),
      point.roundsPerSecond.toFixed(1),
      point.floorPerSecond.toFixed(1),
      point.ratioToFloor.toFixed(2),
      String(Math.round(point.roundsPerSecond * point.participants)),
      String(Math.round(point.bytesPerRound)),
    ]);
    const columns: Column[] = [
      { title: 'rule', align: 'left' },
      ...right('participants', 'rounds/s', 'floor', 'ratio', 'updates/s', 'bytes each'),
    ];
    section(
      `Network: vectors of ${network.features} numbers over loopback, every round durable, the server in its own process`,
      ...textTable(columns, rows, style),
      `  ${network.memory.idle} idle and ${network.memory.active} training connections: ${(network.memory.bytes / 2 ** 20).toFixed(0)} MiB`,
    );
  }
  return lines;
}

function aggregationLines(aggregation: AggregationReport, style: ReturnType<typeof styleOf>): string[] {
  const rows = aggregation.points.map((point) => [
    String(point.c1),
    String(point.c2),
    String(point.default.rounds),
    String(point.safe.rounds),
    point.roundsRatio.toFixed(3),
    ms(point.default.solveMs),
    ms(point.safe.solveMs),
    point.timeRatio.toFixed(3),
    point.default.earlyAccuracy.toFixed(4),
    point.safe.earlyAccuracy.toFixed(4),
  ]);
  return [
    ...textTable(
      right('C1', 'C2', 'rounds', 'safe', 'ratio', 'time', 'safe', 'ratio', 'BA at 10', 'safe'),
      rows,
      style,
    ),
    `  geometric mean of the ratios of rounds: ${aggregation.meanRoundsRatio.toFixed(3)}`,
  ];
}
