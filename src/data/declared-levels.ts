/** Codes of columns that nobody had to agree on: an operator has declared which text columns there are, with all of their levels. */
import type { ColumnCode } from './encoding.ts';
import { canonicalLevel } from './text-columns.ts';

export type DeclaredLevels = Readonly<Record<string, readonly string[]>>;

/** Of columns with these names. A level that is not declared, or missing, is zeros. */
export function declaredCodes(names: readonly string[], levels: DeclaredLevels): ColumnCode[] {
  return names.map((name) =>
    Object.hasOwn(levels, name)
      ? { kind: 'category', levels: levels[name].map(canonicalLevel), other: false, missing: false }
      : { kind: 'number', mean: 0, missing: false },
  );
}
