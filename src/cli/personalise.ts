/** kindred personalise: personal parts for new participants or new rows, without a federation. */
import type { Command } from 'commander';
import { modelToJson } from '../methods/model.ts';
import { type PersonaliseResult, personalise } from '../methods/personalise.ts';
import { checkWritable, writeAtomically } from '../node/files/files.ts';
import { PERSONALISING } from '../settings/training.ts';
import { addDataOptions, DATA_ARGUMENT, type DataFlags } from './data-options.ts';
import { addJsonOption, addSettings, example, settingsGiven } from './flags.ts';
import { type Io, notify, writeJson, writeLines } from './io.ts';
import { readModel, readTableFor, rememberingColumns } from './model-data.ts';
import { count, scientific } from './number-text.ts';
import { personaliseReport } from './personalise-report.ts';
import { styleOf } from './style.ts';

type Flags = DataFlags & {
  readonly model: string;
  readonly out?: string;
  readonly json?: true;
};

export function addPersonalise(program: Command, io: Io): void {
  const command = program
    .command('personalise')
    .description(
      "Give participants of the data a personal part of their own: the best answer of their labelled rows to the model's shared part. No federation is needed.",
    )
    .argument('<data>', DATA_ARGUMENT)
    .action((data: string, flags: Flags) => runPersonalise(io, data, flags));
  addSettings(addDataOptions(command, 'as in training').optionsGroup('Personal parts:'), PERSONALISING);
  command
    .optionsGroup('Options:')
    .requiredOption('--model <file>', 'model written by train, or the state folder of a participant')
    .option('--out <file>', 'write the model with the new personal parts here');
  addJsonOption(command);
  example(command, 'kindred personalise --model model.json mine.csv --out mine.json');
}

async function runPersonalise(io: Io, data: string, flags: Flags): Promise<void> {
  if (flags.out !== undefined) await checkWritable(flags.out);
  const model = await readModel(flags.model);
  const table = await readTableFor(model, io, data, flags, 'task and label');
  const result = personalise(model, table, settingsGiven(flags, PERSONALISING));
  if (flags.out !== undefined)
    await writeAtomically(flags.out, [modelToJson(rememberingColumns(result.model, flags))]);
  if (flags.json) {
    const { model: _, ...document } = result;
    const { method, objective } = model;
    await writeJson(io, { method, objective, ...document });
  } else {
    const names = { data: table.source, model: flags.model, out: flags.out, program: io.program };
    await writeLines(io, personaliseReport(result, names, styleOf(io)));
  }
  for (const note of result.notes) await notify(io, 'note', note);
  await warnWhenShort(io, result);
}

async function warnWhenShort(io: Io, { participants, options }: PersonaliseResult): Promise<void> {
  const short = participants.filter(({ relativeGap }) => relativeGap > options.gap);
  if (short.length === 0) return;
  const worst = Math.max(...short.map(({ relativeGap }) => relativeGap));
  const parts = `${count(short.length)} of ${count(participants.length)} personal parts`;
  await notify(
    io,
    'warning',
    `${parts} stopped before the target gap of ${scientific(options.gap)}, the worst at ${scientific(worst)}`,
  );
}
