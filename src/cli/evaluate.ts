/** kindred evaluate: how good a model is on rows whose targets are known. */
import type { Command } from 'commander';
import { applyMapping, regressionTargets, rowsByParticipant, type Table } from '../data/index.ts';
import { decide, type Model, meanMetrics, measure, type ParticipantResult } from '../methods/index.ts';
import { addDataOptions, DATA_ARGUMENT, type DataFlags } from './data-options.ts';
import { type Io, tell, writeJson, writeLines } from './io.ts';
import { newcomersIn, readModel, readTableFor } from './model-data.ts';
import { count } from './number-text.ts';
import { addJsonOption, example } from './option-values.ts';
import { participantTable } from './participant-table.ts';
import { styleOf } from './style.ts';
import { labelled } from './text-table.ts';

type Flags = DataFlags & { readonly model: string; readonly json?: true };

export function addEvaluate(program: Command, io: Io): void {
  const command = program
    .command('evaluate')
    .description('Test a trained model on all rows of the data.')
    .argument('<data>', DATA_ARGUMENT)
    .action((data: string, flags: Flags) => runEvaluate(io, data, flags));
  addDataOptions(command, 'as in training').requiredOption('--model <file>', 'model written by train');
  addJsonOption(command);
  example(command, 'kindred evaluate --model model.json later.csv');
}

async function runEvaluate(io: Io, data: string, flags: Flags): Promise<void> {
  const model = await readModel(flags.model);
  const table = await readTableFor(model, io, data, flags, 'task and label');
  const newcomers = newcomersIn(table, model);
  const { method, objective } = model;
  const participants = testOnAll(model, table);
  const result = { method, objective, participants, mean: meanMetrics(participants), newcomers };
  if (flags.json) {
    await writeJson(io, result);
  } else {
    const style = styleOf(io);
    const size = `${count(table.participants.length)} participants, ${count(table.n)} rows`;
    await writeLines(io, [
      labelled('Data', `${size} (${table.source})`, style),
      labelled('Model', `${flags.model}, ${method}, ${objective}`, style),
      '',
      ...participantTable(result, style),
    ]);
  }
  if (newcomers.length > 0) {
    await tell(
      io,
      'note',
      `${count(newcomers.length)} participants are not in the model and were served by w alone`,
    );
  }
}

function testOnAll(model: Model, table: Table): ParticipantResult[] {
  const y = model.classes ? applyMapping(table, model.classes) : regressionTargets(table);
  const decisions = decide(model, table);
  return rowsByParticipant(table).map((rows, k) => {
    const own = (values: Float64Array) => Float64Array.from(rows, (i) => values[i]);
    return {
      id: table.participants[k],
      rows: rows.length,
      testRows: rows.length,
      ...measure(model.objective, own(y), own(decisions)),
    };
  });
}
