/** kindred tune: C1, C2 and scaling by cross-validation inside the participants. */
import type { Command } from 'commander';
import { parseDecimal } from '../data/number.ts';
import type { TuneMetric, TuneResult } from '../methods/tune.ts';
import { tuneOnThreads } from '../node/threads/tuning-pool.ts';
import { choice, whole } from '../settings/kinds.ts';
import { LEARNING, RUNNING, type TrainOptions } from '../settings/training.ts';
import { addDataOptions, columnsFrom, DATA_ARGUMENT, type DataFlags, readData } from './data-options.ts';
import {
  addSettings,
  addThreadsOption,
  finish,
  kindValue,
  nameList,
  refuse,
  settingsGiven,
  valued,
} from './flags.ts';
import type { Io } from './io.ts';
import { type Layout, writeResult } from './layout.ts';
import { Progress } from './progress.ts';

/** What is not searched for: given to every training as it is. */
const { c1: _, c2: __, lambda: ___, scale, ...FIXED } = LEARNING;
const RUN = {
  ...RUNNING,
  gap: RUNNING.gap.optional('0.003').about('relative duality gap of every training'),
  testFraction: RUNNING.testFraction.about('share of the rows that is kept aside and not used'),
};

type Flags = DataFlags & {
  readonly c1?: readonly number[];
  readonly c2?: readonly number[];
  readonly lambda?: readonly number[];
  readonly scale?: readonly string[];
  readonly folds?: number;
  readonly metric?: TuneMetric;
  readonly threads?: number;
  readonly json?: true;
};

const METRICS = ['errorRate', 'balancedAccuracy', 'r2', 'rmse'] as const;
const SHOWN = 15;

export function addTune(program: Command, io: Io): void {
  const command = program
    .command('tune')
    .description('Find C1, C2 (or lambda) and the scaling by cross-validation on training rows.')
    .argument('<data>', DATA_ARGUMENT)
    .action((data: string, flags: Flags) => runTune(io, data, flags));
  addDataOptions(command)
    .optionsGroup('Search:')
    .option('--c1 <a,b,...>', 'values of C1 to try', numberList('--c1'))
    .option('--c2 <a,b,...>', 'values of C2 to try', numberList('--c2'))
    .option('--lambda <a,b,...>', "values of mocha's lambda to try", numberList('--lambda'))
    .option('--scale <a,b>', 'scalings to try (default: standard,center)', nameList)
    .addOption(valued('--folds <number>', 'folds of the cross-validation', whole(2, 100), 5))
    .addOption(valued('--metric <name>', `what to compare by: ${METRICS.join(', ')}`, choice(...METRICS)));
  addSettings(command.optionsGroup('Problem:'), FIXED);
  addSettings(command.optionsGroup('Run:'), RUN);
  command.optionsGroup('Options:');
  addThreadsOption(
    command,
    'threads that scalings and folds are spread over (default: one for each core where that pays)',
  );
  finish(
    command,
    'kindred tune har.csv',
    'kindred tune har.csv --method local --c1 1,10,100 --scale standard',
  );
}

async function runTune(io: Io, data: string, flags: Flags): Promise<void> {
  const given = settingsGiven(flags, { ...FIXED, ...RUN });
  const scales = flags.scale?.map(kindValue('--scale', scale));
  const grid = {
    ...(flags.c1 && { c1: flags.c1 }),
    ...(flags.c2 && { c2: flags.c2 }),
    ...(flags.lambda && { lambda: flags.lambda }),
    ...(scales && { scale: scales }),
  };
  const columns = columnsFrom(flags);
  const table = await readData(io, data, flags);
  const progress = new Progress(io);
  const started = io.now();
  const onProgress = (done: number, total: number) => {
    const left = ((io.now() - started) / done) * (total - done);
    progress.show(`tune: ${done} of ${total} trainings, about ${Math.ceil(left / 1000)} s left`);
  };
  const options = {
    ...(given as TrainOptions),
    grid,
    ...(flags.folds && { folds: flags.folds }),
    ...(flags.metric && { metric: flags.metric }),
  };
  const result = await progress.during(() => tuneOnThreads(flags.threads, table, options, { onProgress }));
  const document = { ...result, options: { ...result.options, ...columns } };
  await writeResult(io, flags, document, (layout) => report(`${io.program} train ${data}`, result, layout));
}

/** `training`: the command that trains on these data. */
function report(training: string, result: TuneResult, { line, table }: Layout): string[] {
  const { best, metric, method, folds, objective, options } = result;
  const names = (['c1', 'c2', 'lambda'] as const).filter((name) => best[name] !== undefined);
  const rows = result.table
    .slice(0, SHOWN)
    .map((row) => [
      row.scale,
      ...names.map((name) => String(row[name])),
      row.score.toFixed(5),
      row.standardError.toFixed(5),
    ]);
  const hidden = result.table.length - SHOWN;
  const choice = [`--scale ${best.scale}`, ...names.map((name) => `--${name} ${best[name]}`)].join(' ');
  const split = `--seed ${options.seed} --test-fraction ${options.testFraction}`;
  return [
    line('Method', `${method}, ${objective}, ${folds}-fold cross-validation inside the participants`),
    '',
    ...table(['<scale', ...names, metric, 'std error'], rows),
    ...(hidden > 0 ? [`  and ${hidden} more (--json has all)`] : []),
    '',
    line('Choice', choice),
    line('Next', `${training} --method ${method} ${choice} ${split}`),
  ];
}

function numberList(option: string): (text: string) => readonly number[] {
  return (text) =>
    text.split(',').map((part) => {
      const value = parseDecimal(part.trim());
      if (value > 0 && Number.isFinite(value)) return value;
      return refuse(option, 'numbers above 0 separated by commas', text);
    });
}
