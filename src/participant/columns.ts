/** What a participant says of columns with text or gaps, and whether what was settled of them fits. */
import { utf8Bytes } from '../base/bytes.ts';
import type { ColumnSummary, LevelCounts } from '../data/column-summary.ts';
import { type DeclaredLevels, declaredCodes } from '../data/declared-levels.ts';
import { type ColumnCode, placesOf } from '../data/encoding.ts';
import { MOST_LEVELS } from '../data/learn-encoding.ts';
import { listed, shown } from '../data/number.ts';
import { naturallySorted } from '../data/participants.ts';
import { encodedMoments } from '../math/encoded-moments.ts';
import type { Moments } from '../math/scaling.ts';
import {
  type Agreement,
  areLabelsAsked,
  areLevelsNamed,
  type ColumnClaim,
  measuredBy,
} from '../protocol/agreement.ts';
import { DEFAULT_LIMITS } from '../protocol/limits.ts';
import type { FederationSettings } from '../settings/wire.ts';
import type { Profile, RefusalCode } from './state.ts';

/** Has no UTF-8. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** What is asked of us about our columns; undefined: nothing, or nothing but numbers. */
export function broughtColumns(
  profile: Profile,
  settings: FederationSettings,
): readonly ColumnClaim[] | undefined {
  if (settings.levels) return undefined;
  if (settings.columns === 'union') return summariesOf(profile).map(counted);
  return profile.columns?.map(areLevelsNamed(settings) ? named : counted);
}

/** Rows of each level, the most frequent first: rarer ones than can be sent are others to everybody. */
function counted(column: ColumnSummary): ColumnClaim {
  const { kind, missing } = column;
  if (column.kind === 'number') return { kind, missing, levels: [] };
  const sent = [...column.levels]
    .map(([level, rows]) => ({ level, rows }))
    .filter(({ level }) => canBeSent(level))
    .sort((a, b) => b.rows - a.rows || (a.level < b.level ? -1 : 1));
  return { kind, missing, levels: sent.slice(0, DEFAULT_LIMITS.maxLevels) };
}

/** Names alone, in an order that says nothing of how frequent they are. */
function named(column: ColumnSummary): ColumnClaim {
  const { kind } = column;
  const missing = Math.min(1, column.missing);
  if (column.kind === 'number') return { kind, missing, levels: [] };
  const sent = naturallySorted([...column.levels.keys()].filter(canBeSent));
  return { kind, missing, levels: sent.map((level) => ({ level, rows: 0 })) };
}

function canBeSent(name: string): boolean {
  return utf8Bytes(name).length <= DEFAULT_LIMITS.maxIdBytes && !LONE_SURROGATE.test(name);
}

/** Also of columns that are numbers without gaps. */
function summariesOf({ columns, moments: { count, mean, m2 } }: Profile): readonly ColumnSummary[] {
  if (columns) return columns;
  return Array.from(mean, (mean, j) => ({ kind: 'number', missing: 0, count, mean, m2: m2[j] }));
}

interface Misfit {
  readonly code: RefusalCode;
  readonly message: string;
}

/** Why we cannot take part with these columns. */
export function columnsMisfit(
  profile: Profile,
  settings: FederationSettings,
  agreement: Agreement | undefined,
): Misfit | undefined {
  const { columns, names = [] } = profile;
  if (settings.levels) return declaredMisfit(columns ?? [], names, settings.levels);
  const measured = measuredBy(settings);
  const unfilled =
    areLevelsNamed(settings) && !measured.features ? gapMisfit(columns ?? [], names) : undefined;
  if (unfilled) return unfilled;
  if (agreement?.encoding) return agreedMisfit(profile, agreement, agreement.encoding);
  if (settings.columns === 'union') return namesMisfit(names);
  if (!columns) return undefined;
  const message = (why: string) =>
    `expected columns of numbers without missing values, because ${why}; fill the gaps first, and ask the operator to declare the levels of text columns (serve --levels), or leave the columns out (--drop)`;
  const code = 'COLUMNS_NOT_AGREED';
  if (settings.dp)
    return { code, message: message('nothing of the columns may be collected with differential privacy') };
  if (settings.secure) return levelsMisfit(columns, names);
  const isAsked = measured.features || measured.target || areLabelsAsked(settings, agreement?.classes);
  return isAsked
    ? undefined
    : { code, message: message('this federation collects nothing before training (scale none)') };
}

