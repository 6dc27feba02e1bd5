/**
 * `exact`: for each participant the coordinator keeps the last local solutions as atoms (their u and s; the participant
 * keeps their beta) beside the committed one, and takes the convex combination of all of them that maximises the dual.
 *
 * This is simplicial decomposition with one simplex per participant, or a bundle method seen from the primal: the atoms
 * are cuts, sigma is the proximal term. The committed solution is always among the atoms with its true s, so the dual
 * never falls, also for regression (where s of a combination is at least the combination of the s), and with any subset
 * of participants answering: those who did not are left as they are.
 *
 * Sigma: K simultaneous moves du_k need sigma >= |sum du_k|^2 / sum |du_k|^2 to be safe, a number between 0 and K that says
 * how much they agree. At the start everybody discovers the same thing and it is close to K; later the moves are nearly
 * independent. It starts from K and takes the smallest value seen so far, from sums alone.
 */
import { type AggregationRule, type IndexedUpdate, sumOfChanges } from './aggregation-rule.ts';
import { ascendSimplices } from './simplex-ascent.ts';
import { dot } from './vector.ts';

/** Local solutions kept per participant. Fewer converge later, more cost memory and gain little. */
const ATOMS = 6;
/** Most sweeps over the blocks, and most multiplications in all, so that a coordinator of hundreds keeps its pace. */
const SWEEPS = 200;
const MULTIPLICATIONS = 2e7;
/** The smallest sigma: below this, local solves would ignore that others move at all. */
const SIGMA_FLOOR = 0.01;

export const exactRule: AggregationRule = {
  atoms: ATOMS,
  startSigma: (participants) => participants,
  weigh: (w, c2, _updates, blocks) => {
    const sweepCost = blocks.length * (ATOMS + 1) * w.length;
    const sweeps = Math.max(10, Math.min(SWEEPS, Math.floor(MULTIPLICATIONS / sweepCost)));
    ascendSimplices(w.slice(), blocks, c2, sweeps);
    for (const { weights } of blocks) normalise(weights);
  },
  nextSigma: agreedSigma,
};

/** The smaller of sigma and the measured agreement of simultaneous moves. */
function agreedSigma(sigma: number, updates: readonly IndexedUpdate[]): number {
  let parts = 0;
  for (const update of updates) parts += update.duNorm2;
  // A lone update agrees with itself by definition: nothing is learnt from it.
  if (updates.length < 2 || parts === 0) return sigma;
  const sum = sumOfChanges(updates);
  return Math.max(SIGMA_FLOOR, Math.min(sigma, dot(sum, sum) / parts));
}

/** In place: weights that add up to 1 to the last bit that rounding allows. */
function normalise(weights: number[]): void {
  const sum = weights.reduce((a, b) => a + b, 0);
  for (let m = 0; m < weights.length; m++) weights[m] /= sum;
}
