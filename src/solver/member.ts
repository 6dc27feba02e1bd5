/**
 * A participant's side of training, without any messages: solutions of its part of the problem, steps between them, and what is
 * sent of them. Every solution is feasible, and so is every point between two of them, because the boxes are convex.
 */
import { type AnswerOptions, type AnswerScalars, scalarsAt } from './answer.ts';
import { LocalSolve } from './local-solve.ts';
import { type BoxContext, boxOf, dualSum } from './problem.ts';
import type { Shard } from './shard.ts';
import { plusScaled } from './vector.ts';

/** A solution of a participant's part: its dual variables, u = sum_i beta_i x_i and s = sum_i s(beta_i). */
export interface Solution {
  readonly beta: Float64Array;
  readonly u: Float64Array;
  readonly s: number;
  /** What was sent instead of u and s, where that is something else: the paper's masking. */
  readonly sent?: SentPart;
}

type SentPart = Pick<Solution, 'u' | 's'>;

/** A solution as the coordinator knows it: what it adds to the sum of all. */
export function sentPart(solution: Solution): SentPart {
  return solution.sent ?? solution;
}

/** A participant that has contributed nothing yet, or starts from duals of a nearby problem. */
export function newMember(shard: Shard, near?: Float64Array): Solution {
  return solutionOf(shard, shard.startingBeta(near));
}

export function solutionOf(shard: Shard, beta = shard.beta): Solution {
  return { beta, u: shard.combine(beta), s: shard.dualSum(beta) };
}

/** Loads the shard with the model (w, u / C2) and measures how good it is, over all heads; `propose` goes on from there. */
export function examine(shard: Shard, solution: Solution, w: Float64Array): AnswerScalars {
  const { heads: _, ...scalars } = scalarsAt(shard, w, solution.beta, solution.u);
  return { ...scalars, dualSum: sentPart(solution).s };
}

/** Solves locally from the examined solution. */
export function propose(shard: Shard, options: AnswerOptions): { solution: Solution; passes: number } {
  const solve = new LocalSolve(shard, options);
  solve.runPasses(options.passes);
  return { solution: solutionOf(shard), passes: solve.passes };
}

/**
 * The solution at share c in [0, 1] of the way. Whatever must make a step shorter, clipping for differential privacy or a norm
 * bound of the coordinator, does it by one factor for all of it, so that w and v_k move alike and the result stays feasible.
 */
export function partOfStep(context: BoxContext, from: Solution, to: Solution, c: number): Solution {
  if (c === 1) return to;
  const between = (a: Float64Array, b: Float64Array) => plusScaled(a, c, plusScaled(b, -1, a));
  const beta = intoBox(context, between(from.beta, to.beta));
  const solution = { beta, u: between(from.u, to.u), s: dualSum(context, beta) };
  if (!from.sent && !to.sent) return solution;
  const [a, b] = [sentPart(from), sentPart(to)];
  return { ...solution, sent: { u: between(a.u, b.u), s: a.s + c * (b.s - a.s) } };
}

/** A combination leaves the box by rounding at most; a bound must be met exactly for shrinking to see it. */
function intoBox(context: BoxContext, beta: Float64Array): Float64Array {
  const { low: lows, high: highs } = boxOf(context);
  for (let i = 0; i < beta.length; i++) {
    const low = lows[i];
    const high = highs[i];
    // Of a box without an end: as if it were of an ordinary size.
    const slack = 1e-14 * Math.min(high - low, 2 * context.cap[i]);
    if (beta[i] <= low + slack) beta[i] = low;
    else if (beta[i] >= high - slack) beta[i] = high;
  }
  return beta;
}
