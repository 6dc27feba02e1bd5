/**
 * How columns with text or gaps become features, settled once from what participants say of their columns: counts of levels are added up,
 * rare levels are pooled, gaps are filled with the mean of all. Whoever says nothing has numbers and no gaps. Newcomers change nothing:
 * levels that are not known by then are others.
 */
import { type ColumnSummary, type LevelCounts, mergeSummaries } from '../data/column-summary.ts';
import { type ColumnCode, featuresOfCode } from '../data/encoding.ts';
import { codesFrom, MOST_LEVELS } from '../data/learn-encoding.ts';
import { naturallySorted } from '../data/participants.ts';
import { encodedMoments } from '../math/encoded-moments.ts';
import { areLevelsNamed } from '../protocol/agreement.ts';
import type { Moments } from '../protocol/messages.ts';
import { unfitUnion } from './column-union.ts';
import type { Member } from './member.ts';
import { mergeRobustly } from './robust-moments.ts';
import type { CoordinatorState } from './state.ts';

type Brought = NonNullable<Member['moments']>;

/** What cannot be of so many rows, or does not go with what others have. */
export function unfitColumns(
  { members, options }: CoordinatorState,
  member: Member,
  message: Moments,
): string | undefined {
  const { columns } = message;
  // Named and not counted: there are no rows to compare with.
  const count = areLevelsNamed(options) ? 1 : message.count;
  for (const [j, { kind, missing, levels }] of (columns ?? []).entries()) {
    const rows = levels.reduce((sum, level) => sum + level.rows, missing);
    if (rows > count) return `moments: expected at most ${count} rows of column ${j + 1}, got ${rows}`;
    if (kind === 'number' && levels.length > 0)
      return `moments: expected no levels of numbers, got ${levels.length} of column ${j + 1}`;
    if (new Set(levels.map(({ level }) => level)).size < levels.length)
      return `moments: expected each level of column ${j + 1} once`;
  }
  const others = broughtByOthers(members, member);
  if (options.columns === 'union') return unfitUnion([...others], member.id, message);
  // Everybody has come past the first: among thousands it is enough to compare with that one.
  const [first] = others;
  const j = first ? firstOtherKind(first.columns, columns) : -1;
  if (j < 0)
    return areLevelsNamed(options)
      ? tooManyNames([...broughtByOthers(members, member)], member.id, columns)
      : undefined;
  const got = columns?.[j]?.kind ?? 'number';
  const kinds = { number: 'numbers', text: 'text' };
  const expected = got === 'text' ? 'numbers' : 'text';
  return `participant "${member.id}": expected ${expected} in column ${j + 1}, as other participants have, got ${kinds[got]}; --categorical <column> takes numbers as categories`;
}

function* broughtByOthers(members: CoordinatorState['members'], member: Member): Generator<Brought> {
  for (const other of members.values()) if (other !== member && other.moments) yield other.moments;
}

/** Nobody can say which of them are rare. */
function tooManyNames(
  others: readonly Brought[],
  id: string,
  columns: Moments['columns'] = [],
): string | undefined {
  for (const [j, { levels }] of columns.entries()) {
    const names = new Set(levels.map(({ level }) => level));
    for (const other of others) for (const { level } of other.columns?.[j]?.levels ?? []) names.add(level);
    if (names.size > MOST_LEVELS)
      return `participant "${id}": expected at most ${MOST_LEVELS} levels of all participants in column ${j + 1}, because rare ones cannot be pooled with secure aggregation, got ${names.size}; declare the levels (serve --levels), or leave the column out (--drop)`;
  }
  return undefined;
}

function firstOtherKind(a: Moments['columns'], b: Moments['columns']): number {
  const length = Math.max(a?.length ?? 0, b?.length ?? 0);
  const kindOf = (columns: Moments['columns'], j: number) => columns?.[j]?.kind ?? 'number';
  return Array.from({ length }, (_, j) => j).findIndex((j) => kindOf(a, j) !== kindOf(b, j));
}

