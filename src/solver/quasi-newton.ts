/**
 * Limited-memory BFGS (Liu and Nocedal 1989) for the smooth function P(w) = 1/2 |w|^2 + sum_k F_k(w), whose gradient at a query is
 * w - sum_k u_k(w): all it takes is sums. No line search: a step is one round, and the next one starts from the best query so far,
 * with what the failed one has taught of the curvature.
 */
import { addScaled, dot, plusScaled } from './vector.ts';

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
