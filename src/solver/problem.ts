/**
 * The problem (the paper's section 3, corrected):
 *
 *   P(w, v) = 1/2 |w|^2 + C2/2 sum_k |v_k|^2 + C1 sum_ik c_ik loss(y_ik, (w + v_k).x_ik)
 *   D(beta) = sum_ik s(beta_ik) - 1/2 |sum_k u_k|^2 - 1/(2 C2) sum_k |u_k|^2,   u_k = sum_i beta_ik x_ik
 *
 *   classification  loss = max(0, 1 - y a)          0 <= y beta <= C1 c    s = y beta
 *   regression      loss = max(0, |a - y| - eps)    |beta| <= C1 c         s = y beta - eps |beta|
 *
 * One model for all the rows (`global`, and each model of `local`) is the same problem with a single participant and
 * C2 = Infinity: v vanishes, w = u, and every 1/C2 below is 0.
 */
export type Objective = 'classification' | 'regression';

export interface ProblemSettings {
  readonly objective: Objective;
  readonly c1: number;
  /** Infinity: no personal part. */
  readonly c2: number;
  /** Width of the insensitive tube; 0 for classification. */
  readonly epsilon: number;
}

/** The box of each beta: [low, high] from the target, C1 and the row's weight. */
export function boxOf(
  settings: ProblemSettings,
  y: Float64Array,
  weights: Float64Array | undefined,
): { low: Float64Array; high: Float64Array } {
  const low = new Float64Array(y.length);
  const high = new Float64Array(y.length);
  for (let i = 0; i < y.length; i++) {
    const cap = settings.c1 * (weights ? weights[i] : 1);
    if (settings.objective === 'regression') {
      low[i] = -cap;
      high[i] = cap;
    } else if (y[i] > 0) {
      high[i] = cap;
    } else {
      low[i] = -cap;
    }
  }
  return { low, high };
}

/** C1 sum_i c_i loss_i, from the margins a_i = x_i . (w + v). */
export function lossSum(
  settings: ProblemSettings,
  y: Float64Array,
  cap: Float64Array,
  margins: Float64Array,
): number {
  const { objective, epsilon } = settings;
  let sum = 0;
  for (let i = 0; i < y.length; i++) {
    const loss = objective === 'regression' ? Math.abs(margins[i] - y[i]) - epsilon : 1 - y[i] * margins[i];
    if (loss > 0) sum += cap[i] * loss;
  }
  return sum;
}

/** sum_i s(beta_i). */
export function dualSum(epsilon: number, y: Float64Array, beta: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < y.length; i++) sum += y[i] * beta[i] - epsilon * Math.abs(beta[i]);
  return sum;
}

/**
 * Balanced class weights n / (2 n_class), counted within the participant. A class it does not have needs no weight; the
 * floor of one row keeps the formula finite.
 */
export function balancedWeights(y: Float64Array): Float64Array {
  let positive = 0;
  for (const value of y) if (value > 0) positive++;
  const n = y.length;
  const up = n / (2 * Math.max(1, positive));
  const down = n / (2 * Math.max(1, n - positive));
  return y.map((value) => (value > 0 ? up : down));
}
