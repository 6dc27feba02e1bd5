/** kindred data describe: what is in a file, and what in it may be a mistake. */
import type { Command } from 'commander';
import { describeTable, type TableDescription } from '../methods/describe.ts';
import { addDataOptions, DATA_ARGUMENT, type DataFlags, readData } from './data-options.ts';
import { addJsonOption, example, oneOf } from './flags.ts';
import { type Io, writeJson, writeLines } from './io.ts';
import { count, percent, significant } from './number-text.ts';
import { type Style, styleOf } from './style.ts';
import { labelled, textTable, wrapped } from './text-table.ts';

type Flags = DataFlags & { readonly objective?: 'classification' | 'regression'; readonly json?: true };

export function addDataDescribe(group: Command, io: Io): void {
  const command = group
    .command('describe')
    .description('Summarise the data and list possible mistakes in them.')
    .argument('<data>', DATA_ARGUMENT)
    .action((data: string, flags: Flags) => runDescribe(io, data, flags));
  addDataOptions(command).option(
    '--objective <kind>',
    'classification or regression (default: guessed from the target)',
    oneOf('--objective', ['classification', 'regression']),
  );
  addJsonOption(command);
  example(command, 'kindred data describe readings.csv --task patient --label score');
}

async function runDescribe(io: Io, data: string, flags: Flags): Promise<void> {
  const table = await readData(io, data, flags);
  const description = describeTable(table, { objective: flags.objective });
  if (flags.json) await writeJson(io, description);
  else await writeLines(io, describeLines(description, styleOf(io)));
}

function describeLines(description: TableDescription, style: Style): string[] {
  const { participants: p, suspicious } = description;
  const line = (label: string, text: string) => labelled(label, text, style);
  const rows =
    p.rowsMin === p.rowsMax
      ? `${count(p.rowsMin)} rows each`
      : `${count(p.rowsMin)} to ${count(p.rowsMax)} rows each (median ${count(p.rowsMedian)})`;
  const smallest = p.smallest.map(({ id, rows }) => `${id} (${count(rows)})`).join(', ');
  return [
    line('Data', description.source),
    line('Rows', count(description.rows)),
    line('Features', count(description.features)),
    line('Participants', `${count(p.count)}, ${rows}`),
    ...(p.rowsMin === p.rowsMax ? [] : [line('Fewest rows', smallest)]),
    ...targetLines(description.target, style),
    '',
    ...(suspicious.length === 0
      ? [line('Suspicious', 'nothing')]
      : [style.bold('Suspicious'), ...suspicious.flatMap((sentence) => wrapped('  - ', `${sentence}.`))]),
  ];
}

function targetLines(target: TableDescription['target'], style: Style): string[] {
  if (!target) return [];
  const line = (text: string) => labelled('Target', text, style);
  if (target.kind === 'numbers') {
    const { mean, sd, min, max, distinct } = target;
    return [
      line(
        `${count(distinct)} distinct numbers from ${significant(min)} to ${significant(max)}, ` +
          `mean ${significant(mean)}, sd ${significant(sd)}`,
      ),
    ];
  }
  const hidden = target.distinct - target.classes.length;
  const rows = target.classes.map(({ value, rows, share }) => [value, count(rows), percent(share)]);
  return [
    line(`${count(target.distinct)} ${target.distinct === 1 ? 'class' : 'classes'}`),
    '',
    ...textTable(
      [
        { title: 'class', align: 'left' },
        { title: 'rows', align: 'right' },
        { title: 'share', align: 'right' },
      ],
      rows,
      style,
    ),
    ...(hidden > 0 ? [`  and ${count(hidden)} more`] : []),
  ];
}
