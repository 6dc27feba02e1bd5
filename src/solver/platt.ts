/**
 * Platt scaling (Platt 1999) as Lin, Lin and Weng (2007) put it right: from decisions f_i of rows that the model was not fitted to and their classes,
 * the sigmoid
 *
 *   p(f) = 1 / (1 + e^-(a f + b))        (a, b) = argmin of  -sum_i  t_i log p_i + (1 - t_i) log(1 - p_i)
 *
 * with the targets t = (N+ + 1) / (N+ + 2) for the N+ rows of the class and 1 / (N- + 2) for the others, not 1 and 0: few rows must not come to
 * certainty. Convex in (a, b): Newton's method with backtracking. No exp or log of the engine: the same decisions give the same bits everywhere.
 */
import { logPortable } from '../base/random.ts';
import { sigmoid, softplus } from '../math/sigmoid.ts';

/** p = 1 / (1 + e^-(a decision + b)), of one head. */
export interface Sigmoid {
  readonly a: number;
  readonly b: number;
}

const MOST_ITERATIONS = 100;
const SMALL_GRADIENT = 1e-5;
/** Keeps the Hessian away from singular, where all decisions are equal. */
const RIDGE = 1e-12;
const SMALLEST_STEP = 1e-10;
/** Armijo's constant. */
const ENOUGH = 1e-4;

/** `y`: above 0 for rows of the class. */
export function fitSigmoid(decisions: ArrayLike<number>, y: ArrayLike<number>): Sigmoid {
  const targets = smoothedTargets(y);
  let here: Sigmoid = startAt(y);
  let value = valueAt(here, decisions, targets);
  for (let k = 0; k < MOST_ITERATIONS; k++) {
    const { gradient, step } = newtonStep(here, decisions, targets);
    if (Math.max(...gradient.map(Math.abs)) < SMALL_GRADIENT) break;
    const slope = gradient[0] * step[0] + gradient[1] * step[1];
    let share = 1;
    let next = here;
    for (; share >= SMALLEST_STEP; share /= 2) {
      next = { a: here.a + share * step[0], b: here.b + share * step[1] };
      const there = valueAt(next, decisions, targets);
      if (there < value + ENOUGH * share * slope) {
        value = there;
        break;
      }
    }
    if (share < SMALLEST_STEP) break;
    here = next;
  }
  return here;
}

function smoothedTargets(y: ArrayLike<number>): Float64Array {
  const [positives, negatives] = countsOf(y);
  const [up, down] = [(positives + 1) / (positives + 2), 1 / (negatives + 2)];
  return Float64Array.from(y, (value) => (value > 0 ? up : down));
}

/** The share of the class, whatever the decision. */
function startAt(y: ArrayLike<number>): Sigmoid {
  const [positives, negatives] = countsOf(y);
  return { a: 0, b: logPortable((positives + 1) / (negatives + 1)) };
}

export function countsOf(y: ArrayLike<number>): readonly [positives: number, negatives: number] {
  let positives = 0;
  for (let i = 0; i < y.length; i++) if (y[i] > 0) positives++;
  return [positives, y.length - positives];
}

function valueAt({ a, b }: Sigmoid, decisions: ArrayLike<number>, targets: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < targets.length; i++) {
    const m = a * decisions[i] + b;
    sum += targets[i] * softplus(-m) + (1 - targets[i]) * softplus(m);
  }
  return sum;
}

function newtonStep({ a, b }: Sigmoid, decisions: ArrayLike<number>, targets: Float64Array) {
  let [h11, h12, h22] = [RIDGE, 0, RIDGE];
  let [g1, g2] = [0, 0];
  for (let i = 0; i < targets.length; i++) {
    const f = decisions[i];
    const p = sigmoid(a * f + b);
    const curvature = p * (1 - p);
    h11 += f * f * curvature;
    h12 += f * curvature;
    h22 += curvature;
    g1 += f * (p - targets[i]);
    g2 += p - targets[i];
  }
  const determinant = h11 * h22 - h12 * h12;
  const step = [-(h22 * g1 - h12 * g2) / determinant, -(h11 * g2 - h12 * g1) / determinant];
  return { gradient: [g1, g2], step };
}
