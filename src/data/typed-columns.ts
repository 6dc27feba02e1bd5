/**
 * A table from columns of typed values, one column at a time: Parquet, Arrow and NumPy end here. What a value means, as a feature, as
 * a participant id or as a target, is decided in this file for all of them.
 */
import { inputError } from '../base/errors.ts';
import { type ColumnPlan, type ColumnRole, isNeeded } from './columns.ts';
import { InternedTexts } from './interned-texts.ts';
import { allocateRows, checkDenseSize } from './memory.ts';
import { badFeature, dropHint, isMissing, isText, LARGEST_FEATURE, parseDecimal, shown } from './number.ts';
import { ParticipantColumn } from './participants.ts';
import type { Table, TableColumns } from './table.ts';
import { TextColumns } from './text-columns.ts';
import { checkedWeight } from './weights.ts';

/** Gets the value of each row: a number, bigint, boolean, text, or null. */
export type Take = (row: number, value: unknown) => void;

export interface TypedColumns {
  readonly source: string;
  /** Number of rows. */
  readonly n: number;
  readonly plan: ColumnPlan;
  readonly columns: TableColumns;
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
  const targets = new InternedTexts();
  if (plan.hasTask) await readTexts(file, 'task', (id) => participants.push(id));
  else for (let i = 0; i < n; i++) participants.push('');
  if (plan.hasLabel) await readTexts(file, 'label', (target) => targets.push(target));
  const weights = plan.hasWeight ? await readWeights(file) : undefined;
  const texts = new TextColumns(source, plan.features, file.columns.categorical);
  let feature = 0;
  for (const [column, role] of plan.roles.entries()) {
    if (role !== 'feature') continue;
    const j = feature++;
    await file.read(column, (i, value) => {
      x[i * d + j] = featureOf(file, value, i, column, texts, j);
    });
  }
  const levels = texts.finish(x, n);
  return {
    ...{ source, features: plan.features, n, x, ...(levels && { levels }), ...participants.finish() },
    ...{
      targets: plan.hasLabel ? targets.finish() : undefined,
      ...(weights && { weights }),
      lines: undefined,
    },
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

async function readWeights(file: TypedColumns): Promise<Float64Array> {
  const column = file.plan.roles.indexOf('weight');
  const weights = new Float64Array(file.n);
  await file.read(column, (i, value) => {
    const number = typeof value === 'bigint' ? Number(value) : typeof value === 'number' ? value : Number.NaN;
    weights[i] = checkedWeight(
      number,
      () => where(file, i, column),
      () => shown(plainText(value) ?? '?'),
    );
  });
  return weights;
}

function featureOf(
  file: TypedColumns,
  value: unknown,
  i: number,
  column: number,
  texts: TextColumns,
  j: number,
): number {
  if (typeof value === 'number' && Math.abs(value) <= LARGEST_FEATURE) return value;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'boolean') return value ? 1 : 0;
  const name = file.plan.names[column];
  const text = value instanceof Date ? value.toISOString() : plainText(value);
  const notNumber = (expected: string, got: string) =>
    inputError(
      'NOT_A_NUMBER',
      `${where(file, i, column)}: expected ${expected}, got ${got}${dropHint(name)}`,
    );
  if (text === undefined) throw notNumber('a number or text', 'a value of another kind');
  const refused = (found: string) => badFeature(where(file, i, column), found, name);
  if (isMissing(text)) {
    if (file.columns.missing !== 'refuse') return Number.NaN;
    throw refused(value === null || value === undefined ? 'null' : text);
  }
  if (typeof value === 'number') throw refused(text);
  const number = parseDecimal(text);
  if (Math.abs(number) <= LARGEST_FEATURE) return number;
  if (!isText(text) && !texts.isListed(j)) throw refused(text);
  return texts.take(j, text, () => notNumber('a number', `the text ${shown(text)}`));
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
  if (!absent || !isNeeded(role, file.columns.need)) return text;
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
