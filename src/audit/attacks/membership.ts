/**
 * Attack 5: membership. The coordinator holds rows of a person and asks which of them the participant trained on. Two
 * scores, higher for members:
 *
 *   by margin  y (w + v_k).x: a model fits the rows it was trained on better than others of the same person, the more so
 *              the more it overfits. Needs the model; w alone is the weaker version.
 *   by span    how much of the row lies inside the span of all changes. Where n_k <= d a row that was trained on lies in it
 *              and a fresh row does not, and no mask of rows changes that: a masked change is still a sum of rows.
 */
import { dot } from '../../solver/vector.ts';
import { shareOutside } from './linear.ts';
import type { Observation } from './observation.ts';
import { rowSpace } from './recover-rows.ts';

export interface LabelledRow {
  /** Scaled, with the bias. */
  readonly x: Float64Array;
  readonly y: number;
}

/** Margins of rows under a model. */
export function membershipByMargin(model: Float64Array, rows: readonly LabelledRow[]): Float64Array {
  return Float64Array.from(rows, ({ x, y }) => y * dot(x, model));
}

/** Minus the share of a row that is outside the span of the changes. */
export function membershipBySpan(observation: Observation, rows: readonly LabelledRow[]): Float64Array {
  const space = rowSpace(observation);
  return Float64Array.from(rows, ({ x }) => -shareOutside(x, space));
}
