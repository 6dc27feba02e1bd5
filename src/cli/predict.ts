/** kindred predict: a model's predictions for rows, as CSV or Parquet. */
import type { Command } from 'commander';
import { isMany } from '../data/labels.ts';
import { listed, shown } from '../data/number.ts';
import { type Prediction, predict } from '../methods/predict.ts';
import type { UnfamiliarValues } from '../methods/unfamiliar-values.ts';
import { checkWritable, writeAtomically } from '../node/files/files.ts';
import { number } from '../settings/kinds.ts';
import { addColumnOptions, addDataOptions, DATA_ARGUMENT, type DataFlags } from './data-options.ts';
import { finish, valued } from './flags.ts';
import { type Io, note, writeJson } from './io.ts';
import { writeLines } from './layout.ts';
import { addModelOption, newcomersIn, readModel, readTableFor } from './model-data.ts';
import { count } from './number-text.ts';
import { type PredictionColumn, predictionColumns } from './prediction-columns.ts';
import { predictionsCsv } from './predictions-csv.ts';
import { predictionsParquet } from './predictions-parquet.ts';
import { printableLines } from './printable.ts';

type Flags = DataFlags & {
  readonly model: string;
  readonly probabilities?: true;
  readonly threshold?: number;
  readonly out?: string;
  readonly json?: true;
};

export function addPredict(program: Command, io: Io): void {
  const command = program
    .command('predict')
    .description(
      'Predict with a trained model: the personal model of each participant, or the shared part for participants not in the model.',
    )
    .argument('<data>', `${DATA_ARGUMENT}; participant and target columns may be absent`)
    .action((data: string, flags: Flags) => runPredict(io, data, flags));
  addModelOption(addColumnOptions(addDataOptions(command, 'as in training'), 'as in training'))
    .option(
      '--probabilities',
      'add the probability of the positive class or, of many classes, of each (models trained with --probabilities or --loss logistic)',
    )
    .addOption(
      valued(
        '--threshold <number>',
        'predict the positive class from this probability on (default: from a decision above 0 on)',
        number({ above: 0, below: 1 }),
      ),
    )
    .option(
      '--out <file>',
      'write the columns row, participant, prediction, decision here: Parquet if it ends in .parquet, CSV otherwise (default: CSV on stdout)',
    );
  finish(
    command,
    'kindred predict --model model.json new.csv --out predictions.csv',
    'kindred predict --model model.json new.csv --probabilities --threshold 0.3',
    'kindred predict --model model.json new.arrow --out predictions.parquet',
  );
}

async function runPredict(io: Io, data: string, flags: Flags): Promise<void> {
  if (flags.out !== undefined) await checkWritable(flags.out);
  const model = await readModel(flags.model);
  const { table, served, unfamiliar } = await readTableFor(model, io, data, flags, 'neither');
  const newcomers = new Set(newcomersIn(table, model));
  const { probabilities, threshold } = flags;
  const predictions = predict(model, table, '', { probabilities, threshold });
  const columns = predictionColumns(predictions, isMany(model.classes) ? model.classes.labels : []);
  const servedByShared = predictions.filter(({ participant }) => newcomers.has(participant)).length;
  if (flags.out !== undefined) await writePredictions(flags.out, predictions, columns);
  if (flags.json) {
    const { method, objective } = model;
    const { gaps, unknown: unknownLevels } = unfamiliar;
    const summary = { method, objective, rows: table.n, servedByShared, gaps, unknownLevels };
    await writeJson(io, flags.out === undefined ? { ...summary, predictions } : summary);
  } else if (flags.out === undefined) {
    // Data for whoever reads them, but never commands for a terminal.
    const { isTerminal } = io.stdout;
    for (const chunk of predictionsCsv(predictions, columns))
      await io.stdout.write(isTerminal ? printableLines(chunk) : chunk);
  } else {
    await writeLines(io, [`Wrote ${flags.out}: ${count(table.n)} predictions`]);
  }
  for (const sentence of unfamiliarNotes(unfamiliar)) await note(io, sentence);
  if (served !== undefined) await note(io, served);
  if (servedByShared === 0 || served !== undefined) return;
  const rows = `${count(servedByShared)} of ${count(table.n)} rows`;
  await note(io, `${rows} are of participants that are not in the model: predicted with the shared part w`);
}

/** More levels than these are not listed. */
const FEW_LEVELS = 5;

function unfamiliarNotes({ absent, gaps, unknown, levels }: UnfamiliarValues): string[] {
  const values = (n: number, what: string) => `${count(n)} ${what}${n === 1 ? '' : 's'}`;
  const names = listed(
    levels.map(({ column, level }) => `${column}=${level}`),
    FEW_LEVELS,
  );
  return [
    ...(absent.length > 0 ? [`no column ${listed(absent.map(shown), FEW_LEVELS)}: missing in all rows`] : []),
    ...(gaps > 0 ? [`${values(gaps, 'missing value')} filled in as the model says`] : []),
    ...(unknown > 0
      ? [
          `${values(unknown, 'value')} of levels that training did not know (${names}): taken as other, or as none`,
        ]
      : []),
  ];
}

async function writePredictions(
  path: string,
  predictions: readonly Prediction[],
  columns: readonly PredictionColumn[],
): Promise<void> {
  const isParquet = /\.(parquet|pq)$/i.test(path);
  const content = isParquet
    ? [await predictionsParquet(predictions, columns)]
    : predictionsCsv(predictions, columns);
  await writeAtomically(path, content);
}
