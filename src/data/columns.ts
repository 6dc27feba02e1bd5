/** Which column of a file means what: decided once from the header, the same way for CSV and Parquet. */
import { inputError, type KindredError } from '../base/errors.ts';
import { dropHint, listed, parseDecimal, shown } from './number.ts';
import type { TableColumns } from './table.ts';

export type ColumnRole = 'feature' | 'task' | 'label' | 'weight' | 'dropped';

export interface ColumnPlan {
  readonly names: readonly string[];
  readonly roles: readonly ColumnRole[];
  readonly features: readonly string[];
  readonly hasTask: boolean;
  readonly hasLabel: boolean;
  readonly hasWeight: boolean;
}

/** `where` is what errors call the place of the header: "har.csv line 1". */
export function planColumns(names: readonly string[], columns: TableColumns, where: string): ColumnPlan {
  checkNames(names, where);
  checkRequest(names, columns, where);
  const roles = names.map((name) => roleOf(name, columns));
  const features = names.filter((_, i) => roles[i] === 'feature');
  if (features.length === 0) {
    throw inputError(
      'NO_FEATURES',
      `${where}: expected at least one feature column in addition to the participant, target ` +
        `and dropped columns, got only ${listed(names)}`,
    );
  }
  const has = (role: ColumnRole) => roles.includes(role);
  return { names, roles, features, hasTask: has('task'), hasLabel: has('label'), hasWeight: has('weight') };
}

function roleOf(name: string, { task, label, weight, drop, need }: TableColumns): ColumnRole {
  if (drop.includes(name)) return 'dropped';
  if (name === task) return 'task';
  if (name === label) return 'label';
  // Predictions have no use for weights.
  if (name === weight) return need === 'neither' ? 'dropped' : 'weight';
  return 'feature';
}

/** Lists, structures and the like are no columns of a table. */
export function nestedColumn(source: string, name: string): KindredError {
  return inputError(
    'NESTED_COLUMN',
    `${source}, column ${shown(name)}: expected plain values, got nested ones${dropHint(name)}`,
  );
}

/** Whether a value of such a column may not be missing. */
export function isNeeded(role: ColumnRole, need: TableColumns['need']): boolean {
  return need === 'task and label' || (need === 'label' && role === 'label');
}

function checkNames(names: readonly string[], where: string): void {
  const firstAt = new Map<string, number>();
  for (const [i, name] of names.entries()) {
    if (name === '') {
      throw inputError(
        'UNNAMED_COLUMN',
        `${where}: expected a name for every column, column ${i + 1} has none${headerHint(names)}`,
      );
    }
    const first = firstAt.get(name);
    if (first !== undefined) {
      const got = `got ${shown(name)} for columns ${first + 1} and ${i + 1}`;
      throw inputError(
        'DUPLICATE_COLUMN',
        `${where}: expected distinct column names, ${got}${headerHint(names)}`,
      );
    }
    firstAt.set(name, i);
  }
}

/** A header of numbers is more likely a row. */
function headerHint(names: readonly string[]): string {
  const numbers = names.filter((name) => !Number.isNaN(parseDecimal(name.replace(',', '.')))).length;
  if (2 * numbers < names.length) return '';
  return `; if the file has no header, give --no-header (columns are then named c1 to c${names.length})`;
}

function checkRequest(names: readonly string[], columns: TableColumns, where: string): void {
  const { task, label, drop, need, taskOption = '--task', weight, categorical } = columns;
  if (task === label) {
    throw inputError(
      'TASK_IS_LABEL',
      `${where}: expected different columns for participant (${taskOption}) and target (--label), got ${shown(task)} for both`,
    );
  }
  if (weight === task || weight === label) {
    throw inputError(
      'WEIGHT_COLUMN_TAKEN',
      `${where}: expected a column of its own for weights (--weight), got ${shown(weight)}, the ${weight === task ? 'participant' : 'target'} column`,
    );
  }
  for (const [what, name, option] of [
    ['participant', task, taskOption],
    ['target', label, '--label'],
    ['weight', weight, '--weight'],
  ] as const) {
    if (name === undefined || !drop.includes(name)) continue;
    throw inputError(
      'DROPPED_COLUMN_NEEDED',
      `${where}: cannot drop ${shown(name)} (--drop), it is the ${what} column (${option})`,
    );
  }
  // At prediction time the file may rightly lack the target, the participant and what training left out.
  if (need === 'neither') return;
  const absent = absentFrom(names, where);
  if (isNeeded('task', need) && !names.includes(task))
    throw absent('MISSING_TASK_COLUMN', 'a participant column', task, taskOption);
  if (!names.includes(label)) throw absent('MISSING_LABEL_COLUMN', 'a target column', label, '--label');
  for (const name of drop) {
    if (!names.includes(name)) throw absent('UNKNOWN_DROP_COLUMN', 'a column to drop', name, '--drop');
  }
  if (weight !== undefined && !names.includes(weight))
    throw absent('MISSING_WEIGHT_COLUMN', 'a weight column', weight, '--weight');
  for (const name of Array.isArray(categorical) ? (categorical as readonly string[]) : []) {
    if (!names.includes(name))
      throw absent('UNKNOWN_CATEGORICAL_COLUMN', 'a categorical column', name, '--categorical');
  }
}

/** The error about a column that is not there: it lists those that are, and names the option. */
function absentFrom(names: readonly string[], where: string) {
  return (code: string, what: string, name: string, option: string): KindredError => {
    const near = nearestName(name, names);
    const remedy =
      near === undefined ? `name it with ${option} <column>` : `did you mean ${option} ${shown(near)}?`;
    const only = names.length === 1 ? '; --separator sets the column separator' : '';
    return inputError(
      code,
      `${where}: expected ${what} ${shown(name)}, got columns ${listed(names)}; ${remedy}${only}${headerHint(names)}`,
    );
  };
}

export function nearestName(wanted: string, names: readonly string[]): string | undefined {
  const plain = simplified(wanted);
  let best: string | undefined;
  // A third of the letters may differ; below that a suggestion is more often wrong than right.
  let bestDistance = Math.floor(plain.length / 3) + 1;
  for (const name of names.slice(0, 10_000)) {
    const distance = editDistance(plain, simplified(name), bestDistance);
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

function simplified(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, '');
}

/** Insertions, deletions, substitutions and neighbours that changed places; `limit` or more is as good as infinite. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: readonly number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwapped ? before[j - 2] + 1 : Infinity;
      row.push(Math.min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + same, swap));
    }
    [before, previous] = [previous, row];
  }
  return previous[b.length];
}
