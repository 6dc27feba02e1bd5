/**
 * The answer of one participant to a query w: its best personal part, a small SVM of its own,
 *
 *   F(w) = min over v of  C2/2 |v|^2 + C1 sum_i c_i loss(y_i, (w + v).x_i),     v(w) its minimiser, u = C2 v(w) = sum_i beta_i x_i
 *
 * F is a Moreau envelope: convex, differentiable with gradient -u(w), and the gradient is Lipschitz with constant C2. Whatever beta
 * a solve has come to, it is dual feasible, so that an answer is a cut below F that holds for every w:
 *
 *   F(w) >= s - |u|^2 / (2 C2) - w.u,      s = sum_i s(beta_i)
 *
 * with equality at the query for an exact answer. (docs/training.md)
 */
import { LocalSolve, type LocalSolveOptions } from './local-solve.ts';
import type { Shard } from './shard.ts';
import { dot, plusScaled } from './vector.ts';

export interface AnswerOptions extends LocalSolveOptions {
  readonly passes: number;
}

/** What is known of (w, v = u / C2) on a participant's rows, in one head. */
export interface HeadScalars {
  /** C1 sum_i c_i loss_i at w + v. */
  readonly loss: number;
  /** sum_i s(beta_i). */
  readonly dualSum: number;
  /** |u|^2. */
  readonly uNorm2: number;
  /** w.u. */
  readonly wDotU: number;
}

/** The same over all heads, and of each where there are several. */
export interface AnswerScalars extends HeadScalars {
  readonly heads?: readonly HeadScalars[] | undefined;
}

export function headScalars(scalars: AnswerScalars): readonly HeadScalars[] {
  return scalars.heads ?? [scalars];
}

export function totalScalars(heads: readonly HeadScalars[]): AnswerScalars {
  if (heads.length === 1) return heads[0];
  const total = (key: keyof HeadScalars) => heads.reduce((sum, head) => sum + head[key], 0);
  return {
    loss: total('loss'),
    dualSum: total('dualSum'),
    uNorm2: total('uNorm2'),
    wDotU: total('wDotU'),
    heads,
  };
}

/** The same losses and duals with another u: what the wire has left of it. */
export function withVector(scalars: AnswerScalars, w: Float64Array, u: Float64Array): AnswerScalars {
  const heads = headScalars(scalars);
  const columns = u.length / heads.length;
  return totalScalars(
    heads.map(({ loss, dualSum }, h) => {
      const [from, to] = [h * columns, (h + 1) * columns];
      const own = u.subarray(from, to);
      return { loss, dualSum, uNorm2: dot(own, own), wDotU: dot(w.subarray(from, to), own) };
    }),
  );
}

export interface Answer {
  readonly beta: Float64Array;
  readonly u: Float64Array;
  readonly scalars: AnswerScalars;
  readonly passes: number;
}

/** Duals to start from: of another problem, or of an answer to another w, whose u is known, too. */
export interface WarmDuals {
  readonly beta: Float64Array;
  readonly u?: Float64Array | undefined;
}

/** Loads a shard to answer w from a warm start; what was at hand for another w is a good one. */
export function loadQuery(shard: Shard, w: Float64Array, warm?: WarmDuals): void {
  const beta = warm?.u ? warm.beta : shard.startingBeta(warm?.beta);
  shard.load(beta, plusScaled(w, 1 / shard.settings.c2, warm?.u ?? shard.combine(beta)));
}

export function answer(shard: Shard, w: Float64Array, options: AnswerOptions, warm?: WarmDuals): Answer {
  loadQuery(shard, w, warm);
  const solve = new LocalSolve(shard, options);
  solve.runPasses(options.passes);
  return { ...answerWith(shard, w), passes: solve.passes };
}

/** The answer that a beta amounts to, by default the shard's present one. Loads the shard with it. */
export function answerWith(shard: Shard, w: Float64Array, beta = shard.beta): Omit<Answer, 'passes'> {
  const u = shard.combine(beta);
  return { beta, u, scalars: scalarsAt(shard, w, beta, u) };
}

/** How good (w, u / C2) is on the shard's rows. */
export function scalarsAt(shard: Shard, w: Float64Array, beta: Float64Array, u: Float64Array): AnswerScalars {
  shard.load(beta, plusScaled(w, 1 / shard.settings.c2, u));
  const losses = shard.losses();
  const sums = shard.dualSums(beta);
  const heads = losses.map((loss, h) => ({ loss, dualSum: sums[h], uNorm2: 0, wDotU: 0 }));
  return withVector({ ...totalScalars(heads), heads }, w, u);
}

/** F(w) as reached, and the constant of the cut F(.) >= constant - u. */
export function boundsOf(scalars: AnswerScalars, c2: number): { value: number; constant: number } {
  const personal = scalars.uNorm2 / (2 * c2);
  return { value: scalars.loss + personal, constant: scalars.dualSum - personal };
}

/** Relative: less is what rounding leaves of a gap of 0. */
const PROOF = 1e-12;

/**
 * The bounds that an answer proves, whatever it claims: no member's gap is negative, or it would pay for those of others. So its cut is at most its
 * value at the query, and its value at least what its earlier cuts say (`least`; undefined: there are none). `wDotU` is that of the query and u as they
 * are, not as claimed. Refusals have a tolerance for rounding; a liar's may be large.
 */
export function provenBounds(scalars: AnswerScalars, c2: number, least: number | undefined, wDotU: number) {
  const { value, constant } = boundsOf(scalars, c2);
  const { dualSum } = scalars;
  const rounding = PROOF * (Math.abs(value) + Math.abs(constant));
  const below = (least ?? value) - value;
  const reached = below > rounding ? value + below : value;
  const above = constant - reached - wDotU;
  const beyond = above > rounding ? above : 0;
  return { value: reached, constant: constant - beyond, dualSum: dualSum - beyond };
}
