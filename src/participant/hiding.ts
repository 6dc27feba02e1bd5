/**
 * Whether a sum hides its members from somebody who subtracts sums. A member puts the change of its answer into a sum, from the query of
 * its last accepted answer to the present one. Answers are Lipschitz in the query, so a change is about as large as that query has moved,
 * and the changes of those whose query has hardly moved hide nobody. Refused is therefore a sum
 *
 *   in which fewer than `margin` members move: somebody who was absent, or told to begin again, while the others stand still;
 *   that repeats an earlier one, from nearly the same query to nearly the same query, with fewer than `margin` members more or less;
 *   of whole answers to a query like an earlier one, with fewer than `margin` members more or less than have contributed.
 *
 * A coordinator that follows the protocol meets the first where a straggler or a newcomer comes when all others are done, and then asks
 * elsewhere. docs/secure-aggregation.md has what remains. Under differential privacy the noise does this, and better.
 */
import type { SumPurpose } from '../protocol/secure-messages.ts';
import { norm, plusScaled } from '../solver/vector.ts';

/** A sum for which we have revealed shares. */
export interface PastSum {
  readonly round: number;
  readonly purpose: SumPurpose;
  /** Empty where moments were summed. */
  readonly w: Float64Array;
  /** The query of the answer that our change went from; undefined: it was whole. */
  readonly from: Float64Array | undefined;
  readonly members: readonly string[];
}

export interface SumToCheck extends Omit<PastSum, 'round' | 'members'> {
  /** Round of the accepted answer that each counted member's change goes from; 0: none. */
  readonly bases: ReadonlyMap<string, number>;
}

/** Sums that are remembered. */
export const REMEMBERED = 8;
/** Who moves less than this share of what another moves does not hide it. */
const LEAST_SHARE = 0.1;

/** Why it would not hide everybody; undefined: it does. */
export function standsOut(past: readonly PastSum[], sum: SumToCheck, margin: number): string | undefined {
  const before = past.filter(({ purpose }) => purpose === sum.purpose);
  const few = (members: Iterable<string>) => {
    const different = differences(new Set(members), sum.bases);
    return different > 0 && different < margin;
  };
  if (sum.purpose === 'measure') {
    return before.some(({ members }) => few(members))
      ? `moments of almost the same participants as before`
      : undefined;
  }
  const { w, from } = sum;
  const moves = [...sum.bases.values()].map((round) =>
    distance(w, before.find((one) => one.round === round)?.w),
  );
  const most = Math.max(0, ...moves);
  if (moves.filter((move) => move >= LEAST_SHARE * most).length < Math.min(margin, moves.length))
    return 'a query that too few other participants received';
  const own = distance(w, from);
  const repeated = before.some(
    (one) => few(one.members) && distance(w, one.w) + distance(from, one.from) < LEAST_SHARE * own,
  );
  if (repeated) return 'a query already answered by almost the same participants';
  const isNear = before.some((one) => distance(w, one.w) < LEAST_SHARE * own);
  if (!from && isNear && few(before.flatMap(({ members }) => members)))
    return 'complete answers to a similar query by almost the same participants';
  return undefined;
}

/** No answer yet is as good as one to no query at all. */
function distance(a: Float64Array | undefined, b: Float64Array | undefined): number {
  if (!a || !b) return norm(a ?? b ?? new Float64Array(0));
  return norm(plusScaled(a, -1, b));
}

function differences(before: ReadonlySet<string>, now: ReadonlyMap<string, unknown>): number {
  const gone = [...before].filter((id) => !now.has(id)).length;
  return gone + now.size - (before.size - gone);
}
