/** What a participant says of columns with text or gaps, and whether what was settled of them fits. */
import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { ColumnSummary } from '../data/column-summary.ts';
import { type DeclaredLevels, declaredCodes } from '../data/declared-levels.ts';
import { listed, shown } from '../data/number.ts';
import { encodedMoments } from '../math/encoded-moments.ts';
import type { Moments } from '../math/scaling.ts';
import { type Agreement, areLabelsAsked, type ColumnClaim, measuredBy } from '../protocol/agreement.ts';
import { DEFAULT_LIMITS } from '../protocol/limits.ts';
import type { FederationSettings } from '../settings/wire.ts';
import type { Profile, RefusalCode } from './state.ts';

/** Has no UTF-8. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Rows of each level, the most frequent first: rarer ones than can be sent are others to everybody. */
export function claimsOf(columns: readonly ColumnSummary[]): ColumnClaim[] {
  const { maxLevels, maxIdBytes } = DEFAULT_LIMITS;
  return columns.map((column) => {
    const { kind, missing } = column;
    if (column.kind === 'number') return { kind, missing, levels: [] };
    const sent = [...column.levels]
      .map(([level, rows]) => ({ level, rows }))
      .filter(({ level }) => utf8ToBytes(level).length <= maxIdBytes && !LONE_SURROGATE.test(level))
      .sort((a, b) => b.rows - a.rows || (a.level < b.level ? -1 : 1));
    return { kind, missing, levels: sent.slice(0, maxLevels) };
  });
}

interface Misfit {
  readonly code: RefusalCode;
  readonly message: string;
}

/** Why we cannot take part with these columns. */
export function columnsMisfit(
  { columns, features, names = [] }: Profile,
  settings: FederationSettings,
  agreement: Agreement | undefined,
): Misfit | undefined {
  if (settings.levels) return declaredMisfit(columns ?? [], names, settings.levels);
  const encoding = agreement?.encoding;
  if (encoding) {
    const wrong = encoding.findIndex((code, j) => isText(columns?.[j]) !== (code.kind === 'category'));
    if (encoding.length === features && wrong < 0) return undefined;
    const got = wrong < 0 ? `${encoding.length} columns` : `another kind of column ${wrong + 1}`;
    return {
      code: 'WRONG_FEATURES',
      message: `expected its ${features} columns in the agreement, got ${got}`,
    };
  }
  if (!columns) return undefined;
  const message = (why: string) =>
    `expected columns of numbers without missing values, because ${why}; fill the gaps first, and ask the operator to declare the levels of text columns (serve --levels), or leave the columns out (--drop)`;
  const code = 'COLUMNS_NOT_AGREED';
  if (settings.secure)
    return { code, message: message('nothing of the columns is collected with secure aggregation') };
  if (settings.dp)
    return { code, message: message('nothing of the columns may be collected with differential privacy') };
  const measured = measuredBy(settings);
  const isAsked = measured.features || measured.target || areLabelsAsked(settings, agreement?.classes);
  return isAsked
    ? undefined
    : { code, message: message('this federation collects nothing before training (scale none)') };
}

/** Why the declared levels are not those of our columns. */
function declaredMisfit(
  columns: readonly ColumnSummary[],
  names: readonly string[],
  levels: DeclaredLevels,
): Misfit | undefined {
  const code = 'COLUMNS_NOT_AGREED';
  const declared = Object.keys(levels);
  const absent = declared.find((name) => !names.includes(name) || !isText(columns[names.indexOf(name)]));
  if (absent !== undefined) {
    const message = `expected the text column ${shown(absent)}, whose levels the operator has declared, got no such column; --categorical takes numbers as categories`;
    return { code, message };
  }
  const other = names.find((name, j) => isText(columns[j]) && !declared.includes(name));
  if (other !== undefined) {
    const message = `expected text only in ${listed(declared.map(shown))}, as the operator has declared, got text in ${shown(other)}; leave it out (--drop), or ask the operator to declare its levels (serve --levels)`;
    return { code, message };
  }
  const gap = columns.findIndex(({ kind, missing }) => kind === 'number' && missing > 0);
  if (gap < 0) return undefined;
  const message = `expected no missing numbers, because nothing is collected about columns whose levels are declared, got some in ${shown(names[gap])}; fill them first, or leave the column out (--drop)`;
  return { code, message };
}

/** Moments of the features that our columns become by what is declared; undefined: nothing is. */
export function declaredMoments(
  { columns, names, moments }: Profile,
  { levels }: FederationSettings,
): Moments | undefined {
  if (!levels || !columns || !names) return undefined;
  return encodedMoments(declaredCodes(names, levels), columns, moments.count);
}

function isText(column: ColumnSummary | undefined): boolean {
  return column?.kind === 'text';
}
