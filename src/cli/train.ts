/** kindred train: models from data, with their test results and certificate. */
import type { Command } from 'commander';
import type { Tested } from '../methods/evaluate.ts';
import type { RoundView } from '../methods/method.ts';
import { modelToJson } from '../methods/model.ts';
import { readOptions } from '../methods/options.ts';
import type { TrainResult } from '../methods/train.ts';
import { checkWritable, writeAtomically } from '../node/files/files.ts';
import { trainOnThreads } from '../node/threads/training-pool.ts';
import { RUNNING, TRAINING, type TrainOptions } from '../settings/training.ts';
import {
  addColumnOptions,
  addDataOptions,
  columnsFrom,
  DATA_ARGUMENT,
  type DataFlags,
  readData,
} from './data-options.ts';
import { addSettings, addThreadsOption, finish, settingsGiven } from './flags.ts';
import { type Io, warn } from './io.ts';
import { writeResult } from './layout.ts';
import { warnOfLeaks } from './leak-warning.ts';
import { rememberingColumns } from './model-data.ts';
import { count, roundMs, scientific } from './number-text.ts';
import { addAllOption } from './participant-table.ts';
import { Progress } from './progress.ts';
import { addFiguresOption, checkFigures, type FiguresFlag, writeQualityFigures } from './quality-files.ts';
import { readStart } from './start.ts';
import { addAutoOption, foundOptions, SOUGHT_LEARNING } from './train-auto.ts';
import { trainReport } from './train-report.ts';

type Flags = DataFlags &
  FiguresFlag & {
    readonly model?: string;
    readonly start?: string;
    readonly all?: true;
    readonly threads?: number;
    readonly json?: true;
  };

export function addTrain(program: Command, io: Io): void {
  const command = program
    .command('train')
    .description('Train models on the rows of many participants and test them on held-out rows.')
    .argument('<data>', DATA_ARGUMENT)
    .action((data: string, flags: Flags) => runTrain(io, data, flags));
  addSettings(addColumnOptions(addDataOptions(command)).optionsGroup('Problem:'), SOUGHT_LEARNING);
  addAutoOption(command);
  addSettings(command.optionsGroup('Run:'), RUNNING);
  command
    .optionsGroup('Options:')
    .option('--model <file>', 'write the trained model here')
    .option(
      '--start <file>',
      'start from this linear model: a model of kindred, LIBLINEAR text, or weights as CSV',
    );
  addFiguresOption(addAllOption(command));
  addThreadsOption(command, 'number of threads (default: one per core where that is faster)');
  finish(
    command,
    'kindred train har.csv --model model.json',
    'kindred train readings.csv --task patient --label score --c1 1 --c2 0.1 --json',
    'kindred train har.csv --start model.json --model newer.json',
  );
}

async function runTrain(io: Io, data: string, flags: Flags): Promise<void> {
  const given = settingsGiven(flags, TRAINING) as TrainOptions;
  const { method } = readOptions(given);
  if (flags.model !== undefined) await checkWritable(flags.model);
  await checkFigures(flags);
  const start = flags.start === undefined ? undefined : await readStart(flags.start);
  const started = io.now();
  const columns = columnsFrom(flags);
  const table = await readData(io, data, flags);
  const readMs = io.now() - started;
  const { options, auto, searchMs } = await foundOptions(io, table, given, flags);
  const progress = new Progress(io);
  const onRound = ({ row: { round, relativeGap } }: RoundView) => {
    const gap = relativeGap === null ? '' : `, relative gap ${scientific(relativeGap)}`;
    progress.show(`${method}: round ${round}${gap}`);
  };
  let tested: readonly Tested[] = [];
  const onTested = (rows: readonly Tested[]) => {
    tested = rows;
  };
  const context = { now: io.now, onRound, onTested, start };
  const result = await progress.during(() => trainOnThreads(flags.threads, table, options, context));
  const { model, ...rest } = result;
  const timing = {
    loadMs: roundMs(readMs + result.timing.loadMs),
    ...(searchMs > 0 && { searchMs: roundMs(searchMs) }),
    solveMs: roundMs(result.timing.solveMs),
  };
  if (flags.model !== undefined)
    await writeAtomically(flags.model, [modelToJson(rememberingColumns(model, flags))]);
  const figures = await writeQualityFigures(flags, model, tested);
  // Everything but the model: no dates and no paths, so that equal runs give equal documents.
  const size = {
    participants: result.participants.length,
    rows: result.participants.reduce((sum, { rows }) => sum + rows, 0),
    features: model.features.length,
  };
  const document = {
    ...rest,
    ...(auto && { auto }),
    timing,
    options: { ...result.options, ...columns },
    data: size,
  };
  await writeResult(io, flags, document, (layout) =>
    trainReport({ ...result, timing, auto }, size, data, { ...flags, written: figures }, layout),
  );
  await warnOfLeaks(io, result.leaks);
  await warnWhenShort(io, result);
}

/** What is compared with the target is what is printed. */
async function warnWhenShort(io: Io, result: TrainResult): Promise<void> {
  const { certificate, unfinished, stopped } = result;
  if (!certificate || stopped === 'gap') return;
  const { gap, rounds } = result.options;
  const why = stopped === 'rounds' ? `after ${rounds} rounds (--rounds)` : 'without further progress';
  const target = `the target of ${scientific(gap)}`;
  const short = (relativeGap: number) => `at a relative gap of ${apart(relativeGap, gap)}, before ${target}`;
  if (unfinished && unfinished.of > 1) {
    const { problems, of, largestGap } = unfinished;
    await warn(
      io,
      `${count(problems)} of ${count(of)} participants stopped ${why}, the worst ${short(largestGap)}`,
    );
  } else if (certificate.relativeGap > gap) {
    await warn(io, `stopped ${why} ${short(certificate.relativeGap)}`);
  } else if (result.method === 'mocha') {
    await warn(io, `stopped ${why} while the relations between participants still changed`);
  }
}

/** With as many digits as it takes to tell it from the target. */
function apart(value: number, target: number): string {
  const text = scientific(value);
  return text === scientific(target) ? value.toPrecision(6) : text;
}
