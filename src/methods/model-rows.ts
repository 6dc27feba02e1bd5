/** Rows as a model wants them: its columns, found by name, in its order, and made into features as its encoding says. */
import { inputError } from '../base/errors.ts';
import { isPlain } from '../data/column-summary.ts';
import { columnNames, type EncodedColumn, type Encoding, encode, placesOf } from '../data/encoding.ts';
import { listed, shown } from '../data/number.ts';
import { selectFeatures } from '../data/select-features.ts';
import { placeOf, type Table } from '../data/table.ts';
import type { Model } from '../solver/model.ts';

/** The same rows with the model's features; a table that has them already stays as it is. */
export function withFeaturesOf(model: Model, table: Table): Table {
  const { features, encoding } = model;
  if (!encoding) return withoutGaps(model, inOrder(features, table));
  return isSame(features, table.features) ? table : encode(columnsFor(encoding, table), encoding);
}

/** In the order of the encoding; where it says so, columns that the table does not have are missing in all rows. */
function columnsFor(encoding: Encoding, table: Table): Table {
  const columns = columnNames(encoding);
  const places = placesOf(columns, table.features);
  const hasSome = places.some((place) => place >= 0);
  return encoding.absent === 'missing' && hasSome
    ? { ...selectFeatures(table, places), features: columns }
    : inOrder(columns, table);
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, j) => name === b[j]);
}

/** These columns in this order, found by name. */
function inOrder(columns: readonly string[], table: Table): Table {
  if (isSame(columns, table.features)) return table;
  const place = new Map(table.features.map((name, j) => [name, j]));
  const wanted = new Set(columns);
  const missing = columns.filter((name) => !place.has(name));
  const extra = table.features.filter((name) => !wanted.has(name));
  if (missing.length > 0 || extra.length > 0) throw otherFeatures(table, columns.length, missing, extra);
  return selectFeatures(
    table,
    columns.map((name) => place.get(name)!),
  );
}

function otherFeatures(table: Table, d: number, missing: readonly string[], extra: readonly string[]): Error {
  const quoted = (names: readonly string[]) =>
    listed(
      names.map((name) => `"${name}"`),
      5,
    );
  const code = missing.length === extra.length ? 'FEATURE_NAMES' : 'FEATURE_COUNT';
  const lacks = missing.length > 0 ? `, missing ${quoted(missing)}` : '';
  const has = extra.length > 0 ? `, got ${quoted(extra)} besides (--drop leaves columns out)` : '';
  return inputError(
    code,
    `${table.source}: expected the model's ${d} features and got ${table.features.length}${lacks}${has}`,
  );
}

/** Training saw no gaps: one is filled with the mean of the training rows, which the scaling knows unless there is none. */
function withoutGaps({ features, scaling }: Model, table: Table): Table {
  if (isPlain(table)) return table;
  if (scaling.mode === 'none') checkComplete(table);
  const columns = features.map((name, j): EncodedColumn => {
    return { name, kind: 'number', mean: scaling.shift[j], missing: false };
  });
  return encode(table, { columns });
}

function checkComplete(table: Table): void {
  const at = table.x.findIndex((value) => Number.isNaN(value));
  if (at < 0) return;
  const d = table.features.length;
  const place = placeOf(table, Math.floor(at / d));
  throw inputError(
    'MISSING_VALUE',
    `${table.source} ${place}, column ${shown(table.features[at % d])}: expected a number, the value is missing; the model was trained with --scale none on rows without gaps and knows no mean to fill it with`,
  );
}
