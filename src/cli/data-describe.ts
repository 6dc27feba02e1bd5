/** kindred data describe: what is in a file, and what in it may be a mistake. */
import type { Command } from 'commander';
import { describeTable, type TableDescription } from '../methods/describe.ts';
import { choice } from '../settings/kinds.ts';
import { addColumnOptions, addDataOptions, DATA_ARGUMENT, type DataFlags, readData } from './data-options.ts';
import { finish, valued } from './flags.ts';
import type { Io } from './io.ts';
import { type Layout, wrapped, writeResult } from './layout.ts';
import { count, percent, significant } from './number-text.ts';

type Flags = DataFlags & { readonly objective?: 'classification' | 'regression'; readonly json?: true };

export function addDataDescribe(group: Command, io: Io): void {
  const command = group
    .command('describe')
    .description('Summarise the data and list possible problems.')
    .argument('<data>', DATA_ARGUMENT)
    .action((data: string, flags: Flags) => runDescribe(io, data, flags));
  addColumnOptions(addDataOptions(command)).addOption(
    valued(
      '--objective <kind>',
      'classification or regression (default: guessed from the target)',
      choice('classification', 'regression'),
    ),
  );
  finish(command, 'kindred data describe readings.csv --task patient --label score');
}

async function runDescribe(io: Io, data: string, flags: Flags): Promise<void> {
  const table = await readData(io, data, flags);
  const description = describeTable(table, { objective: flags.objective });
  await writeResult(io, flags, description, (layout) => report(description, layout));
}

function report(description: TableDescription, layout: Layout): string[] {
  const { participants: p, suspicious } = description;
  const { line, bold } = layout;
  const [least, most] = [count(p.rowsMin), count(p.rowsMax)];
  const isEven = p.rowsMin === p.rowsMax;
  const rows = isEven ? least : `${least} to ${most}`;
  const median = isEven ? '' : ` (median ${count(p.rowsMedian)})`;
  const smallest = p.smallest.map(({ id, rows }) => `${id} (${count(rows)})`).join(', ');
  return [
    line('Data', description.source),
    line('Rows', count(description.rows)),
    line('Features', featuresText(description)),
    line('Participants', `${count(p.count)}, ${rows} rows each${median}`),
    ...(isEven ? [] : [line('Fewest rows', smallest)]),
    ...targetLines(description.target, layout),
    '',
    ...columnLines(description, layout),
    ...(suspicious.length === 0
      ? [line('Suspicious', 'nothing')]
      : [bold('Suspicious'), ...suspicious.flatMap((sentence) => wrapped('  - ', `${sentence}.`))]),
  ];
}

function featuresText({ features, columns }: TableDescription): string {
  const texts = columns.filter(({ kind }) => kind !== 'numbers').length;
  const gaps = columns.filter(({ missing }) => missing > 0).length;
  if (texts + gaps === 0) return count(features);
  return `${count(features)}, ${count(texts)} of them text, ${count(gaps)} with missing values`;
}

/** More columns than this are not shown, nor more levels of one. */
const MOST_COLUMNS = 20;
const MOST_SHOWN = 6;

function columnLines({ columns }: TableDescription, { table }: Layout): string[] {
  if (columns.length === 0) return [];
  const rows = columns
    .slice(0, MOST_COLUMNS)
    .map(({ name, kind, missing, distinct, levels = [] }) => [
      name,
      kind,
      missing === 0 ? '' : percent(missing),
      distinct === undefined ? '' : count(distinct),
      levelsText(levels, distinct ?? 0),
    ]);
  const more = columns.length - rows.length;
  return [
    ...table(['<column', '<kind', 'missing', 'levels', '<most frequent'], rows),
    ...(more > 0 ? [`  and ${count(more)} more (--json has all)`] : []),
    '',
  ];
}

function levelsText(
  levels: NonNullable<TableDescription['columns'][number]['levels']>,
  distinct: number,
): string {
  const few = levels.slice(0, MOST_SHOWN).map(({ level, rows }) => `${shortened(level)} (${count(rows)})`);
  return `${few.join(', ')}${distinct > few.length ? ', ...' : ''}`;
}

function shortened(level: string): string {
  return level.length > 20 ? `${level.slice(0, 20)}...` : level;
}

function targetLines(target: TableDescription['target'], { line, table }: Layout): string[] {
  if (!target) return [];
  if (target.kind === 'numbers') {
    const [min, max, mean, sd] = [target.min, target.max, target.mean, target.sd].map(significant);
    const distinct = `${count(target.distinct)} distinct numbers`;
    return [line('Target', `${distinct} from ${min} to ${max}, mean ${mean}, sd ${sd}`)];
  }
  const { classes, distinct } = target;
  const hidden = distinct - classes.length;
  const rows = classes.map(({ value, rows, share }) => [value, count(rows), percent(share)]);
  return [
    line('Target', `${count(distinct)} ${distinct === 1 ? 'class' : 'classes'}`),
    '',
    ...table(['<class', 'rows', 'share'], rows),
    ...(hidden > 0 ? [`  and ${count(hidden)} more`] : []),
  ];
}
