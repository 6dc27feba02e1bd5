/**
 * Options that nobody has given, from a quick search inside the participants (tune/search.ts), on training rows alone. `kindred train` does this where neither C1
 * nor C2 (nor lambda) is given; a federation cannot, as it would have to train before it trains.
 */
import { count } from '../data/memory.ts';
import { firstParticipants, rowsByParticipant } from '../data/participants.ts';
import { splitRows } from '../data/split.ts';
import type { Table } from '../data/table.ts';
import type { TrainOptions } from '../settings/training.ts';
import type { MethodName } from '../solver/model.ts';
import type { ResolvedOptions } from './options.ts';
import { rangesOf } from './tune/grid.ts';
import type { TuneMetric } from './tune/metric.ts';
import type { TuneOptions, TuneResult } from './tune.ts';

/** What a search came to, or why there was none. */
export type Auto =
  | { readonly metric: TuneMetric; readonly candidates: number; readonly trainings: number }
  | { readonly skipped: string };

/** With fewer a search finds what chance likes best. */
const LEAST_ROWS = 100;

const SOUGHT = ['c1', 'c2', 'lambda'] as const;

/** Those of them that a method has. */
export function soughtBy(method: MethodName): readonly (typeof SOUGHT)[number][] {
  const ranges = rangesOf(method, 'coarse');
  return SOUGHT.filter((name) => ranges[name].length > 0);
}

/** Whether a training searches by itself. */
export function isSought(options: TrainOptions): boolean {
  return SOUGHT.every((name) => options[name] === undefined);
}

/** The search for everything that is not given. How a training is solved and how precisely is no part of what it finds. */
export function autoSearch({
  c1,
  c2,
  lambda,
  scale,
  gap: _gap,
  aggregation: _aggregation,
  ...rest
}: TrainOptions): TuneOptions {
  const grid = {
    ...(c1 !== undefined && { c1: [c1] }),
    ...(c2 !== undefined && { c2: [c2] }),
    ...(lambda !== undefined && { lambda: [lambda] }),
    ...(scale !== undefined && { scale: [scale] }),
  };
  return { ...rest, grid, search: 'quick' };
}

/** Why a search would be of no use; undefined: it is. */
export function tooFewRows(whole: Table, options: ResolvedOptions): string | undefined {
  const table = firstParticipants(whole, options.participants);
  const groups = rowsByParticipant(table, splitRows(table, options).train);
  const rows = groups.reduce((sum, { length }) => sum + (length > 1 ? length : 0), 0);
  if (rows >= LEAST_ROWS) return undefined;
  return `a search for C1 and C2 needs at least ${LEAST_ROWS} training rows of participants with more than one, got ${count(rows)}`;
}

export function autoOf({ metric, table, search: { trainings } }: TuneResult): Auto {
  return { metric, candidates: table.length, trainings };
}
