/**
 * Attack 6: the label balance of a participant, from the moments. Whoever sends the mean of its rows for the scaling has sent the
 * mean of its decisions: (w + v_k) . mean x. It rises from one class to the other with the share of positive rows, and no mask
 * touches the moments. A line through a few participants whose share is known (the coordinator's own, or accomplices) turns the
 * mean into the share.
 *
 * Assumes classification and the bias column.
 */
import { columnsOf } from '../../settings/feature-map.ts';
import { dot, plusScaled } from '../../solver/vector.ts';
import type { Observation } from './observation.ts';
import { recoverPersonal } from './recover-personal.ts';

/** Mean over the participant's rows of (w + v_k) . x; undefined where no moments were sent. */
export function meanDecision(observation: Observation, w: Float64Array): number | undefined {
  const { moments, settings } = observation;
  if (!moments || !settings.scaling) return undefined;
  const { shift, factor } = settings.scaling;
  const mean = new Float64Array(columnsOf(settings)).fill(1);
  for (let j = 0; j < shift.length; j++) mean[j] = (moments.mean[j] - shift[j]) * factor[j];
  return dot(mean, plusScaled(w, 1, recoverPersonal(observation)));
}

/** The line that fits known shares best, as a function from a signal to a share between 0 and 1. */
export function calibrate(
  known: readonly { readonly signal: number; readonly share: number }[],
): (signal: number) => number {
  const mean = (of: (pair: (typeof known)[number]) => number) =>
    known.reduce((sum, pair) => sum + of(pair), 0) / known.length;
  const [signals, shares] = [mean(({ signal }) => signal), mean(({ share }) => share)];
  const spread = mean(({ signal }) => (signal - signals) ** 2);
  const slope = spread > 0 ? mean(({ signal, share }) => (signal - signals) * (share - shares)) / spread : 0;
  return (signal) => Math.min(1, Math.max(0, shares + slope * (signal - signals)));
}
