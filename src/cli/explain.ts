/** kindred explain: what is shared and what is personal in a model, and what speaks for the prediction of a row. */
import type { Command } from 'commander';
import { inputError } from '../base/errors.ts';
import type { Figure } from '../charts/figure.ts';
import { listed, shown } from '../data/number.ts';
import type { Table } from '../data/table.ts';
import { type Explanation, explain } from '../explain/explain.ts';
import { explainRow } from '../explain/explain-row.ts';
import { modelFigure, participantFigure, rowFigure } from '../explain/figures.ts';
import { checkWritable, writeAtomically } from '../node/files/files.ts';
import { whole } from '../settings/kinds.ts';
import type { Model } from '../solver/model.ts';
import { addDataOptions, DATA_ARGUMENT, type DataFlags } from './data-options.ts';
import { modelLines, participantLines, rowLines } from './explain-report.ts';
import { finish, valued } from './flags.ts';
import { type Io, note } from './io.ts';
import { type Layout, writeResult } from './layout.ts';
import { addModelOption, newcomersIn, readModel, readTableFor } from './model-data.ts';

type Flags = DataFlags & {
  readonly model: string;
  readonly participant?: string;
  readonly row?: number;
  readonly top: number;
  readonly out?: string;
  readonly json?: true;
};

export function addExplain(program: Command, io: Io): void {
  const command = program
    .command('explain')
    .description(
      'Explain a model: what is shared and what is personal, for each feature and participant; for a row, what speaks for and against its prediction.',
    )
    .argument(
      '[data]',
      `${DATA_ARGUMENT}; needed for --row, and for comparable weights unless scaling is standard`,
    )
    .action((data: string | undefined, flags: Flags) => runExplain(io, data, flags));
  addModelOption(addDataOptions(command, 'as in training'))
    .option(
      '--participant <id>',
      "one participant's model; with --row, whose model explains it (default: the row's own)",
    )
    .addOption(valued('--row <number>', 'explain the prediction for this row of the data, from 1', whole(1)))
    .addOption(valued('--top <number>', 'number of features to show', whole(1), 10))
    .option('--out <file>', 'write the figure here, as SVG');
  finish(
    command,
    'kindred explain --model model.json --out shared.svg',
    'kindred explain --model model.json --participant 7',
    'kindred explain --model model.json new.csv --row 12 --out row.svg',
  );
}

/** The same result as a document, as a figure and as lines. */
interface Told {
  readonly document: unknown;
  readonly figure: Figure;
  lines(layout: Layout): string[];
}

async function runExplain(io: Io, data: string | undefined, flags: Flags): Promise<void> {
  if (flags.row !== undefined && data === undefined)
    throw inputError('MISSING_ARGUMENT', 'explain --row: expected the data that has the row, got no file');
  if (flags.out !== undefined) await checkWritable(flags.out);
  const model = await readModel(flags.model);
  const read = data === undefined ? undefined : await readTableFor(model, io, data, flags, 'neither');
  if (flags.participant !== undefined) checkParticipant(model, flags.participant);
  const told =
    flags.row === undefined
      ? toldOfModel(model, read?.table, flags)
      : toldOfRow(model, read!.table, flags.row, flags);
  const { out } = flags;
  if (out !== undefined) {
    const { drawFigure } = await import('../charts/draw.ts');
    await writeAtomically(out, [drawFigure(told.figure)]);
  }
  await writeResult(io, flags, told.document, (layout) => [
    ...told.lines(layout),
    ...(out === undefined ? [] : ['', layout.line('Figure', out)]),
  ]);
  if (read?.served !== undefined && flags.row !== undefined) await note(io, read.served);
}

function toldOfModel(model: Model, table: Table | undefined, flags: Flags): Told {
  const { top, participant } = flags;
  const explanation = explain(model, table);
  const own = explanation.participants.find(({ id }) => id === participant);
  if (!own) {
    return {
      document: shortened(explanation, top),
      figure: modelFigure(explanation, top),
      lines: (layout) => modelLines(explanation, flags, layout),
    };
  }
  const only = { ...explanation, heads: [], participants: [own] };
  return {
    document: shortened(only, top),
    figure: participantFigure(explanation, own, top),
    lines: (layout) => participantLines(explanation, own, flags, layout),
  };
}

function toldOfRow(model: Model, given: Table, row: number, flags: Flags): Told {
  const { participant, top } = flags;
  const table =
    participant === undefined
      ? given
      : { ...given, participants: [participant], participantOf: new Uint32Array(given.n) };
  newcomersIn(table, model);
  const explained = explainRow(model, table, row);
  return {
    document: { ...explained, contributions: explained.contributions.slice(0, top) },
    figure: rowFigure(explained, top),
    lines: (layout) => rowLines(explained, table.source, top, layout),
  };
}

/** As many features as were asked for. */
function shortened({ heads, participants, ...rest }: Explanation, top: number) {
  const few = <H extends { readonly features: readonly unknown[] }>(list: readonly H[]) =>
    list.map((head) => ({ ...head, features: head.features.slice(0, top) }));
  return {
    ...rest,
    ...(heads.length > 0 && { heads: few(heads) }),
    participants: participants.map((each) => ({ ...each, heads: few(each.heads) })),
  };
}

function checkParticipant({ personal }: Model, id: string): void {
  if (personal.has(id)) return;
  const known = listed([...personal.keys()].map(shown), 5);
  throw inputError(
    'UNKNOWN_PARTICIPANT',
    `explain: participant ${shown(id)} is not in the model, which has ${known}`,
  );
}
