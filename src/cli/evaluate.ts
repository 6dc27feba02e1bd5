/** kindred evaluate: how good a model is on rows whose targets are known. */
import type { Command } from 'commander';
import { evaluationOf, testedIn } from '../methods/evaluate.ts';
import { addColumnOptions, addDataOptions, DATA_ARGUMENT, type DataFlags } from './data-options.ts';
import { finish } from './flags.ts';
import { type Io, note } from './io.ts';
import { writeResult } from './layout.ts';
import { addModelOption, newcomersIn, readModel, readTableFor } from './model-data.ts';
import { count } from './number-text.ts';
import { addAllOption, participantTable } from './participant-table.ts';
import { addFiguresOption, checkFigures, type FiguresFlag, writeQualityFigures } from './quality-files.ts';
import { qualityLines } from './quality-lines.ts';

type Flags = DataFlags & FiguresFlag & { readonly model: string; readonly all?: true; readonly json?: true };

export function addEvaluate(program: Command, io: Io): void {
  const command = program
    .command('evaluate')
    .description('Test a trained model on all rows of the data.')
    .argument('<data>', DATA_ARGUMENT)
    .action((data: string, flags: Flags) => runEvaluate(io, data, flags));
  const described = addColumnOptions(addDataOptions(command, 'as in training'), 'as in training');
  addFiguresOption(addAllOption(addModelOption(described)));
  finish(
    command,
    'kindred evaluate --model model.json later.csv',
    'kindred evaluate --model model.json later.csv --figures quality',
  );
}

async function runEvaluate(io: Io, data: string, flags: Flags): Promise<void> {
  await checkFigures(flags);
  const model = await readModel(flags.model);
  const { table, served } = await readTableFor(model, io, data, flags, 'task and label');
  const newcomers = newcomersIn(table, model);
  const { method, objective } = model;
  const tested = testedIn(model, table);
  const result = { method, objective, ...evaluationOf(model, tested), newcomers };
  const figures = await writeQualityFigures(flags, model, tested);
  await writeResult(io, flags, result, (layout) => [
    layout.line(
      'Data',
      `${count(table.participants.length)} participants, ${count(table.n)} rows (${table.source})`,
    ),
    layout.line('Model', `${flags.model}, ${method}, ${objective}`),
    '',
    ...participantTable(result, layout, flags),
    '',
    ...qualityLines(result, layout),
    ...figures.map((path) => layout.line('Figure', path)),
  ]);
  const unknown = count(newcomers.length);
  if (served !== undefined) await note(io, served);
  else if (newcomers.length > 0)
    await note(io, `${unknown} participants are not in the model: evaluated with the shared part w`);
}
