/** What in a table looks like a mistake: one sentence each, none of them certain. */
import type { ColumnSummary } from '../data/column-summary.ts';
import { dateAmong } from '../data/dates.ts';
import { isNearlyDistinct } from '../data/learn-encoding.ts';
import { count } from '../data/memory.ts';
import { parseDecimal } from '../data/number.ts';
import type { Table } from '../data/table.ts';
import type { Objective } from '../settings/losses.ts';
import { PROBLEM } from '../settings/problem.ts';
import {
  type FeatureRange,
  featureRanges,
  repeatedColumns,
  repeatedRows,
  telltaleFeatures,
} from './scan-features.ts';
import { type ClassSummary, isUneven, type NumberSummary } from './target-summary.ts';

const FEW_ROWS = 10;
const MOSTLY = 0.5;
/** Targets further from 0 than this many standard deviations, or of a spread outside of this range, need scaling. */
const FAR = 2;
const USUAL_SPREAD = { least: 0.1, most: 10 };
/** Standard deviations that differ by more than this factor make one feature drown the others. */
const SCALE_RATIO = 1e3;

export function suspicions(
  table: Table,
  groups: readonly Uint32Array[],
  target: ClassSummary | NumberSummary | undefined,
  objective: Objective | undefined,
  columns: readonly ColumnSummary[],
): string[] {
  return [
    ...aboutParticipants(table, groups),
    ...aboutTarget(table, target, objective),
    ...aboutFeatures(table, featureRanges(columns)),
    ...aboutColumns(table, columns),
    ...aboutLeaks(table, target),
    ...aboutRows(table),
  ];
}

function aboutParticipants({ n, participants }: Table, groups: readonly Uint32Array[]): string[] {
  if (n > 1 && participants.length === n) {
    return [
      `Each of the ${count(n)} rows has a different participant: the participant column looks like a row number`,
    ];
  }
  const small = participants.filter((_, k) => groups[k].length < FEW_ROWS);
  return about(small, 'participant has', 'participants have', `fewer than ${FEW_ROWS} rows`);
}

function aboutTarget(
  table: Table,
  target: ClassSummary | NumberSummary | undefined,
  objective: Objective | undefined,
): string[] {
  const found: string[] = [];
  if (target?.kind === 'classes') {
    if (target.distinct === 1) found.push('All rows have the same target');
    const onesided = target.byParticipant.filter(({ rows }) => rows.filter((r) => r > 0).length === 1);
    const ids = onesided.map(({ id }) => id);
    // Where every row is its own participant this says nothing new.
    if (target.distinct > 1 && table.participants.length < table.n)
      found.push(...about(ids, 'participant has', 'participants have', 'rows of one class only'));
    found.push(...aboutBalance(target));
  }
  if (target?.kind === 'numbers') found.push(...aboutRange(target));
  if (target?.kind === 'classes' && objective !== 'regression' && looksContinuous(table, target)) {
    found.push(
      `The target has ${count(target?.distinct ?? 0)} distinct numbers with decimals: it looks like a regression (--objective regression)`,
    );
  }
  return found;
}

function aboutBalance({ classes, distinct }: ClassSummary): string[] {
  if (distinct > classes.length || !isUneven(classes.map(({ share }) => share))) return [];
  const rarest = classes.reduce((a, b) => (b.rows < a.rows ? b : a));
  return [
    `Classes are uneven: "${rarest.value}" has ${(100 * rarest.share).toFixed(1)}% of the rows, so compare balanced accuracy ` +
      'rather than error rates, and try --class-weight balanced',
  ];
}

