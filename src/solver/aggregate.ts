/**
 * Aggregation: the coordinator's side of the method. Given the updates of those who answered, a rule decides how much of
 * each is taken, as weights over (committed solution, atoms...) per participant, and what sigma the next round gets.
 *
 *   sum          sigma = 1, step 1. The paper's rule: not safe, it may diverge. Kept for comparison.
 *   safe         sigma = participants, step 1. CoCoA+ (Ma et al. 2015): the dual never falls, slowly.
 *   line-search  one step in [0, 1] for all, the best one along the summed direction. Needs only sums.
 *   exact        the best convex combination of each participant's atoms (aggregate-exact.ts). The default.
 *
 * How `exact` chooses sigma: K simultaneous moves du_k need sigma >= |sum du_k|^2 / sum |du_k|^2 to be safe,
 * a number between 0 and K that says how much they agree. At the start everybody discovers the same thing and it is
 * close to K; later the moves are nearly independent. It starts from K and takes the smallest value seen so far,
 * from sums alone (docs/aggregation.md has what else was tried).
 */
import type { Update } from './member.ts';
import { addScaled, dot } from './vector.ts';

export const AGGREGATIONS = ['exact', 'line-search', 'safe', 'sum'] as const;
export type Aggregation = (typeof AGGREGATIONS)[number];

/** Participants are numbered by the caller; the order of updates does not matter. */
export interface IndexedUpdate extends Update {
  readonly member: number;
}

export interface Outcome {
  readonly member: number;
  /** For the committed solution, then for each atom, oldest first. */
  readonly weights: number[];
}

export interface Aggregator {
  /** sum_k u_k over all participants, committed. */
  readonly w: Float64Array;
  /** Coupling allowance for the next round. */
  readonly sigma: number;
  /** Atoms that participants keep beside the committed solution. */
  readonly atoms: number;
  /** Takes over what every participant already contributes: a warm start, or a restored run. */
  start(contributions: readonly Float64Array[]): void;
  aggregate(updates: readonly IndexedUpdate[]): Outcome[];
}

/** The smallest sigma: below this, local solves would ignore that others move at all. */
const SIGMA_FLOOR = 0.01;

/** sigma by the measured agreement of simultaneous moves. */
export function agreedSigma(sigma: number, updates: readonly IndexedUpdate[], sum: Float64Array): number {
  let parts = 0;
  for (const update of updates) parts += update.duNorm2;
  // A lone update agrees with itself by definition: nothing is learnt from it.
  if (updates.length < 2 || parts === 0) return sigma;
  return Math.max(SIGMA_FLOOR, Math.min(sigma, dot(sum, sum) / parts));
}

export function inMemberOrder(updates: readonly IndexedUpdate[]): IndexedUpdate[] {
  return [...updates].sort((a, b) => a.member - b.member);
}

export function sumOfChanges(d: number, updates: readonly IndexedUpdate[]): Float64Array {
  const sum = new Float64Array(d);
  for (const update of updates) addScaled(sum, 1, update.du);
  return sum;
}

/** `safe` and `sum`: every update in full. */
export class FixedStep implements Aggregator {
  readonly w: Float64Array;
  readonly sigma: number;
  readonly atoms = 1;

  constructor(d: number, sigma: number) {
    this.w = new Float64Array(d);
    this.sigma = sigma;
  }

  start(contributions: readonly Float64Array[]): void {
    for (const u of contributions) addScaled(this.w, 1, u);
  }

  aggregate(updates: readonly IndexedUpdate[]): Outcome[] {
    const ordered = inMemberOrder(updates);
    addScaled(this.w, 1, sumOfChanges(this.w.length, ordered));
    return ordered.map(({ member }) => ({ member, weights: [0, 1] }));
  }
}

/**
 * D(theta) = D(0) + theta (sum ds - w.du - sum u_k.du_k / C2) - theta^2/2 (|du|^2 + sum |du_k|^2 / C2), du = sum du_k.
 * For regression s is concave along the step, so this is a lower bound and the step is still safe.
 */
export class LineSearch implements Aggregator {
  readonly w: Float64Array;
  readonly atoms = 1;
  readonly sigma: number;
  private readonly c2: number;

  constructor(d: number, participants: number, c2: number) {
    this.w = new Float64Array(d);
    // Half of what would be safe without the search; steadier than any adaptive choice that was tried.
    this.sigma = Math.max(1, participants / 2);
    this.c2 = c2;
  }

  start(contributions: readonly Float64Array[]): void {
    for (const u of contributions) addScaled(this.w, 1, u);
  }

  aggregate(updates: readonly IndexedUpdate[]): Outcome[] {
    const ordered = inMemberOrder(updates);
    const du = sumOfChanges(this.w.length, ordered);
    let slope = -dot(this.w, du);
    let curvature = dot(du, du);
    for (const update of ordered) {
      slope += update.ds - update.uDotDu / this.c2;
      curvature += update.duNorm2 / this.c2;
    }
    const step = curvature > 0 ? Math.min(1, Math.max(0, slope / curvature)) : 0;
    addScaled(this.w, step, du);
    return ordered.map(({ member }) => ({ member, weights: [1 - step, step] }));
  }
}
