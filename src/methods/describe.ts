/** What is in a table, as a plain object (for people and for --json), and what in it looks like a mistake. */

import { type ColumnSummary, summarise } from '../data/column-summary.ts';
import { dateAmong } from '../data/dates.ts';
import { rowsByParticipant } from '../data/participants.ts';
import type { Table } from '../data/table.ts';
import type { Objective } from '../settings/losses.ts';
import { suspicions } from './suspicious.ts';
import { type ClassSummary, type NumberSummary, summariseTarget } from './target-summary.ts';

export interface ColumnDescription {
  readonly name: string;
  readonly kind: 'numbers' | 'text' | 'dates';
  /** Share of the rows. */
  readonly missing: number;
  /** Of text: how many different values, and the most frequent of them. */
  readonly distinct?: number;
  readonly levels?: readonly { readonly level: string; readonly rows: number }[];
}

export interface TableDescription {
  readonly source: string;
  readonly rows: number;
  readonly features: number;
  /** Those with text or gaps. */
  readonly columns: readonly ColumnDescription[];
  readonly participants: {
    readonly count: number;
    readonly rowsMin: number;
    readonly rowsMedian: number;
    readonly rowsMax: number;
    /** The five with the fewest rows. */
    readonly smallest: readonly { readonly id: string; readonly rows: number }[];
  };
  /** Absent where the table has no targets. */
  readonly target?: ClassSummary | NumberSummary;
  /** One sentence each. */
  readonly suspicious: readonly string[];
}

export function describeTable(
  table: Table,
  options: { readonly objective?: Objective | undefined } = {},
): TableDescription {
  const groups = rowsByParticipant(table);
  const everyRow = Uint32Array.from(table.participantOf, (_, i) => i);
  const columns = summarise(table, table.features.length, everyRow);
  const target = table.targets && summariseTarget(table, table.targets, groups, options.objective);
  return {
    source: table.source,
    rows: table.n,
    features: table.features.length,
    columns: describedColumns(table, columns),
    participants: summariseParticipants(table, groups),
    ...(target ? { target } : {}),
    suspicious: suspicions(table, groups, target, options.objective, columns),
  };
}

/** More are not listed. */
const MOST_LEVELS = 20;

function describedColumns(table: Table, columns: readonly ColumnSummary[]): ColumnDescription[] {
  return columns.flatMap((column, j): ColumnDescription[] => {
    const missing = column.missing / table.n;
    const name = table.features[j];
    if (column.kind === 'number') return missing > 0 ? [{ name, kind: 'numbers', missing }] : [];
    const isDate = dateAmong(column.levels.keys()) !== undefined;
    const levels = [...column.levels].sort(([, a], [, b]) => b - a).slice(0, MOST_LEVELS);
    return [
      {
        ...{ name, kind: isDate ? 'dates' : 'text', missing, distinct: column.levels.size },
        levels: levels.map(([level, rows]) => ({ level, rows })),
      },
    ];
  });
}

function summariseParticipants(
  table: Table,
  groups: readonly Uint32Array[],
): TableDescription['participants'] {
  const sizes = groups.map((rows, k) => ({ id: table.participants[k], rows: rows.length }));
  sizes.sort((a, b) => a.rows - b.rows);
  const middle = sizes.length >> 1;
  const rowsMedian =
    sizes.length % 2 === 1 ? sizes[middle].rows : (sizes[middle - 1].rows + sizes[middle].rows) / 2;
  return {
    count: sizes.length,
    rowsMin: sizes[0].rows,
    rowsMedian,
    rowsMax: sizes[sizes.length - 1].rows,
    smallest: sizes.slice(0, 5),
  };
}
