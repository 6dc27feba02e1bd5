/** What a table has that a model cannot take as it is: absent columns, gaps, and levels that training did not know. Told to whoever predicts. */
import { type CategoryCode, slotsOf } from '../data/encoding.ts';
import type { Table } from '../data/table.ts';
import { levelOf } from '../data/text-columns.ts';
import type { Model } from '../solver/model.ts';

export interface UnfamiliarValues {
  /** Columns that the table does not have. */
  readonly absent: readonly string[];
  readonly gaps: number;
  /** Values of levels that training did not know, and which levels of which columns they are. */
  readonly unknown: number;
  readonly levels: readonly { readonly column: string; readonly level: string }[];
}

/** Of a table with raw columns; columns that the model does not have are not looked at. */
export function unfamiliarValues(
  { features, encoding }: Pick<Model, 'features' | 'encoding'>,
  table: Table,
): UnfamiliarValues {
  const columns = encoding?.columns ?? features.map((name) => ({ name, kind: 'number' as const }));
  const place = new Map(table.features.map((name, j) => [name, j]));
  const absent: string[] = [];
  let gaps = 0;
  let unknown = 0;
  const levels: { column: string; level: string }[] = [];
  for (const column of columns) {
    const j = place.get(column.name);
    if (j === undefined) {
      absent.push(column.name);
      continue;
    }
    const found = column.kind === 'category' ? strangersIn(column, table, j) : undefined;
    gaps += gapsIn(table, j);
    unknown += found?.rows ?? 0;
    for (const level of found?.levels ?? []) levels.push({ column: column.name, level });
  }
  return { absent, gaps, unknown, levels };
}

function gapsIn({ n, x, features }: Table, j: number): number {
  let gaps = 0;
  for (let i = 0; i < n; i++) if (Number.isNaN(x[i * features.length + j])) gaps++;
  return gaps;
}

function strangersIn(code: CategoryCode, { n, x, features, levels }: Table, j: number) {
  const known = new Set(slotsOf(code));
  const texts = levels?.[j];
  const strange = new Set<string>();
  let rows = 0;
  for (let i = 0; i < n; i++) {
    const value = x[i * features.length + j];
    if (Number.isNaN(value)) continue;
    const level = texts ? texts[value] : levelOf(value);
    if (known.has(level)) continue;
    rows++;
    strange.add(level);
  }
  return { rows, levels: strange };
}
