/** The participant column while it is being read: ids come in row by row, the table wants them distinct and in order. */
import { inputError } from '../base/errors.ts';
import { GrowingList } from './growing-list.ts';
import { parseDecimal } from './number.ts';
import type { Table } from './table.ts';

export class ParticipantColumn {
  private readonly seen = new Map<string, number>();
  private readonly rows = new GrowingList();

  push(id: string): void {
    let index = this.seen.get(id);
    if (index === undefined) {
      index = this.seen.size;
      this.seen.set(id, index);
    }
    this.rows.push(index);
  }

  finish(): Pick<Table, 'participants' | 'participantOf'> {
    const participants = naturallySorted(this.seen.keys());
    const place = new Uint32Array(participants.length);
    for (const [i, id] of participants.entries()) place[this.seen.get(id)!] = i;
    const participantOf = this.rows.finish();
    for (let i = 0; i < participantOf.length; i++) participantOf[i] = place[participantOf[i]];
    return { participants, participantOf };
  }
}

/** Rows of each participant, in the order of the table. */
export function rowsByParticipant(
  table: Pick<Table, 'participants' | 'participantOf'>,
  rows: Uint32Array = everyRow(table),
): Uint32Array[] {
  const counts = new Uint32Array(table.participants.length);
  for (const i of rows) counts[table.participantOf[i]]++;
  const groups = Array.from(counts, (count) => new Uint32Array(count));
  counts.fill(0);
  for (const i of rows) {
    const k = table.participantOf[i];
    groups[k][counts[k]++] = i;
  }
  return groups;
}

/** Features of some rows, n x d as in the table. */
export function featuresOf(table: Pick<Table, 'x' | 'features'>, rows: ArrayLike<number>): Float64Array {
  const d = table.features.length;
  const x = new Float64Array(rows.length * d);
  for (let to = 0; to < rows.length; to++) x.set(table.x.subarray(rows[to] * d, (rows[to] + 1) * d), to * d);
  return x;
}

function everyRow(table: Pick<Table, 'participantOf'>): Uint32Array {
  return Uint32Array.from(table.participantOf, (_, i) => i);
}

/** The first so many participants, in the table's order. */
export function firstParticipants(table: Table, most: number | undefined): Table {
  const got = table.participants.length;
  if (most === undefined || most === got) return table;
  if (most > got) {
    throw inputError(
      'TOO_FEW_PARTICIPANTS',
      `${table.source}: expected at least ${most} participants (--participants), got ${got}`,
    );
  }
  const rows = rowsWhere(table, (k) => k < most);
  return { ...selectRows(table, rows), participants: table.participants.slice(0, most) };
}

/** The rows of one participant; undefined where there is no such participant. */
export function rowsOfParticipant(table: Table, id: string): Table | undefined {
  const place = table.participants.indexOf(id);
  if (place < 0) return undefined;
  const own = selectRows(
    table,
    rowsWhere(table, (k) => k === place),
  );
  return { ...own, participants: [id], participantOf: new Uint32Array(own.n) };
}

function rowsWhere({ participantOf }: Table, holds: (k: number) => boolean): number[] {
  const rows: number[] = [];
  for (let i = 0; i < participantOf.length; i++) if (holds(participantOf[i])) rows.push(i);
  return rows;
}

/** Some rows, with the participants as they are. */
export function selectRows(table: Table, rows: ArrayLike<number>): Table {
  return {
    ...table,
    n: rows.length,
    x: featuresOf(table, rows),
    participantOf: Uint32Array.from(rows, (i) => table.participantOf[i]),
    targets: table.targets && Array.from(rows, (i) => table.targets![i]),
    ...(table.weights && { weights: Float64Array.from(rows, (i) => table.weights![i]) }),
    lines: table.lines && Uint32Array.from(rows, (i) => table.lines![i]),
  };
}

/**
 * Numbers by value before all text, text by code units (never by locale: the order must be the same on every machine). Equal numbers
 * written differently ("1", "1.0") stay apart and are ordered as text.
 */
export function naturallySorted(items: Iterable<string>): string[] {
  // The numbers are read once, not at every comparison.
  const keyed = Array.from(items, (text) => ({ text, value: parseDecimal(text) }));
  keyed.sort((a, b) => {
    const aIsText = Number.isNaN(a.value);
    const bIsText = Number.isNaN(b.value);
    if (aIsText !== bIsText) return aIsText ? 1 : -1;
    if (!aIsText && a.value !== b.value) return a.value < b.value ? -1 : 1;
    return a.text < b.text ? -1 : a.text > b.text ? 1 : 0;
  });
  return keyed.map((item) => item.text);
}
