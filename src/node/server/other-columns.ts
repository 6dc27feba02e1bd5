/** Why somebody's columns are not those of a federation, in a sentence. */
import { listed, shown } from '../../data/number.ts';
import type { SchemaRecord } from '../../host/ports.ts';

const MOST_NAMED = 5;

/** Which columns differ, as far as names have been sent: the first few that do. */
export function otherColumns(pinned: SchemaRecord, given: SchemaRecord): string {
  const [wanted, got] = [pinned.features, given.features];
  if (!wanted || !got) {
    const [a, b] = [pinned, given].map(({ digest, features }) => features?.length ?? digest.slice(0, 12));
    return `expected the columns of this federation in the same order (${a}), got ${b}; given as number of columns and digest of their names`;
  }
  const [known, own] = [new Set(wanted), new Set(got)];
  const missing = wanted.filter((name) => !own.has(name));
  const extra = got.filter((name) => !known.has(name));
  const quoted = (names: readonly string[]) => listed(names.map(shown), MOST_NAMED);
  if (missing.length + extra.length > 0) {
    const lacks = missing.length > 0 ? `, without ${quoted(missing)}` : '';
    const has = extra.length > 0 ? `, with ${quoted(extra)} besides (--drop leaves columns out)` : '';
    return `expected the ${wanted.length} feature columns of this federation, got ${got.length}${lacks}${has}`;
  }
  const at = wanted.findIndex((name, j) => name !== got[j]);
  return `expected the feature columns in the order of this federation: ${shown(wanted[at])} as number ${at + 1}, got ${shown(got[at] ?? '')}`;
}
