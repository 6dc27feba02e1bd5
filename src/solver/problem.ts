/**
 * The problem (the paper's section 3, corrected), for any loss of losses/:
 *
 *   P(w, v) = 1/2 |w|^2 + C2/2 sum_k |v_k|^2 + C1 sum_ik c_ik loss(y_ik, (w + v_k).x_ik)
 *   D(beta) = sum_ik s(beta_ik) - 1/2 |sum_k u_k|^2 - 1/(2 C2) sum_k |u_k|^2,   u_k = sum_i beta_ik x_ik
 *
 * One model for all the rows (`global`, and each model of `local`) is the same problem with a single participant and
 * C2 = Infinity: v vanishes, w = u, and every 1/C2 below is 0.
 */
import { type LossSettings, lossOf } from './losses/losses.ts';

export interface ProblemSettings extends LossSettings {
  readonly c1: number;
  /** Infinity: no personal part. */
  readonly c2: number;
}

/** What is known of duals without the rows: the targets, C1 c of each, and the loss. A shard has it all. */
export interface BoxContext {
  readonly y: Float64Array;
  readonly cap: Float64Array;
  readonly settings: LossSettings;
}

export function boxOf({ settings, y, cap }: BoxContext): { low: Float64Array; high: Float64Array } {
  const loss = lossOf(settings);
  const low = new Float64Array(y.length);
  const high = new Float64Array(y.length);
  for (let i = 0; i < y.length; i++) ({ low: low[i], high: high[i] } = loss.box(y[i], cap[i], settings));
  return { low, high };
}

/** C1 sum_i c_i loss_i, from the margins a_i = x_i . (w + v). */
export function lossSum({ settings, y, cap }: BoxContext, margins: Float64Array): number {
  const loss = lossOf(settings);
  let sum = 0;
  for (let i = 0; i < y.length; i++) sum += cap[i] * loss.value(y[i], margins[i], settings);
  return sum;
}

/** sum_i s(beta_i). */
export function dualSum({ settings, y, cap }: BoxContext, beta: Float64Array): number {
  const loss = lossOf(settings);
  let sum = 0;
  for (let i = 0; i < y.length; i++) sum += loss.conjugate(y[i], beta[i], cap[i], settings);
  return sum;
}

/**
 * c_i of each row in each head; undefined: 1. `y` has a block of n for each head. `given`: weights of the n rows, with a mean of 1. Only
 * classes can be balanced.
 */
export function rowWeights(
  settings: Pick<LossSettings, 'objective' | 'loss'> & { readonly classWeight: 'none' | 'balanced' },
  y: Float64Array,
  n: number,
  given?: Float64Array | undefined,
): Float64Array | undefined {
  const isBalanced = settings.classWeight === 'balanced' && lossOf(settings).classes;
  if (!isBalanced && !given) return undefined;
  const weights = new Float64Array(y.length);
  for (let at = 0; at < y.length; at += n) {
    weights.set(isBalanced ? balancedWeights(y.subarray(at, at + n), given) : given!, at);
  }
  return weights;
}

/**
 * Balanced class weights n / (2 n_class), counted within the participant, and by weight where rows have weights. A class it does not have
 * needs no weight. They add up to n at the most.
 */
function balancedWeights(y: Float64Array, given: Float64Array | undefined): Float64Array {
  const weight = (i: number) => (given ? given[i] : 1);
  let positive = 0;
  let negative = 0;
  for (let i = 0; i < y.length; i++) {
    if (y[i] > 0) positive += weight(i);
    else negative += weight(i);
  }
  const n = y.length;
  const [up, down] = [positive, negative].map((rows) => (rows > 0 ? n / (2 * rows) : 0));
  return y.map((value, i) => weight(i) * (value > 0 ? up : down));
}