/** Why what was agreed on is not of our columns. */
function agreedMisfit(
  { columns, features, names = [] }: Profile,
  { columns: agreed }: Agreement,
  encoding: readonly ColumnCode[],
): Misfit | undefined {
  const code = 'WRONG_FEATURES';
  const places = agreed ? placesOf(agreed, names) : encoding.map((_, j) => j);
  const wrong = encoding.findIndex(
    ({ kind }, j) => places[j] >= 0 && isText(columns?.[places[j]]) !== (kind === 'category'),
  );
  if (!agreed) {
    if (encoding.length === features && wrong < 0) return undefined;
    const got = wrong < 0 ? `${encoding.length} columns` : `another kind of column ${wrong + 1}`;
    return { code, message: `expected its ${features} columns in the agreement, got ${got}` };
  }
  if (wrong >= 0) {
    const kinds = encoding[wrong].kind === 'category' ? ['text', 'numbers'] : ['numbers', 'text'];
    const message = `expected ${kinds[0]} in column ${shown(agreed[wrong])}, as other participants have, got ${kinds[1]}; --categorical <column> takes numbers as categories`;
    return { code, message };
  }
  if (places.some((place) => place >= 0)) return undefined;
  const message = `expected at least one column of the federation, such as ${listed(agreed.map(shown), FEW)}, got ${listed(names.map(shown), FEW)}`;
  return { code, message };
}

const FEW = 3;

/** Names that cannot be sent. */
function namesMisfit(names: readonly string[]): Misfit | undefined {
  const wrong = names.find((name) => !canBeSent(name));
  if (wrong === undefined) return undefined;
  const message = `expected names of columns of at most ${DEFAULT_LIMITS.maxIdBytes} bytes of UTF-8, got ${shown(wrong)}`;
  return { code: 'COLUMNS_NOT_AGREED', message };
}

/** Where levels are named and not counted, all are kept. */
function levelsMisfit(columns: readonly ColumnSummary[], names: readonly string[]): Misfit | undefined {
  const many = columns.findIndex((column) => column.kind === 'text' && column.levels.size > MOST_LEVELS);
  if (many < 0) return undefined;
  const { size } = (columns[many] as LevelCounts).levels;
  const message = `expected at most ${MOST_LEVELS} levels in ${shown(names[many])}, because rare ones cannot be pooled with secure aggregation, got ${size}; leave the column out (--drop), or ask the operator to declare its levels (serve --levels)`;
  return { code: 'COLUMNS_NOT_AGREED', message };
}

/** Where no means are measured, nobody knows what to fill gaps with. */
function gapMisfit(columns: readonly ColumnSummary[], names: readonly string[]): Misfit | undefined {
  const gap = columns.findIndex(({ kind, missing }) => kind === 'number' && missing > 0);
  if (gap < 0) return undefined;
  const message = `expected no missing numbers, because no means are measured (scale none), got some in ${shown(names[gap])}; fill them first, or leave the column out (--drop)`;
  return { code: 'COLUMNS_NOT_AGREED', message };
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

/** Moments of the features that our columns become by what is declared, or was named; undefined: columns are features. */
export function encodedByOthers(
  profile: Profile,
  settings: FederationSettings,
  agreement: Agreement | undefined,
): Moments | undefined {
  const { columns, names, moments } = profile;
  if (settings.levels)
    return columns && names && encodedMoments(declaredCodes(names, settings.levels), columns, moments.count);
  if (!areLevelsNamed(settings) || !agreement?.encoding) return undefined;
  return encodedMoments(agreement.encoding, summariesOf(profile), moments.count);
}

function isText(column: ColumnSummary | undefined): boolean {
  return column?.kind === 'text';
}
