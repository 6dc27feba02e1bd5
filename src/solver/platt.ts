/**
 * Platt scaling (Platt 1999): from decisions f_i of rows that the model was not fitted to and their classes t_i (1 or 0) the sigmoid
 *
 *   p(f) = 1 / (1 + e^-(a f + b))        (a, b) = argmin of  -sum_i ( t_i log p_i + (1 - t_i) log(1 - p_i) )  +  R/2 ( ((a - a0) / a0)^2 + (b - b0)^2 )
 *
 * by Newton's method with backtracking, as Lin, Lin and Weng (2007) do it. Platt keeps few rows from coming to certainty by targets a little above 0 and below
 * 1; here that is left to the second term, which draws (a, b) to those of everybody (a0, b0): without rows they are it. Measured in docs/probabilities.md.
 * No exp or log of the engine: the same decisions give the same bits everywhere.
 */
import { sigmoid, softplus } from '../math/sigmoid.ts';

/** p = 1 / (1 + e^-(a decision + b)), of one head. */
export interface Sigmoid {
  /** Above 0: the larger the decision, the larger the probability. */
  readonly a: number;
  readonly b: number;
}

/** R: how many rows' worth the sigmoid of everybody is. */
const RESTRAINT = 4;

const MOST_ITERATIONS = 100;
const SMALL_GRADIENT = 1e-6;
const SMALLEST_STEP = 1e-10;
/** Armijo's constant. */
const ENOUGH = 1e-4;

interface Fit {
  readonly decisions: ArrayLike<number>;
  /** Above 0 for rows of the class. */
  readonly y: ArrayLike<number>;
  readonly centre: Sigmoid;
}

/** Decisions that would turn the order of probabilities round leave the centre as it is. */
export function fitSigmoid(fit: Fit): Sigmoid {
  let here = fit.centre;
  let value = valueAt(fit, here);
  for (let k = 0; k < MOST_ITERATIONS; k++) {
    const { gradient, step } = newtonStep(fit, here);
    if (Math.max(...gradient.map(Math.abs)) < SMALL_GRADIENT) break;
    const slope = gradient[0] * step[0] + gradient[1] * step[1];
    const next = lineSearch(fit, here, step, (share) => value + ENOUGH * share * slope);
    if (!next) break;
    here = next;
    value = valueAt(fit, here);
  }
  return here.a > 0 ? here : fit.centre;
}

function lineSearch(fit: Fit, from: Sigmoid, step: readonly number[], most: (share: number) => number) {
  for (let share = 1; share >= SMALLEST_STEP; share /= 2) {
    const next = { a: from.a + share * step[0], b: from.b + share * step[1] };
    if (valueAt(fit, next) < most(share)) return next;
  }
  return undefined;
}

function valueAt({ decisions, y, centre }: Fit, { a, b }: Sigmoid): number {
  let sum = (RESTRAINT / 2) * ((a / centre.a - 1) ** 2 + (b - centre.b) ** 2);
  for (let i = 0; i < y.length; i++) {
    const m = a * decisions[i] + b;
    sum += softplus(y[i] > 0 ? -m : m);
  }
  return sum;
}

function newtonStep({ decisions, y, centre }: Fit, { a, b }: Sigmoid) {
  const stiffness = RESTRAINT / centre.a ** 2;
  let [h11, h12, h22] = [stiffness, 0, RESTRAINT];
  let [g1, g2] = [stiffness * (a - centre.a), RESTRAINT * (b - centre.b)];
  for (let i = 0; i < y.length; i++) {
    const f = decisions[i];
    const p = sigmoid(a * f + b);
    const excess = p - (y[i] > 0 ? 1 : 0);
    const curvature = p * (1 - p);
    g1 += f * excess;
    g2 += excess;
    h11 += f * f * curvature;
    h12 += f * curvature;
    h22 += curvature;
  }
  const determinant = h11 * h22 - h12 * h12;
  const step = [-(h22 * g1 - h12 * g2) / determinant, -(h11 * g2 - h12 * g1) / determinant];
  return { gradient: [g1, g2], step };
}
