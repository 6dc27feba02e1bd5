/** What somebody chooses about a file before it is read: which column is to be predicted, whose rows are theirs, what is left out. */
import { DECIMAL_COMMA, isMissing, parseDecimal } from '../../data/number.ts';
import type { FilePreview } from '../../data/preview.ts';

export interface FileChoices {
  /** Column to predict. */
  readonly label: string;
  /** Column that says whose row it is; undefined: none does. */
  readonly task: string | undefined;
  /** The value of that column in one's own rows; undefined: all rows. */
  readonly own: string | undefined;
  readonly drop: readonly string[];
  readonly decimal: 'point' | 'comma';
  /** false: the first line is a row already. */
  readonly header: boolean;
}

const TARGETS = ['y', 'target', 'label', 'class', 'outcome', 'result', 'score', 'rating'];
const PEOPLE = ['task', 'participant', 'person', 'subject', 'user', 'patient'];

/** What is likely: to be looked at, and corrected, by whoever knows the file. */
export function guessChoices(preview: FilePreview, participant: string): FileChoices {
  const header = !isHeaderless(preview);
  const names = columnsOf(preview, header);
  const rows = header ? preview.rows : [preview.names, ...preview.rows];
  const task = PEOPLE.map((name) => named(names, name)).find((name) => name !== undefined);
  const rest = names.filter((name) => name !== task);
  const label =
    TARGETS.map((name) => named(rest, name)).find((name) => name !== undefined) ??
    rest[rest.length - 1] ??
    '';
  const people = task === undefined ? [] : rows.map((row) => row[names.indexOf(task)]);
  return {
    label,
    task,
    own: people.includes(participant) ? participant : undefined,
    drop: [],
    decimal: hasDecimalCommas(rows) ? 'comma' : 'point',
    header,
  };
}

/** As the file calls them, or c1, c2, ... */
export function columnsOf({ names }: FilePreview, header: boolean): readonly string[] {
  return header ? names : names.map((_, c) => `c${c + 1}`);
}

function named(names: readonly string[], wanted: string): string | undefined {
  return names.find((name) => name.trim().toLowerCase() === wanted);
}

/** A header of numbers is a row. */
function isHeaderless({ names }: FilePreview): boolean {
  return names.length > 0 && names.every((name) => !Number.isNaN(parseDecimal(name.replace(',', '.'))));
}

function hasDecimalCommas(rows: readonly (readonly string[])[]): boolean {
  const values = rows.flat().filter((value) => !isMissing(value));
  const commas = values.filter((value) => DECIMAL_COMMA.test(value)).length;
  const points = values.filter((value) => /^[+-]?\d+\.\d+$/.test(value)).length;
  return commas > points;
}

/** A name to begin with: that of the file, without its endings. */
export function nameFromFile(file: string): string {
  return file.replace(/(?<=.)\..*$/, '').slice(0, 60);
}
