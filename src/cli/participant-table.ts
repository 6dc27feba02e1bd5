/** Results by participant, the worst first, and their means. */

import type { ParticipantResult } from '../methods/evaluate.ts';
import type { Metrics } from '../solver/metrics.ts';
import { count, decimals, percent, significant } from './number-text.ts';
import type { Style } from './style.ts';
import { type Column, textTable } from './text-table.ts';

const MOST_ROWS = 12;

interface Measured {
  readonly objective: 'classification' | 'regression';
  readonly participants: readonly ParticipantResult[];
  readonly mean: Metrics;
}

export function participantTable({ objective, participants, mean }: Measured, style: Style): string[] {
  const shown = worstFirst(participants).slice(0, MOST_ROWS);
  const classes = objective === 'classification';
  const titles = classes ? ['error', 'balanced accuracy'] : ['R2', 'RMSE'];
  const columns: Column[] = [
    { title: 'participant', align: 'left' },
    ...['rows', 'test rows', ...titles].map((title): Column => ({ title, align: 'right' })),
  ];
  const metrics = (m: Metrics) =>
    classes ? [percent(m.errorRate), decimals(m.balancedAccuracy)] : [decimals(m.r2), significant(m.rmse)];
  const rows = shown.map((p) => [p.id, count(p.rows), count(p.testRows), ...metrics(p)]);
  const more = participants.length - shown.length;
  if (more > 0) rows.push([`and ${count(more)} more`]);
  rows.push(['mean', '', '', ...metrics(mean)]);
  return textTable(columns, rows, style);
}

/** By balanced accuracy or R2; those without (no test rows) last. */
function worstFirst(participants: readonly ParticipantResult[]): ParticipantResult[] {
  const score = (p: ParticipantResult) => p.balancedAccuracy ?? p.r2 ?? Number.POSITIVE_INFINITY;
  const error = (p: ParticipantResult) => p.errorRate ?? p.rmse ?? 0;
  return [...participants].sort((a, b) => compare(score(a), score(b)) || compare(error(b), error(a)));
}

/** Not by difference: infinity less infinity is no number. */
function compare(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
