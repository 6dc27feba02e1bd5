/**
 * Columns of participants that have different ones: all that somebody has before the first round, by name, those of the first participant
 * first. What a participant does not have is missing in all of its rows. Newcomers change nothing.
 */
import type { ColumnClaim } from '../protocol/agreement.ts';
import { DEFAULT_LIMITS } from '../protocol/limits.ts';
import type { Moments } from '../protocol/messages.ts';
import type { Member } from './member.ts';

type Brought = NonNullable<Member['moments']>;
type Kinds = Map<string, ColumnClaim['kind']>;

/** Names in order, and what they hold. */
export function unionOf(claimed: Iterable<Pick<Brought, 'names' | 'columns'>>): Kinds {
  const kinds: Kinds = new Map();
  for (const { names = [], columns = [] } of claimed)
    for (const [j, name] of names.entries())
      if (!kinds.has(name)) kinds.set(name, columns[j]?.kind ?? 'number');
  return kinds;
}

/** What somebody has brought as if it had all columns. */
export function arranged(kinds: Kinds, { names = [], columns = [], mean, m2, ...rest }: Brought): Brought {
  const places = new Map(names.map((name, j) => [name, j]));
  const own = [...kinds.keys()].map((name) => places.get(name));
  const of = (values: Float64Array) => Float64Array.from(own, (j) => (j === undefined ? 0 : values[j]));
  const absent = [...kinds.values()].map((kind) => ({ kind, missing: rest.count, levels: [] }));
  return {
    ...rest,
    mean: of(mean),
    m2: of(m2),
    columns: own.map((j, at) => (j === undefined ? absent[at] : columns[j])),
  };
}

/** What does not go with the columns that others have brought. */
export function unfitUnion(
  others: Iterable<Brought>,
  id: string,
  { names = [], columns = [] }: Moments,
): string | undefined {
  const known = unionOf(others);
  for (const [j, name] of names.entries()) {
    const kind = known.get(name) ?? columns[j].kind;
    if (kind === columns[j].kind) continue;
    const [expected, got] = kind === 'text' ? ['text', 'numbers'] : ['numbers', 'text'];
    return `participant "${id}": expected ${expected} in column "${name}", as other participants have, got ${got}; --categorical <column> takes numbers as categories`;
  }
  const { maxFeatures } = DEFAULT_LIMITS;
  const all = known.size + names.filter((name) => !known.has(name)).length;
  if (all <= maxFeatures) return undefined;
  return `participant "${id}": expected at most ${maxFeatures} columns of all participants, got ${all}`;
}
