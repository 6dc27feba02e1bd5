/** What in a table looks like a mistake: one sentence each, none of them certain. */
import { count } from '../data/memory.ts';
import { parseDecimal } from '../data/number.ts';
import type { Table } from '../data/table.ts';
import type { Objective } from '../settings/losses.ts';
import {
  type FeatureRange,
  featureRanges,
  repeatedColumns,
  repeatedRows,
  telltaleFeatures,
} from './scan-features.ts';
import type { ClassSummary, NumberSummary } from './target-summary.ts';

const FEW_ROWS = 10;
/** Standard deviations that differ by more than this factor make one feature drown the others. */
const SCALE_RATIO = 1e3;

export function suspicions(
  table: Table,
  groups: readonly Uint32Array[],
  target: ClassSummary | NumberSummary | undefined,
  objective: Objective | undefined,
): string[] {
  const ranges = featureRanges(table);
  return [
    ...aboutParticipants(table, groups),
    ...aboutTarget(table, target, objective),
    ...aboutFeatures(table, ranges),
    ...aboutLeaks(table, target),
    ...aboutRows(table),
  ];
}

function aboutParticipants(table: Table, groups: readonly Uint32Array[]): string[] {
  const found: string[] = [];
  if (table.n > 1 && table.participants.length === table.n) {
    found.push(
      `Every one of the ${count(table.n)} rows has a participant of its own: the participant column looks like ` +
        'a row number',
    );
    return found;
  }
  const small = table.participants.filter((_, k) => groups[k].length < FEW_ROWS);
  if (small.length > 0) {
    found.push(
      `${some(small.length, 'participant has', 'participants have')} fewer than ${FEW_ROWS} rows: ${few(small)}`,
    );
  }
  return found;
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
    const participants = onesided.map(({ id }) => id);
    // Where every row is its own participant this says nothing new.
    if (target.distinct > 1 && participants.length > 0 && table.participants.length < table.n) {
      found.push(
        `${some(participants.length, 'participant has', 'participants have')} rows of one class only: ${few(participants)}`,
      );
    }
  }
  if (objective !== 'regression' && looksContinuous(table, target)) {
    found.push(
      `The target has ${count(target?.distinct ?? 0)} distinct numbers with decimals: it looks like a regression`,
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
  const found: string[] = [];
  const name = (j: number) => table.features[j];
  const constant = ranges.flatMap(({ constant }, j) => (constant && table.n > 1 ? [name(j)] : []));
  if (constant.length > 0) {
    found.push(`${some(constant.length, 'feature is', 'features are')} constant: ${few(constant)}`);
  }
  const copies = repeatedColumns(table).filter(([, j]) => !ranges[j].constant);
  if (copies.length > 0) {
    const pairs = copies.map(([first, j]) => `${name(j)} = ${name(first)}`);
    found.push(
      `${some(copies.length, 'feature repeats', 'features repeat')} another one exactly: ${few(pairs)}`,
    );
  }
  const varying = ranges
    .map((range, j) => ({ sd: range.sd, j, constant: range.constant }))
    .filter((r) => !r.constant);
  varying.sort((a, b) => a.sd - b.sd);
  if (varying.length > 1 && varying[varying.length - 1].sd > SCALE_RATIO * varying[0].sd) {
    const [least, most] = [varying[0], varying[varying.length - 1]];
    found.push(
      `Features differ much in scale: the standard deviation is ${short(least.sd)} for ${name(least.j)} and ` +
        `${short(most.sd)} for ${name(most.j)}, so scale them (standard)`,
    );
  }
  return found;
}

function aboutLeaks(table: Table, target: ClassSummary | NumberSummary | undefined): string[] {
  const { equal, separating } = telltaleFeatures(table, target);
  const found: string[] = [];
  if (equal.length > 0) {
    const names = equal.map((j) => table.features[j]);
    found.push(
      `${some(names.length, 'feature equals', 'features equal')} the target in every row: ${few(names)}`,
    );
  }
  if (separating.length > 0) {
    const names = separating.map((j) => table.features[j]);
    found.push(
      `${some(names.length, 'feature alone tells', 'features alone tell')} all classes apart, ` +
        `which looks like a leak: ${few(names)}`,
    );
  }
  return found;
}

function aboutRows(table: Table): string[] {
  const repeated = repeatedRows(table);
  if (repeated === 0) return [];
  return [`${some(repeated, 'row repeats', 'rows repeat')} an earlier row of the same participant exactly`];
}

function some(n: number, one: string, many: string): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

function few(names: readonly string[]): string {
  const shownNames = names.slice(0, 5).join(', ');
  return names.length > 5 ? `${shownNames} and ${count(names.length - 5)} more` : shownNames;
}

function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}
