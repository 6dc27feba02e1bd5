/**
 * Where to ask next, once the answers to a query have been taken. With single answers between the best query and the minimiser of the cuts
 * (in-out), and so with many groups; with sums a quasi-Newton step from the best query as long as everybody answers, well enough, and it helps.
 */
import type { Best, InquiryOptions } from './inquiry-types.ts';
import { addScaled, dot, norm, plusScaled } from './vector.ts';

/** Weight of the cuts' minimiser in the next query; the rest is the best query's. */
const OUTWARD = 0.4;
/** Share of the way that a step back goes. */
const BACK = 0.2;
/** Inverse curvature of a first quasi-Newton step: 1 / (1 + this K C2). */
const FIRST_CURVATURE = 0.1;

/** From so many groups on, their cuts lead to fewer rounds than quasi-Newton steps (docs/training.md). */
const MANY_GROUPS = 16;

interface Closed {
  readonly query: Float64Array;
  /** Of P at the query; undefined: somebody is absent. */
  readonly gradient: Float64Array | undefined;
  /** Whether the query is the best one now. */
  readonly improved: boolean;
  readonly best: Best;
  /** The minimiser of the model that the cuts make. */
  readonly point: Float64Array;
  readonly members: number;
  /** Members that have cuts of their own. */
  readonly blocks: number;
  /** What the answers themselves leave between their values and their cuts. */
  readonly roughness: number;
}

/** A part of the way back to the farthest of some queries that were asked before; of one that is not known, to none. */
export function steppedBack(query: Float64Array, asked: readonly (Float64Array | undefined)[]): Float64Array {
  const far = asked.map((at) => at ?? new Float64Array(query.length));
  const distances = far.map((at) => norm(plusScaled(query, -1, at)));
  const farthest = far[distances.indexOf(Math.max(...distances))];
  return farthest ? plusScaled(query, BACK, plusScaled(farthest, -1, query)) : query;
}

export class NextQuery {
  private readonly options: InquiryOptions;
  private readonly newton = new QuasiNewton();
  /** Whether the last query was a quasi-Newton step that did not help. */
  private failed = false;

  constructor(options: InquiryOptions) {
    this.options = options;
  }

  /** Gradients before are of another problem. */
  clear(): void {
    this.newton.clear();
  }

  after(closed: Closed): Float64Array {
    if (this.seesFewCuts(closed)) {
      const step = this.quasiNewtonStep(closed);
      if (step) return step;
    }
    const { w } = closed.best;
    return closed.point.map((value, j) => OUTWARD * value + (1 - OUTWARD) * w[j]);
  }

  /** Cuts of a few sums say little of the function; those of many groups nearly as much as those of single members. */
  private seesFewCuts({ blocks }: Closed): boolean {
    const { sees } = this.options;
    return sees === 'sums' || (sees === 'groups' && blocks < MANY_GROUPS);
  }

  /** A step from the best query, unless somebody is absent, the answers are too rough, or the last step has failed. */
  private quasiNewtonStep({ query, gradient, improved, best, members, roughness }: Closed) {
    if (!gradient) {
      this.newton.forgetLast();
      return undefined;
    }
    this.newton.learn(query, gradient);
    // After a step that has failed the cuts have their turn, and then a step again: neither may block the other.
    this.failed = !improved && !this.failed;
    if (!best.gradient || this.failed) return undefined;
    // What is missing in the answers themselves is more than what a step could gain.
    if (roughness > dot(gradient, gradient) / 2) return undefined;
    const scale = 1 / (1 + FIRST_CURVATURE * members * this.options.c2);
    return this.newton.step(best.w, best.gradient, scale);
  }
}

/**
 * Limited-memory BFGS (Liu and Nocedal 1989) for the smooth function P(w) = 1/2 |w|^2 + sum_k F_k(w), whose gradient at a query is
 * w - sum_k u_k(w): all it takes is sums. No line search: a step is one round, and the next one starts from the best query so far,
 * with what the failed one has taught of the curvature.
 */
const MEMORY = 10;
/** Curvature along a step below this share of its length is rounding. */
const LEAST_CURVATURE = 1e-10;

interface Pair {
  readonly s: Float64Array;
  readonly y: Float64Array;
  readonly product: number;
}

export class QuasiNewton {
  private pairs: Pair[] = [];
  private before: { readonly w: Float64Array; readonly gradient: Float64Array } | undefined;

  /** The gradient at a query, known exactly enough to learn from. */
  learn(w: Float64Array, gradient: Float64Array): void {
    const { before } = this;
    this.before = { w, gradient };
    if (!before) return;
    const s = plusScaled(w, -1, before.w);
    const y = plusScaled(gradient, -1, before.gradient);
    const product = dot(s, y);
    if (product > LEAST_CURVATURE * dot(s, s)) this.pairs = [...this.pairs, { s, y, product }].slice(-MEMORY);
  }

  /** The next gradient is not to be compared with the last. */
  forgetLast(): void {
    this.before = undefined;
  }

  clear(): void {
    this.pairs = [];
    this.before = undefined;
  }

  /** Where a step from w leads; `scale` is the inverse curvature as long as nothing has been learnt. */
  step(w: Float64Array, gradient: Float64Array, scale: number): Float64Array {
    const { pairs } = this;
    const z = gradient.slice();
    const shares = new Array<number>(pairs.length);
    for (let i = pairs.length - 1; i >= 0; i--) {
      const { s, y, product } = pairs[i];
      shares[i] = dot(s, z) / product;
      addScaled(z, -shares[i], y);
    }
    const last = pairs.at(-1);
    const first = last ? last.product / dot(last.y, last.y) : scale;
    for (let j = 0; j < z.length; j++) z[j] *= first;
    for (const [i, { s, y, product }] of pairs.entries()) addScaled(z, shares[i] - dot(y, z) / product, s);
    return plusScaled(w, -1, z);
  }
}
