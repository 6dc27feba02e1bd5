/** What is in a table, as a plain object (for people and for --json), and what in it looks like a mistake. */

import { rowsByParticipant } from '../data/participants.ts';
import type { Table } from '../data/table.ts';
import type { Objective } from '../settings/losses.ts';
import { suspicions } from './suspicious.ts';
import { type ClassSummary, type NumberSummary, summariseTarget } from './target-summary.ts';

export interface TableDescription {
  readonly source: string;
  readonly rows: number;
  readonly features: number;
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
  const target = table.targets && summariseTarget(table, table.targets, groups, options.objective);
  return {
    source: table.source,
    rows: table.n,
    features: table.features.length,
    participants: summariseParticipants(table, groups),
    ...(target ? { target } : {}),
    suspicious: suspicions(table, groups, target, options.objective),
  };
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