/** Where levels are named and not counted: all are kept. Means are known when rows have been measured. */
export function namedCodes(
  { features }: CoordinatorState,
  claimed: readonly Brought[],
): readonly ColumnCode[] | undefined {
  if (!claimed.some(({ columns }) => columns)) return undefined;
  const nothing = { mean: new Float64Array(features), m2: new Float64Array(features) };
  const all = claimed.map((brought) => summaryOf({ ...brought, ...nothing }, features));
  return codesFrom(all.reduce(mergeSummaries), 0);
}

/** With the means of all rows, features by features. */
export function withMeans(codes: readonly ColumnCode[], mean: Float64Array): readonly ColumnCode[] {
  let at = 0;
  return codes.map((code) => {
    const here = at;
    at += featuresOfCode(code);
    return code.kind === 'number' ? { ...code, mean: mean[here] } : code;
  });
}

/** Undefined: all columns are numbers, and nothing is missing. */
export function settledCodes(
  { options, features }: CoordinatorState,
  claimed: readonly Brought[],
): readonly ColumnCode[] | undefined {
  if (!claimed.some(({ columns }) => columns)) return undefined;
  const all = claimed.map((brought) => summaryOf(brought, features));
  const codes = codesFrom(all.reduce(mergeSummaries), options.rare);
  return codes.map((code, j) => {
    const own = all.map((columns) => columns[j]);
    return code.kind === 'number'
      ? { ...code, mean: code.missing ? meanOfAll(own) : code.mean }
      : bounded(code, own, claimed);
  });
}

/** One participant alone cannot move it far. */
function meanOfAll(columns: readonly ColumnSummary[]): number {
  const known = columns.flatMap((column, k) => {
    if (column.kind === 'text' || column.count === 0) return [];
    const { count, mean, m2 } = column;
    return [{ id: `${k}`, moments: { count, mean: Float64Array.of(mean), m2: Float64Array.of(m2) } }];
  });
  return known.length === 0 ? 0 : mergeRobustly(known).moments.mean[0];
}

/** The most frequent levels, if there are too many; rows of levels that nobody has named are others. */
function bounded(
  code: Extract<ColumnCode, { kind: 'category' }>,
  columns: readonly ColumnSummary[],
  claimed: readonly Brought[],
): ColumnCode {
  const texts = columns as readonly LevelCounts[];
  const rowsOf = (level: string) => texts.reduce((sum, { levels }) => sum + (levels.get(level) ?? 0), 0);
  const unnamed = texts.some(({ levels, missing }, k) => {
    const named = [...levels.values()].reduce((sum, rows) => sum + rows, missing);
    return named < claimed[k].count;
  });
  if (code.levels.length <= MOST_LEVELS) return { ...code, other: code.other || unnamed };
  // Sorted already, and sorting is stable: of equally frequent ones the first stay.
  const frequent = [...code.levels].sort((a, b) => rowsOf(b) - rowsOf(a)).slice(0, MOST_LEVELS);
  return { ...code, levels: naturallySorted(frequent), other: true };
}

/** With moments of the features that the columns have become. */
export function encodedBy(codes: readonly ColumnCode[] | undefined, brought: Brought): Brought {
  if (!codes || brought.mean.length === 0) return brought;
  return { ...brought, ...encodedMoments(codes, summaryOf(brought, codes.length), brought.count) };
}

export function summaryOf({ count, mean, m2, columns }: Brought, features: number): ColumnSummary[] {
  return Array.from({ length: features }, (_, j) => {
    const { kind = 'number', missing = 0, levels = [] } = columns?.[j] ?? {};
    if (kind === 'text')
      return { kind, missing, levels: new Map(levels.map(({ level, rows }) => [level, rows])) };
    return { kind, missing, count: count - missing, mean: mean[j], m2: m2[j] };
  });
}