/** What `--scale-target none` would cost, and an epsilon that swallows everything. */
function aboutRange({ mean, sd }: NumberSummary): string[] {
  const found: string[] = [];
  const isFar = Math.abs(mean) > FAR * sd;
  if (sd > 0 && (isFar || sd < USUAL_SPREAD.least || sd > USUAL_SPREAD.most)) {
    const what = isFar ? 'is far from 0' : 'has an unusual spread';
    found.push(
      `The target ${what} (mean ${short(mean)}, sd ${short(sd)}): for regression, keep --scale-target standard; with none, ` +
        'C1 does not match its scale, and the regularised bias costs accuracy',
    );
  }
  const { fallback: epsilon = 0 } = PROBLEM.epsilon.declared;
  if (sd > 0 && sd <= epsilon) {
    found.push(
      `The target's sd of ${short(sd)} is not above the default epsilon of ${epsilon}, below which errors cost nothing: give a smaller --epsilon`,
    );
  }
  return found;
}

function looksContinuous(table: Table, target: ClassSummary | NumberSummary | undefined): boolean {
  if (!target || !table.targets || target.distinct <= 10) return false;
  const values = [...new Set(table.targets)].map(parseDecimal);
  return values.every((value) => !Number.isNaN(value)) && values.some((value) => !Number.isInteger(value));
}

function aboutFeatures(table: Table, ranges: readonly FeatureRange[]): string[] {
  const name = (j: number) => table.features[j];
  const constant = table.features.filter((_, j) => ranges[j].constant && table.n > 1);
  const copies = repeatedColumns(table).filter(([, j]) => !ranges[j].constant);
  const pairs = copies.map(([first, j]) => `${name(j)} = ${name(first)}`);
  const found = [
    ...about(constant, 'feature is', 'features are', 'constant'),
    ...about(pairs, 'feature repeats', 'features repeat', 'another one exactly'),
  ];
  const varying = ranges.flatMap(({ sd, constant }, j) => (sd && !constant ? [{ sd, j }] : []));
  varying.sort((a, b) => a.sd - b.sd);
  const [least, most] = [varying[0], varying[varying.length - 1]];
  if (varying.length > 1 && most.sd > SCALE_RATIO * least.sd) {
    found.push(
      `Features differ much in scale: the standard deviation is ${short(least.sd)} for ${name(least.j)} and ` +
        `${short(most.sd)} for ${name(most.j)}, so scale them (standard)`,
    );
  }
  return found;
}

/** What `train` would refuse, and columns that are hardly ever known. */
function aboutColumns(table: Table, columns: readonly ColumnSummary[]): string[] {
  const named = (holds: (column: ColumnSummary) => boolean) =>
    table.features.filter((_, j) => holds(columns[j]));
  const dates = named((column) => column.kind === 'text' && dateAmong(column.levels.keys()) !== undefined);
  const ids = named((column) => column.kind === 'text' && isNearlyDistinct(column));
  const empty = named(({ missing }) => missing > MOSTLY * table.n);
  return [
    ...about(dates, 'column holds', 'columns hold', 'dates, which training refuses'),
    ...about(
      ids.filter((name) => !dates.includes(name)),
      'text column has',
      'text columns have',
      'nearly as many values as rows: ids or free text, which training refuses',
    ),
    ...about(empty, 'column is', 'columns are', 'missing in more than half of the rows'),
  ];
}

function aboutLeaks(table: Table, target: ClassSummary | NumberSummary | undefined): string[] {
  const { equal, separating } = telltaleFeatures(table, target);
  const names = (places: readonly number[]) => places.map((j) => table.features[j]);
  const apart = 'the classes apart, which looks like a leak';
  return [
    ...about(names(equal), 'feature equals', 'features equal', 'the target in every row'),
    ...about(names(separating), 'feature alone tells', 'features alone tell', apart),
  ];
}

function aboutRows(table: Table): string[] {
  const repeated = repeatedRows(table);
  if (repeated === 0) return [];
  return [`${some(repeated, 'row repeats', 'rows repeat')} an earlier row of the same participant exactly`];
}

function some(n: number, one: string, many: string): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** "3 features are constant: x1, x2, x3", or nothing where there are none. */
function about(names: readonly string[], one: string, many: string, what: string): string[] {
  if (names.length === 0) return [];
  const few = names.slice(0, 5).join(', ');
  const rest = names.length > 5 ? ` and ${count(names.length - 5)} more` : '';
  return [`${some(names.length, one, many)} ${what}: ${few}${rest}`];
}

function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}
