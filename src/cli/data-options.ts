/** Options for reading data, and the reading itself: the same for every command that takes <data>. */
import { Command, Option } from 'commander';
import { inMemory } from '../data/byte-source.ts';
import type { CategoricalRule, MissingRule, Table, TableColumns } from '../data/table.ts';
import { tableColumns } from '../data/table-bytes.ts';
import type { TextFormat } from '../data/text-format.ts';
import { parseFile, type ReadOptions, readTable } from '../node/files/read-table.ts';
import { COLUMN_RULES } from '../settings/columns.ts';
import { choice, number } from '../settings/kinds.ts';
import { optionWords } from './command-line.ts';
import { nameList, valued } from './flags.ts';
import type { Io } from './io.ts';

export interface DataFlags {
  readonly task?: string;
  readonly label?: string;
  readonly drop?: readonly string[];
  readonly weight?: string;
  readonly missing?: MissingRule;
  readonly categorical?: CategoricalRule;
  readonly taskFile?: string;
  readonly uciTarget?: 'sitting' | 'activity';
  readonly separator?: string;
  readonly decimal?: 'point' | 'comma';
  readonly header?: boolean;
  readonly maxBytes?: number;
}

/** What columns hold, where that is not the usual. */
type ColumnRules = Pick<TableColumns, 'weight' | 'missing' | 'categorical'>;

/** Which columns of a file mean what, and how it is written where that is not the usual way. */
export type ColumnNames = Pick<
  TableColumns,
  'task' | 'label' | 'drop' | keyof ColumnRules | keyof TextFormat
>;

const { task, label, drop } = tableColumns();
export const DEFAULT_COLUMNS: ColumnNames = { task, label, drop };

export const DATA_ARGUMENT =
  'CSV or other separated text (also .gz), Parquet, Arrow, NumPy (.npy, .npz) or LIBSVM file, the UCI HAR folder, or - for stdin';

/** `defaults`: names that are not given are the usual ones, or those of a model's training. */
export function addDataOptions(command: Command, defaults: 'usual' | 'as in training' = 'usual'): Command {
  const usual = defaults === 'usual';
  return command
    .optionsGroup('Data:')
    .option('--task <column>', `participant column (default: ${usual ? DEFAULT_COLUMNS.task : defaults})`)
    .option('--label <column>', `target column (default: ${usual ? DEFAULT_COLUMNS.label : defaults})`)
    .option('--drop <a,b>', `columns to leave out (default: ${usual ? 'none' : defaults})`, nameList)
    .addOption(separatorOption())
    .addOption(decimalOption())
    .option('--header', `the first line names the columns (default${usual ? '' : `: ${defaults}`})`)
    .option('--no-header', 'the file has no header; columns are named c1, c2, ...')
    .addOption(maxBytesOption())
    .option('--task-file <file>', 'one participant id per line, for LIBSVM text')
    .addOption(
      valued(
        '--uci-target <what>',
        'target of the UCI HAR folder: sitting (1 or -1) or activity (1..6)',
        choice('sitting', 'activity'),
      ),
    )
    .optionsGroup('Options:');
}

/** For commands that take tables with text, gaps and weights. */
export function addColumnOptions(command: Command, defaults: 'usual' | 'as in training' = 'usual'): Command {
  const usual = (text: string) => (defaults === 'usual' ? text : defaults);
  return command
    .optionsGroup('Data:')
    .option(
      '--weight <column>',
      `column with a weight of at least 0 for each row (default: ${usual('none')})`,
    )
    .addOption(
      valued(
        '--missing <rule>',
        `missing values: mean (mean of all training rows and an indicator) or refuse (default: ${usual('mean')})`,
        COLUMN_RULES.missing,
      ),
    )
    .addOption(
      new Option(
        '--categorical <rule>',
        `text columns: auto (a feature for each level), refuse, or names of columns that are categories even if they hold numbers (default: ${usual('auto')})`,
      ).argParser(categoricalFrom),
    )
    .optionsGroup('Options:');
}

function categoricalFrom(text: string, previous: CategoricalRule | undefined): CategoricalRule {
  if (text === 'auto' || text === 'refuse') return text;
  return nameList(text, typeof previous === 'string' ? undefined : previous);
}

export function separatorOption(): Option {
  return new Option(
    '--separator <char|auto>',
    'column separator of a text file: , ; | tab, or any single character (default: auto, detected from the first line)',
  ).argParser((text) => (text === 'tab' || text === '\\t' ? '\t' : text));
}

export function decimalOption(): Option {
  return valued(
    '--decimal <sign>',
    'decimal sign of a text file: point or comma (default: point)',
    choice('point', 'comma'),
  );
}

export function maxBytesOption(): Option {
  return valued(
    '--max-bytes <number>',
    'maximum uncompressed size of a gzipped, Parquet, Arrow or .npz file in bytes (default: 100 times its size, at least 256 MiB, at most 4 GiB), or of the dense table of a LIBSVM file (default: 2 GiB)',
    number({ min: 1 }),
  );
}

/** How the file is written, as far as it is given or known. */
function formatFrom(flags: DataFlags, known: TextFormat): TextFormat {
  const separator = flags.separator ?? known.separator;
  const decimal = flags.decimal ?? known.decimal;
  const header = flags.header ?? known.header;
  return {
    ...(separator !== undefined && { separator }),
    ...(decimal !== undefined && { decimal }),
    ...(header !== undefined && { header }),
  };
}

/** The data options of a command as they were given, for a command that reads the same rows. */
export function dataWords(flags: DataFlags): string[] {
  return optionWords(addColumnOptions(addDataOptions(new Command())).options, flags);
}

/** What is given goes before what is known from elsewhere. */
export function columnsFrom(flags: DataFlags, known: ColumnNames = DEFAULT_COLUMNS): ColumnNames {
  const task = flags.task ?? known.task;
  const label = flags.label ?? known.label;
  // A column that is asked for now may have been left out then.
  const drop = flags.drop ?? known.drop.filter((name) => name !== task && name !== label);
  return { task, label, drop, ...rulesFrom(flags, known), ...formatFrom(flags, known) };
}

function rulesFrom(flags: DataFlags, known: ColumnRules): ColumnRules {
  const weight = flags.weight ?? known.weight;
  const missing = flags.missing ?? known.missing;
  const categorical = flags.categorical ?? known.categorical;
  return {
    ...(weight !== undefined && { weight }),
    ...(missing !== undefined && { missing }),
    ...(categorical !== undefined && { categorical }),
  };
}

/** For commands that know numbers only. */
export const NUMBERS_ONLY = { missing: 'refuse', categorical: 'refuse' } as const;

/** A file, the UCI HAR folder, or - for standard input. */
export async function readSource(io: Io, path: string, options: ReadOptions): Promise<Table> {
  return path === '-' ? parseFile(inMemory(await io.stdin()), 'stdin', options) : readTable(path, options);
}

/** As in the flags; `options` override them. */
export function readData(io: Io, path: string, flags: DataFlags, options: ReadOptions = {}): Promise<Table> {
  const { taskFile, uciTarget, maxBytes } = flags;
  return readSource(io, path, { ...columnsFrom(flags), taskFile, uciTarget, maxBytes, ...options });
}
