/** kindred predict: a model's predictions for rows, as CSV. */
import type { Command } from 'commander';
import { predict } from '../methods/predict.ts';
import { checkWritable, writeAtomically } from '../node/files/files.ts';
import { addColumnOptions, addDataOptions, DATA_ARGUMENT, type DataFlags } from './data-options.ts';
import { finish } from './flags.ts';
import { type Io, note, writeJson } from './io.ts';
import { writeLines } from './layout.ts';
import { addModelOption, newcomersIn, readModel, readTableFor } from './model-data.ts';
import { count } from './number-text.ts';
import { predictionsCsv } from './predictions-csv.ts';
import { printableLines } from './printable.ts';

type Flags = DataFlags & { readonly model: string; readonly out?: string; readonly json?: true };

export function addPredict(program: Command, io: Io): void {
  const command = program
    .command('predict')
    .description(
      'Predict with a trained model: the personal model of each participant, or the shared part for participants not in the model.',
    )
    .argument('<data>', `${DATA_ARGUMENT}; participant and target columns may be absent`)
    .action((data: string, flags: Flags) => runPredict(io, data, flags));
  addModelOption(addColumnOptions(addDataOptions(command, 'as in training'), 'as in training')).option(
    '--out <file>',
    'write the CSV row,participant,prediction,decision here (default: stdout)',
  );
  finish(command, 'kindred predict --model model.json new.csv --out predictions.csv');
}

async function runPredict(io: Io, data: string, flags: Flags): Promise<void> {
  if (flags.out !== undefined) await checkWritable(flags.out);
  const model = await readModel(flags.model);
  const { table, served } = await readTableFor(model, io, data, flags, 'neither');
  const newcomers = new Set(newcomersIn(table, model));
  const predictions = predict(model, table);
  const servedByShared = predictions.filter(({ participant }) => newcomers.has(participant)).length;
  if (flags.out !== undefined) await writeAtomically(flags.out, predictionsCsv(predictions));
  if (flags.json) {
    const { method, objective } = model;
    const summary = { method, objective, rows: table.n, servedByShared };
    await writeJson(io, flags.out === undefined ? { ...summary, predictions } : summary);
  } else if (flags.out === undefined) {
    // Data for whoever reads them, but never commands for a terminal.
    const { isTerminal } = io.stdout;
    for (const chunk of predictionsCsv(predictions))
      await io.stdout.write(isTerminal ? printableLines(chunk) : chunk);
  } else {
    await writeLines(io, [`Wrote ${flags.out}: ${count(table.n)} predictions`]);
  }
  if (served !== undefined) await note(io, served);
  if (servedByShared === 0 || served !== undefined) return;
  const rows = `${count(servedByShared)} of ${count(table.n)} rows`;
  await note(io, `${rows} are of participants that are not in the model: predicted with the shared part w`);
}
