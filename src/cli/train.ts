/** kindred train: models from data, with their test results and certificate. */
import type { Command } from 'commander';
import { modelToJson } from '../methods/model.ts';
import { resolveOptions } from '../methods/options.ts';
import type { TrainResult } from '../methods/train.ts';
import { checkWritable, writeAtomically } from '../node/files/files.ts';
import { trainOnThreads } from '../node/threads/training-pool.ts';
import { LEARNING, RUNNING, TRAINING, type TrainOptions } from '../settings/training.ts';
import {
  addDataOptions,
  type ColumnNames,
  columnsFrom,
  DATA_ARGUMENT,
  type DataFlags,
  readData,
} from './data-options.ts';
import { addJsonOption, addSettings, addThreadsOption, example, settingsGiven } from './flags.ts';
import { type Io, notify, writeJson, writeLines } from './io.ts';
import { roundMs, scientific } from './number-text.ts';
import { Progress, showRounds } from './progress.ts';
import { styleOf } from './style.ts';
import { trainReport } from './train-report.ts';

type Flags = DataFlags & { readonly model?: string; readonly threads?: number; readonly json?: true };

export function addTrain(program: Command, io: Io): void {
  const command = program
    .command('train')
    .description('Train models on the rows of many participants, and test them on rows kept aside.')
    .argument('<data>', DATA_ARGUMENT)
    .action((data: string, flags: Flags) => runTrain(io, data, flags));
  addSettings(addDataOptions(command).optionsGroup('Problem:'), LEARNING);
  addSettings(command.optionsGroup('Run:'), RUNNING);
  command.optionsGroup('Options:').option('--model <file>', 'write the trained model here');
  addThreadsOption(
    command,
    'threads that participants are spread over (default: one for each core where that pays)',
  );
  addJsonOption(command);
  example(
    command,
    'kindred train har.csv --c1 1 --c2 0.1 --model model.json',
    'kindred train readings.csv --task patient --label score --objective regression --json',
  );
}

async function runTrain(io: Io, data: string, flags: Flags): Promise<void> {
  const options = resolveOptions(settingsGiven(flags, TRAINING) as TrainOptions);
  if (flags.model !== undefined) await checkWritable(flags.model);
  const started = io.now();
  const columns = columnsFrom(flags);
  const table = await readData(io, data, flags);
  const readMs = io.now() - started;
  const progress = new Progress(io);
  const onRound = showRounds(progress, options.method);
  const context = { now: io.now, onRound };
  const result = await progress.during(() => trainOnThreads(flags.threads, table, options, context));
  const timing = {
    loadMs: roundMs(readMs + result.timing.loadMs),
    solveMs: roundMs(result.timing.solveMs),
  };
  if (flags.model !== undefined) await writeModel(flags.model, result, columns);
  const timed = { ...result, timing };
  if (flags.json) await writeJson(io, documentOf(timed, columns));
  else await writeLines(io, trainReport(timed, { source: data, model: flags.model }, styleOf(io)));
  await warnWhenShort(io, result);
}

/** Predicting and evaluating find the columns again by what the model remembers. */
async function writeModel(path: string, { model }: TrainResult, columns: ColumnNames): Promise<void> {
  const remembering = { ...model, options: { ...model.options, columns } };
  await writeAtomically(path, [modelToJson(remembering)]);
}

/** Everything but the model: no dates and no paths, so that equal runs give equal documents. */
function documentOf({ model, ...result }: TrainResult, columns: ColumnNames) {
  const rows = result.participants.reduce((sum, participant) => sum + participant.rows, 0);
  const data = { participants: result.participants.length, rows, features: model.features.length };
  return { ...result, options: { ...result.options, ...columns }, data };
}

async function warnWhenShort(io: Io, result: TrainResult): Promise<void> {
  if (!result.certificate || result.stopped === 'gap') return;
  const { relativeGap } = result.certificate;
  const { gap, rounds } = result.options;
  const why = result.stopped === 'rounds' ? `after ${rounds} rounds (--rounds)` : 'without further progress';
  await notify(
    io,
    'warning',
    `stopped ${why} at a relative gap of ${scientific(relativeGap)}, before the target of ${scientific(gap)}`,
  );
}
