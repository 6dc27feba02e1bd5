/**
 * Attack 2: rows by linear algebra. Every change of a contribution is a combination of the participant's rows, so
 *
 *   - the rank of all changes is at most n_k, and equal to it once as many rounds as rows have gone by and n_k <= d: the
 *     coordinator learns n_k and the space in which all rows lie, whatever the masks;
 *   - a change of one row alone is that row (single-rows.ts);
 *   - a row on the margin is a hyperplane through many known points (margin-planes.ts).
 *
 * Each row comes with the number of rounds that agree on it; what no second round confirms is not reported, and of more
 * than n_k rows those with the least support are dropped.
 */
import { type Span, spanOf } from './linear.ts';
import { type PlaneSearch, rowsOnMargin } from './margin-planes.ts';
import { changesOf, type Observation } from './observation.ts';
import { distance, type RecoveredRow, singleRows } from './single-rows.ts';

/** Directions in the changes below this share of the largest are rounding. */
const NOISE = 1e-9;

/** The span of all changes; its rank is the estimate of n_k where it is below the number of columns. */
export function rowSpace(observation: Observation): Span {
  const changes = changesOf(observation).map(({ du }) => du);
  return spanOf(changes, NOISE);
}

export function recoverRows(observation: Observation, search: PlaneSearch): RecoveredRow[] {
  const rows = [...singleRows(observation)];
  for (const row of rowsOnMargin(observation, search)) {
    if (!rows.some(({ x }) => distance(x, row.x) < 1e-2)) rows.push(row);
  }
  rows.sort((a, b) => b.support - a.support);
  return rows.slice(0, observation.rows);
}
