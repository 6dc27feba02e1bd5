/**
 * A table from columns of typed values, one column at a time: Parquet, Arrow and NumPy end here. What a value means, as a feature, as
 * a participant id or as a target, is decided in this file for all of them.
 */
import { inputError } from '../base/errors.ts';
import { type ColumnPlan, type ColumnRole, isNeeded } from './columns.ts';
import { allocateRows, checkDenseSize } from './memory.ts';
import { badFeature, dropHint, isMissing, LARGEST_FEATURE, shown } from './number.ts';
import { ParticipantColumn } from './participants.ts';
import type { Table, TableColumns } from './table.ts';
import { TextColumn } from './text-column.ts';

/** Gets the value of each row: a number, bigint, boolean, text, or null. */
export type Take = (row: number, value: unknown) => void;

export interface TypedColumns {
  readonly source: string;
  /** Number of rows. */
  readonly n: number;
  readonly plan: ColumnPlan;
  readonly need: TableColumns['need'];
  /** What the numbers of the table may take. */
  readonly limitBytes: number;
  /** Hands over the values of the column at this place among the plan's, row by row from 0 to n - 1. */
  readonly read: (column: number, take: Take) => void | Promise<void>;
}

export async function tableFromColumns(file: TypedColumns): Promise<Table> {
  const { source, n, plan, limitBytes } = file;
  const d = plan.features.length;
  if (n === 0) throw inputError('NO_ROWS', `${source}: expected at least one row, got none`);
  checkDenseSize(source, n, d, limitBytes, '; raise --max-bytes');
  const x = allocateRows(source, n, d);
  const participants = new ParticipantColumn();
  const targets = new TextColumn();
  if (plan.hasTask) await readTexts(file, 'task', (id) => participants.push(id));
  else for (let i = 0; i < n; i++) participants.push('');
  if (plan.hasLabel) await readTexts(file, 'label', (target) => targets.push(target));
  let feature = 0;
  for (const [column, role] of plan.roles.entries()) {
    if (role !== 'feature') continue;
    const j = feature++;
    await file.read(column, (i, value) => {
      x[i * d + j] = featureOf(file, value, i, column);
    });
  }
  return {
    ...{ source, features: plan.features, n, x, ...participants.finish() },
    ...{ targets: plan.hasLabel ? targets.finish() : undefined, lines: undefined },
  };
}

async function readTexts(
  file: TypedColumns,
  role: 'task' | 'label',
  push: (text: string) => void,
): Promise<void> {
  const column = file.plan.roles.indexOf(role);
  await file.read(column, (i, value) => push(textOf(file, value, i, column, role)));
}

function featureOf(file: TypedColumns, value: unknown, i: number, column: number): number {
  if (typeof value === 'number' && Math.abs(value) <= LARGEST_FEATURE) return value;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'boolean') return value ? 1 : 0;
  const name = file.plan.names[column];
  if (typeof value === 'number') throw badFeature(where(file, i, column), String(value), name);
  if (value === null || value === undefined) throw badFeature(where(file, i, column), 'null', name);
  const got = typeof value === 'string' ? `the text ${shown(value)}` : 'a value of another kind';
  throw inputError(
    'NOT_A_NUMBER',
    `${where(file, i, column)}: expected a number, got ${got}${dropHint(name)}`,
  );
}

function textOf(
  file: TypedColumns,
  value: unknown,
  i: number,
  column: number,
  role: Extract<ColumnRole, 'task' | 'label'>,
): string {
  const text = plainText(value);
  if (text === undefined) {
    throw inputError(
      'NOT_TEXT',
      `${where(file, i, column)}: expected text or a number, got a value of another kind`,
    );
  }
  const absent = role === 'task' ? text === '' : isMissing(text);
  if (!absent || !isNeeded(role, file.need)) return text;
  const [code, what] =
    role === 'task' ? ['MISSING_PARTICIPANT', 'a participant id'] : ['MISSING_TARGET', 'a target'];
  const got = value === null || value === undefined ? 'null' : shown(text);
  throw inputError(code, `${where(file, i, column)}: expected ${what}, got ${got}`);
}

function where({ source, plan }: TypedColumns, i: number, column: number): string {
  return `${source} row ${i + 1}, column ${shown(plan.names[column])}`;
}

/** Undefined for what is neither text nor a number; null is the empty text. */
function plainText(value: unknown): string | undefined {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value.trim();
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value);
  return undefined;
}
