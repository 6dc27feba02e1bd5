/** kindred personalise: personal parts for new participants or new rows, without a federation. */
import type { Command } from 'commander';
import { modelToJson } from '../methods/model.ts';
import { type PersonaliseResult, personalise } from '../methods/personalise.ts';
import { checkWritable, writeAtomically } from '../node/files/files.ts';
import { PERSONALISING } from '../settings/training.ts';
import { commandLine } from './command-line.ts';
import { addColumnOptions, addDataOptions, DATA_ARGUMENT, type DataFlags } from './data-options.ts';
import { addSettings, finish, settingsGiven } from './flags.ts';
import { type Io, note, warn } from './io.ts';
import { type Layout, writeResult } from './layout.ts';
import { addModelOption, readModel, readTableFor, rememberingColumns } from './model-data.ts';
import { count, scientific, significant } from './number-text.ts';
import { addAllOption, METRIC_TITLES, MOST_ROWS, metricCells, moreLine } from './participant-table.ts';
import { shapeText } from './train-report.ts';

type Flags = DataFlags & {
  readonly model: string;
  readonly out?: string;
  readonly all?: true;
  readonly json?: true;
};

export function addPersonalise(program: Command, io: Io): void {
  const command = program
    .command('personalise')
    .description(
      "Fit a personal part for each participant of the data to its labelled rows, on top of the model's shared part. Needs no federation.",
    )
    .argument('<data>', DATA_ARGUMENT)
    .action((data: string, flags: Flags) => runPersonalise(io, data, flags));
  const described = addColumnOptions(addDataOptions(command, 'as in training'), 'as in training');
  addSettings(described.optionsGroup('Personal parts:'), PERSONALISING);
  addModelOption(command.optionsGroup('Options:')).option(
    '--out <file>',
    'write the model with the new personal parts here',
  );
  addAllOption(command);
  finish(command, 'kindred personalise --model model.json mine.csv --out mine.json');
}

async function runPersonalise(io: Io, data: string, flags: Flags): Promise<void> {
  if (flags.out !== undefined) await checkWritable(flags.out);
  const model = await readModel(flags.model);
  const { table, served } = await readTableFor(model, io, data, flags, 'task and label');
  if (served !== undefined) await note(io, served);
  const result = personalise(model, table, settingsGiven(flags, PERSONALISING));
  if (flags.out !== undefined)
    await writeAtomically(flags.out, [modelToJson(rememberingColumns(result.model, flags))]);
  const { model: _, ...document } = result;
  const { method, objective } = model;
  await writeResult(io, flags, { method, objective, ...document }, (layout) =>
    report(result, table.source, flags, io.program, layout),
  );
  for (const sentence of result.notes) await note(io, sentence);
  await warnWhenShort(io, result);
}

async function warnWhenShort(io: Io, { participants, options }: PersonaliseResult): Promise<void> {
  const short = participants.filter(({ relativeGap }) => relativeGap > options.gap);
  if (short.length === 0) return;
  const worst = scientific(Math.max(...short.map(({ relativeGap }) => relativeGap)));
  const parts = `${count(short.length)} of ${count(participants.length)} personal parts`;
  const target = scientific(options.gap);
  await warn(io, `${parts} did not reach the target gap of ${target}, the worst stopped at ${worst}`);
}

function report(
  result: PersonaliseResult,
  source: string,
  flags: Flags,
  program: string,
  layout: Layout,
): string[] {
  const { participants, model, options } = result;
  const { model: file, out } = flags;
  const { line } = layout;
  const rows = participants.reduce((sum, participant) => sum + participant.rows, 0);
  const shape = shapeText({ ...options, objective: model.objective }).map((part) => `, ${part}`);
  const weight = options.classWeight === 'balanced' ? ', balanced classes' : '';
  const written = (path: string) => [
    line('Wrote', path),
    line('Predict', commandLine(program, 'predict', '--model', path, 'new.csv')),
  ];
  return [
    line('Data', `${count(participants.length)} participants, ${count(rows)} rows (${source})`),
    line('Model', `${file}, ${model.method}, ${model.objective}`),
    line('Problem', `C1 = ${options.c1}, C2 = ${options.c2}${shape.join('')}${weight}`),
    '',
    ...partTable(result, flags, layout),
    '',
    ...partLine(result, 'added', 'not in the model', layout),
    ...partLine(result, 'replaced', 'in the model', layout),
    ...(out === undefined ? [line('Not written', '--out mine.json saves the model')] : written(out)),
  ];
}

/** Test results only where rows were kept for them. */
function partTable(
  { participants, mean, meanOfShared, model }: PersonaliseResult,
  { all }: Flags,
  layout: Layout,
): string[] {
  const { objective } = model;
  const tested = participants.some(({ testRows }) => testRows > 0);
  const rows = participants
    .slice(0, all ? Infinity : MOST_ROWS)
    .map((p) => [
      p.id,
      p.part,
      count(p.rows - p.testRows),
      ...[significant(p.value), significant(p.valueOfShared), scientific(p.relativeGap)],
      ...(tested ? [count(p.testRows), ...metricCells(objective, p)] : []),
    ]);
  const more = participants.length - rows.length;
  if (more > 0) rows.push([`and ${count(more)} more`]);
  if (tested) {
    rows.push(['mean', '', '', '', '', '', '', ...metricCells(objective, mean)]);
    rows.push(['mean of w alone', '', '', '', '', '', '', ...metricCells(objective, meanOfShared)]);
  }
  const titles = tested ? ['test rows', ...METRIC_TITLES[objective]] : [];
  const columns = ['<participant', '<part', 'rows', 'value', 'w alone', 'gap', ...titles];
  return [...layout.table(columns, rows), ...moreLine(more)];
}

function partLine(
  { participants }: PersonaliseResult,
  part: 'added' | 'replaced',
  relation: string,
  { line }: Layout,
): string[] {
  const number = participants.filter((participant) => participant.part === part).length;
  if (number === 0) return [];
  const who = number === 1 ? '1 participant that was' : `${count(number)} participants that were`;
  const label = part === 'added' ? 'Added' : 'Replaced';
  return [line(label, `personal parts of ${who} ${relation}`)];
}
