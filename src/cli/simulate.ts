/** kindred simulate: a federation in virtual time, from a scenario file. */
import { mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import type { Command } from 'commander';
import { inputError } from '../base/errors.ts';
import type { Table } from '../data/table.ts';
import { onFile } from '../node/files/file-error.ts';
import { type Chunks, kindOf, readText, writeAtomically } from '../node/files/files.ts';
import { readTable } from '../node/files/read-table.ts';
import { runRepeats } from '../node/threads/simulation-pool.ts';
import { whole } from '../settings/kinds.ts';
import { calibrationFromText } from '../sim/calibration.ts';
import { curveFigure } from '../sim/figures.ts';
import { csvLines, jsonLines } from '../sim/observe.ts';
import { type Scenario, scenarioFromText } from '../sim/scenario.ts';
import { computeModel, generatedTable, type ScenarioInputs } from '../sim/scenario-plan.ts';
import type { ChartWindow } from '../sim/sequence.ts';
import { sequenceChart } from '../sim/sequence-chart.ts';
import type { RunRecord } from '../sim/summary.ts';
import { addThreadsOption, finish, refuse, valued } from './flags.ts';
import { type Io, warn } from './io.ts';
import { writeResult } from './layout.ts';
import { scientific, sizeOf } from './number-text.ts';
import { Progress } from './progress.ts';
import { simulateReport } from './simulate-report.ts';

interface Flags {
  readonly out?: string;
  readonly json?: true;
  readonly threads?: number;
  readonly chart?: ChartWindow;
  readonly seed?: number;
}

/** A chart nobody asked for is drawn where it is small. */
const SMALL_CHART = { participants: 6, rounds: { from: 1, to: 3 } };
const WIDEST_CHART = 40;

export function addSimulate(program: Command, io: Io): void {
  const command = program
    .command('simulate')
    .description(
      'Run a federation in virtual time: deadlines, delays, hardware and faults from a scenario file.',
    )
    .argument(
      '<scenario>',
      'JSON file; kindred settings scenario lists its fields; {} is a scenario of 20 HAR-like participants',
    )
    .option('--out <folder>', 'write rows.jsonl, rows.csv, summary.json, curve.svg and chart.svg here')
    .option('--chart <from-to>', 'rounds to draw in the message sequence chart; 0: joining', chartWindow)
    .addOption(valued('--seed <number>', "random seed, overrides the scenario's", whole(0)))
    .action((path: string, flags: Flags) => runSimulate(io, path, flags));
  addThreadsOption(command, 'number of threads for repeats (default: one per core)');
  finish(
    command,
    'kindred settings scenario --example > scenario.json',
    'kindred simulate scenario.json',
    'kindred simulate examples/scenarios/lossy.json --out results --chart 1-4',
  );
}

async function runSimulate(io: Io, path: string, flags: Flags): Promise<void> {
  if (flags.chart && flags.out === undefined)
    throw inputError('BAD_OPTION', 'option --chart: expected --out as well, because a chart is a file');
  const given = scenarioFromText(path, await readText(path));
  const scenario = flags.seed === undefined ? given : { ...given, seed: flags.seed };
  const inputs = await inputsOf(path, scenario);
  const rounds = chartRounds(flags, inputs.table);
  if (flags.out !== undefined) await makeFolder(flags.out);
  const records = await runAll(io, scenario, inputs, flags.threads, rounds ? 'on' : 'off');
  // No dates, no paths and no wall time: equal runs give equal documents.
  const runs = records.map(({ summary }) => summary);
  const document = { scenario, data: sizeOf(inputs.table), runs };
  if (flags.out !== undefined) await writeAll(flags.out, document, inputs.table, records, rounds);
  await writeResult(io, flags, document, (layout) =>
    simulateReport(scenario, inputs, runs, flags.out, layout),
  );
  for (const { seed, stopped } of runs)
    if (stopped === null) await warn(io, `seed ${seed}: training had not ended when virtual time ran out`);
}

async function inputsOf(path: string, scenario: Scenario): Promise<ScenarioInputs> {
  const resolved = (file: string) => (isAbsolute(file) ? file : join(dirname(path), file));
  const { data, compute } = scenario;
  const fit = compute.file && calibrationFromText(compute.file, await readText(resolved(compute.file)));
  const table =
    data.generator === 'file' ? await readTable(resolved(data.file), data) : generatedTable(scenario)!;
  return { source: path, table, compute: computeModel(scenario, fit || {}) };
}

async function runAll(
  io: Io,
  scenario: Scenario,
  inputs: ScenarioInputs,
  threads = availableParallelism(),
  transcript: 'on' | 'off',
): Promise<RunRecord[]> {
  // One transcript is enough: the first repeat's.
  const requests = Array.from({ length: scenario.repeats }, (_, r) => ({
    seed: scenario.seed + r,
    transcript: r === 0 ? transcript : ('off' as const),
  }));
  const progress = new Progress(io);
  return await progress.during(() =>
    runRepeats(scenario, inputs, requests, threads, ({ seed, round, relativeGap }) => {
      const which = scenario.repeats > 1 ? `, seed ${seed}` : '';
      progress.show(`${scenario.name}${which}: round ${round}, relative gap ${scientific(relativeGap)}`);
    }),
  );
}

function chartRounds({ chart, out }: Flags, { participants }: Table): ChartWindow | undefined {
  if (out === undefined) return undefined;
  if (!chart) return participants.length <= SMALL_CHART.participants ? SMALL_CHART.rounds : undefined;
  if (participants.length > WIDEST_CHART)
    return refuse('--chart', `at most ${WIDEST_CHART} participants`, `${participants.length}`);
  return chart;
}

async function makeFolder(out: string): Promise<void> {
  const kind = await kindOf(out);
  if (kind === 'folder') return;
  if (kind !== undefined)
    throw inputError('NOT_A_FOLDER', `option --out: expected a folder, got the file ${out}`);
  await onFile(out, () => mkdir(out, { recursive: true }));
}

async function writeAll(
  out: string,
  document: { readonly scenario: Scenario },
  { participants }: Table,
  records: readonly RunRecord[],
  rounds: ChartWindow | undefined,
): Promise<void> {
  const { name } = document.scenario;
  const write = (file: string, chunks: Chunks) => writeAtomically(join(out, file), chunks);
  const rows = records.flatMap((record) => record.rows);
  await write('rows.jsonl', jsonLines(rows));
  await write('rows.csv', csvLines(rows, participants));
  await write('summary.json', [`${JSON.stringify(document, null, 2)}\n`]);
  const { drawFigure } = await import('../charts/draw.ts');
  await write('curve.svg', [drawFigure(curveFigure(name, records))]);
  if (!rounds) return;
  const [{ summary, transcript }] = records;
  const title = `${name}: rounds ${rounds.from} to ${rounds.to}, seed ${summary.seed}`;
  await write('chart.svg', [sequenceChart(title, transcript, participants, rounds)]);
}

/** "2-5" or "3". */
function chartWindow(text: string): ChartWindow {
  const match = /^(\d{1,7})(?:-(\d{1,7}))?$/.exec(text);
  const from = Number(match?.[1]);
  const to = Number(match?.[2] ?? match?.[1]);
  if (match && to >= from) return { from, to };
  return refuse('--chart', 'rounds such as 2-5', text);
}
