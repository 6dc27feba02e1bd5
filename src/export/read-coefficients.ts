/** Weights as CSV (coefficients-csv.ts), or of anybody's making: a header with the names of features, the columns participant, class, otherwise and intercept where there are such. */
import { inputError } from '../base/errors.ts';
import { textOfCell } from '../data/csv-cell.ts';
import { CsvCursor } from '../data/csv-cursor.ts';
import { parseDecimal, shown } from '../data/number.ts';
import type { LinearModel } from '../solver/linear-model.ts';

const NAMES = ['participant', 'class', 'otherwise', 'intercept'] as const;
/** These come first, in this order; a feature further back may have the same name. */
type Named = Partial<Record<(typeof NAMES)[number], string>>;

interface Line {
  readonly named: Named;
  readonly coef: Float64Array;
  readonly intercept: number;
}

export function readCoefficients(text: string, source: string): LinearModel {
  const [titles, ...records] = recordsOf(text, source);
  const named = leading(titles);
  const features = titles.slice(named.length);
  if (features.length === 0) throw wrong(source, 'expected columns of features, got none');
  if (records.length === 0) throw wrong(source, 'expected lines of weights below the header, got none');
  const lines = records.map((record, i) => lineOf(record, named, features, `${source} line ${i + 2}`));
  const shared = lines.filter((line) => (line.named.participant ?? '') === '');
  if (shared.length === 0)
    throw wrong(
      source,
      `expected a line without a participant, which is the shared part, among ${lines.length}; kindred export --format csv --shared writes one`,
    );
  const classes = classesOf(shared, source);
  return { source, objective: classes && 'classification', features, classes, heads: shared };
}

function leading(titles: readonly string[]): (typeof NAMES)[number][] {
  const named: (typeof NAMES)[number][] = [];
  for (const name of NAMES) if (titles[named.length] === name) named.push(name);
  return named;
}

function lineOf(
  record: readonly string[],
  names: readonly (typeof NAMES)[number][],
  features: readonly string[],
  where: string,
): Line {
  if (record.length !== names.length + features.length)
    throw wrong(where, `expected ${names.length + features.length} fields, got ${record.length}`);
  const named: Named = Object.fromEntries(names.map((name, c) => [name, record[c]]));
  const number = (text: string, title: string) => {
    const value = parseDecimal(text.trim());
    if (Number.isFinite(value)) return value;
    throw wrong(where, `expected a number in column ${shown(title)}, got ${shown(text)}`);
  };
  const coef = features.map((title, j) => number(record[names.length + j], title));
  const intercept = named.intercept === undefined ? 0 : number(named.intercept, 'intercept');
  return { named, coef: Float64Array.from(coef), intercept };
}

/** Undefined: a regression, or one line that does not say what it is for. */
function classesOf(lines: readonly Line[], source: string): readonly string[] | undefined {
  const names = lines.flatMap(({ named }) => named.class ?? []);
  if (lines.length === 1) {
    const [{ named }] = lines;
    return names.length === 0 ? undefined : [named.otherwise ?? `not ${names[0]}`, names[0]];
  }
  if (names.length === lines.length && new Set(names).size === names.length) return names;
  throw wrong(
    source,
    `expected ${lines.length} lines of different classes, got ${names.map(shown).join(', ') || 'no column "class"'}`,
  );
}

function recordsOf(text: string, source: string): string[][] {
  const cursor = new CsvCursor(source);
  cursor.show(new TextEncoder().encode(text), 'end');
  cursor.skipByteOrderMark();
  const records: string[][] = [];
  while (cursor.nextRecord()) {
    const record = [cursor.field()];
    for (; cursor.atSeparator(); record.push(cursor.field())) cursor.at++;
    cursor.endRecord();
    records.push(record.map(textOfCell));
  }
  return records;
}

function wrong(where: string, sentence: string): Error {
  return inputError('START_INVALID', `${where}: weights as CSV: ${sentence}`);
}
