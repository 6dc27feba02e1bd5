/**
 * The least noise that keeps a number of rounds within (epsilon, delta): epsilon falls as the noise multiplier grows, so
 * bisection finds it. The end that is returned is the private one: its epsilon is at most the one asked for.
 */
import { inputError } from '../../base/errors.ts';
import { checkEpsilon, composed, costOfRound, spentAt } from './accountant.ts';
import { ORDERS } from './rdp.ts';

const MOST_NOISE = 2 ** 30;
const TOLERANCE = 1e-6;

/** Noise multiplier for `rounds` rounds at this sampling rate, to 1e-6 relative. */
export function noiseFor(epsilon: number, delta: number, rounds: number, samplingRate: number): number {
  checkEpsilon(epsilon);
  if (!(Number.isInteger(rounds) && rounds >= 1))
    throw inputError('DP_ROUNDS', `rounds: expected an integer >= 1, got ${rounds}`);
  if (!(samplingRate > 0 && samplingRate <= 1))
    throw inputError('DP_SAMPLING', `sampling rate: expected a number in (0, 1], got ${samplingRate}`);
  const fits = (noiseMultiplier: number) =>
    epsilonOf({ noiseMultiplier, samplingRate }, delta, rounds) <= epsilon;
  let [low, high] = bracket(fits, epsilon);
  while (high - low > TOLERANCE * high) {
    const middle = Math.sqrt(low * high);
    if (fits(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** Epsilon after so many equal rounds. */
export function epsilonOf(
  settings: { readonly noiseMultiplier: number; readonly samplingRate: number },
  delta: number,
  rounds: number,
): number {
  const cost = costOfRound(settings);
  return spentAt(composed(new Float64Array(ORDERS.length), cost, rounds), delta).epsilon;
}

/** [too little, enough]. */
function bracket(fits: (noise: number) => boolean, epsilon: number): [number, number] {
  let high = 1;
  while (!fits(high)) {
    high *= 2;
    if (high > MOST_NOISE)
      throw inputError('DP_EPSILON', `epsilon: expected one that some noise can reach, got ${epsilon}`);
  }
  let low = high / 2;
  while (fits(low) && low > 1e-3) {
    high = low;
    low /= 2;
  }
  return [low, high];
}
