/** Results by participant, the worst first, and their means. */
import type { Command } from 'commander';
import type { ParticipantResult } from '../methods/evaluate.ts';
import type { Metrics } from '../solver/metrics.ts';
import type { Layout } from './layout.ts';
import { count, decimals, percent, significant } from './number-text.ts';

export const MOST_ROWS = 12;

type Objective = 'classification' | 'regression';
/** Titles and cells of test results. */
export const METRIC_TITLES = { classification: ['error', 'balanced accuracy'], regression: ['R2', 'RMSE'] };

export function metricCells(objective: Objective, metrics: Metrics): string[] {
  return objective === 'classification'
    ? [percent(metrics.errorRate), decimals(metrics.balancedAccuracy)]
    : [decimals(metrics.r2), significant(metrics.rmse)];
}

interface Measured {
  readonly objective: Objective;
  readonly participants: readonly ParticipantResult[];
  readonly mean: Metrics;
}

interface AllFlag {
  readonly all?: true | undefined;
}

export function addAllOption(command: Command): Command {
  return command.option('--all', `list all participants (default: the worst ${MOST_ROWS})`);
}

/** Below a table that leaves some out. */
export function moreLine(more: number): string[] {
  return more > 0 ? ['  (--all lists every participant, --json has all)'] : [];
}

export function participantTable(
  { objective, participants, mean }: Measured,
  layout: Layout,
  { all }: AllFlag = {},
): string[] {
  const shown = worstFirst(participants).slice(0, all ? Infinity : MOST_ROWS);
  const cells = (metrics: Metrics) => metricCells(objective, metrics);
  const more = participants.length - shown.length;
  const table = layout.table(
    ['<participant', 'rows', 'test rows', ...METRIC_TITLES[objective]],
    [
      ...shown.map((p) => [p.id, count(p.rows), count(p.testRows), ...cells(p)]),
      ...(more > 0 ? [[`and ${count(more)} more`]] : []),
      ['mean', '', '', ...cells(mean)],
    ],
  );
  return [...table, ...moreLine(more)];
}

/** By balanced accuracy or R2; those without (no test rows) last. */
function worstFirst(participants: readonly ParticipantResult[]): ParticipantResult[] {
  const score = (p: ParticipantResult) => p.balancedAccuracy ?? p.r2 ?? Number.POSITIVE_INFINITY;
  const error = (p: ParticipantResult) => p.errorRate ?? p.rmse ?? 0;
  return participants.toSorted((a, b) => compare(score(a), score(b)) || compare(error(b), error(a)));
}

/** Not by difference: infinity less infinity is no number. */
function compare(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
