/**
 * Attack 6: the label balance of a participant, two ways.
 *
 *   by answers  Two sums over rows: of y beta (the dual sum) and of beta (the bias entry of u). Half their sum and half
 *               their difference are the sums of |beta| over positive and over negative rows, each exactly. In the first
 *               round, from beta = 0 and w = 0, the share of positive steps rises with the share of positive rows; it is
 *               that share where C1 is so small that every beta stops at its bound.
 *   by moments  Whoever sends the mean of its rows for the scaling has sent the mean of its decisions: (w + v_k) . mean x.
 *               It rises from one class to the other with the share of positive rows. No mask touches the moments.
 *
 * Both give a number that rises with the share, not the share. A line through a few participants whose share is known (the
 * coordinator's own, or accomplices) turns one into the other.
 *
 * Assumes classification and the bias column.
 */
import { lossOf } from '../../solver/losses/losses.ts';
import { dot, plusScaled } from '../../solver/vector.ts';
import { changesOf } from './changes.ts';
import { columnsOf, type Observation } from './observation.ts';
import { recoverPersonal } from './recover-personal.ts';

export interface DualSums {
  readonly round: number;
  /** Sum of the change of |beta| over positive and over negative rows. */
  readonly positive: number;
  readonly negative: number;
}

/** Of every change. */
export function dualSumsByLabel(observation: Observation): DualSums[] {
  const { settings } = observation;
  // Where s is y beta, and the bias column adds up beta.
  if (!settings.bias || lossOf(settings).form !== 'clip') return [];
  return changesOf(observation).flatMap(({ round, du, ds }) => {
    if (ds === undefined) return [];
    const last = du[du.length - 1];
    return [{ round, positive: (ds + last) / 2, negative: (ds - last) / 2 }];
  });
}

/** Share of the steps of the first change that are of positive rows; undefined where it shows nothing. */
export function positiveShareOfSteps(observation: Observation): number | undefined {
  const first = dualSumsByLabel(observation).find(({ positive, negative }) => positive + negative > 0);
  return first && first.positive / (first.positive + first.negative);
}

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
