/**
 * Contribution scores: what each participant adds to the shared model, as far as updates alone show. Two numbers per
 * round (cosine after Xu and Lyu 2021, "A reputation mechanism is all you need"), one more against copying, and their
 * running averages:
 *
 *   cosine      between du_k and the sum of the others' updates (leave-one-out: with its own part in the sum everybody
 *               correlates with it). Others count with at most the median norm, so that no single one sets the scores.
 *   normRatio   |du_k| over the median norm of those who moved.
 *   ownShare    the part of |du_k|^2 that is not along the last change of w: 1 - cos^2(du_k, w - w_before). A copy, a
 *               multiple or the negative of what was broadcast has 0: it contains nothing of its own.
 *
 * State in, state out: `scoreRound` judges one round, `recordRound` folds it into the running averages, `suspects`
 * (suspects.ts) reads them.
 *
 * The scores measure how much a participant agrees with the others, not what it is worth. Personalisation means that data
 * differ: an honest participant with unusual data correlates less, and may be the one who has something to add. The scores
 * need single updates in the clear: under secure aggregation there are none, and under split noise the cosines drown.
 */
import { addScaled, dot, norm } from '../../solver/vector.ts';
import { type Change, lowerQuantile } from './norm-bound.ts';

interface RoundScore {
  readonly member: number;
  /** Undefined if the update, or the sum of the others, is zero: there is no angle then. */
  readonly cosine: number | undefined;
  readonly normRatio: number;
  /** Undefined if the update or the last change of w is zero, or there was none. */
  readonly ownShare: number | undefined;
  /** d: a random direction has a cosine of deviation 1/sqrt(d). */
  readonly dimension: number;
}

/** A running mean and variance; with a `count` of 0 there is nothing yet. */
export interface Running {
  readonly count: number;
  readonly mean: number;
  readonly variance: number;
}

export interface Contribution {
  readonly cosine: Running;
  readonly normRatio: Running;
  readonly ownShare: Running;
  readonly dimension: number;
}

/** By participant. */
export type Contributions = ReadonlyMap<number, Contribution>;

/** Rounds that the averages remember: old contributions must not count for ever. */
export const MEMORY = 20;

const NOTHING: Running = { count: 0, mean: 0, variance: 0 };

/** Scores of one round; `lastChange` is w at its opening less w at the opening before. */
export function scoreRound(updates: readonly Change[], lastChange?: Float64Array): RoundScore[] {
  if (updates.length === 0) return [];
  const norms = updates.map(({ du }) => norm(du));
  const moved = norms.filter((norm) => norm > 0);
  const median = moved.length > 0 ? lowerQuantile(moved, 0.5) : 0;
  const shares = norms.map((norm) => (norm > median ? median / norm : 1));
  const sum = new Float64Array(updates[0].du.length);
  for (const [i, { du }] of updates.entries()) addScaled(sum, shares[i], du);
  return updates.map(({ member, du }, i) => {
    const others = sum.slice();
    addScaled(others, -shares[i], du);
    const along = lastChange && cosineOf(du, lastChange);
    return {
      member,
      cosine: updates.length > 1 ? cosineOf(du, others) : undefined,
      normRatio: median > 0 ? norms[i] / median : 0,
      ownShare: along === undefined ? undefined : Math.max(0, 1 - along * along),
      dimension: du.length,
    };
  });
}

/** The averages after one more round. Participants that did not answer keep theirs. */
export function recordRound(before: Contributions, scores: readonly RoundScore[]): Contributions {
  const after = new Map(before);
  for (const { member, cosine, normRatio, ownShare, dimension } of scores) {
    const old = before.get(member);
    after.set(member, {
      cosine: averaged(old?.cosine, cosine),
      normRatio: averaged(old?.normRatio, normRatio),
      ownShare: averaged(old?.ownShare, ownShare),
      dimension,
    });
  }
  return after;
}

/** A plain mean for the first `MEMORY` values, then an exponential one. */
function averaged(old: Running = NOTHING, value: number | undefined): Running {
  if (value === undefined) return old;
  const count = old.count + 1;
  const weight = Math.max(1 / count, 1 / MEMORY);
  const away = value - old.mean;
  const mean = old.mean + weight * away;
  return { count, mean, variance: (1 - weight) * (old.variance + weight * away * away) };
}

/** Undefined where either vector is zero or the square of its norm is out of range. */
function cosineOf(a: Float64Array, b: Float64Array): number | undefined {
  const scale = norm(a) * norm(b);
  return scale > 0 && Number.isFinite(scale) ? dot(a, b) / scale : undefined;
}
