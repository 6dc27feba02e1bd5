/**
 * The lower bound of a training, from answers alone. Every answer of a member is a cut below its F (answer.ts); a convex
 * combination of its answers is one, too, and a better one than the combination of their cuts, because |u|^2 is convex:
 *
 *   F_k(w) >= lambda.s_k - |U_k lambda|^2 / (2 C2) - w.U_k lambda          lambda >= 0, sum lambda = 1
 *   D = max over all lambda of  sum_k (lambda_k.s_k - |U_k lambda_k|^2 / (2 C2)) - 1/2 |sum_k U_k lambda_k|^2
 *
 * Each member keeps its last answers and one combined of all before. The maximum is approached block by block, by pairwise
 * steps on the member's small Gram matrix: weight moves from the worst cut that has some to the best one. Every step raises D, the
 * start is where the last round ended, so D never falls, however early it stops. The maximiser of D minimises the model of P that
 * the cuts make: point = sum_k U_k lambda_k.
 *
 * Where only sums over many are seen there is one block of sums, and no |u|^2 to be gained from: `inverse` is 0 and the constants
 * of the cuts stand in for s.
 */
import { addScaled, dot } from './vector.ts';

export interface Cut {
  readonly u: Float64Array;
  /** s; with inverse 0 the constant of the cut. */
  readonly s: number;
}

/** Answers kept beside the combined one. Fewer cost rounds, more cost time (docs/training.md). */
export const CUTS_KEPT = 6;
/** Bytes that all cuts may take together: of tens of thousands of members fewer are kept. */
const MOST_BYTES = 512 * 1024 * 1024;
/** Weight moves within a block before the next block has its turn. */
const PAIR_STEPS = 8;
/** A sweep that adds less than this share of what is left between the bounds is the last one; less where many blocks move. */
const ENOUGH = 1e-3;
const ENOUGH_OF_MANY = 0.03;
/** Less than this share of the dual's size is rounding, not progress. */
const ROUNDING = 1e-15;
/** Most sweeps, least sweeps, and the multiplications that decide between them. */
const MOST_SWEEPS = 60;
const LEAST_SWEEPS = 3;
const MULTIPLICATIONS = 3e7;

export class LowerBound {
  /** The minimiser of the model of P that the cuts make. */
  point: Float64Array;
  private readonly blocks = new Map<number, CutBlock>();

  constructor(d: number) {
    this.point = new Float64Array(d);
  }

  get isEmpty(): boolean {
    return this.blocks.size === 0;
  }

  /** One more cut of a block. Before its first one the cut F >= 0 is known. */
  add(block: number, cut: Cut, inverse: number): void {
    let cuts = this.blocks.get(block);
    if (!cuts) {
      cuts = new CutBlock(this.point.length, inverse);
      this.blocks.set(block, cuts);
    }
    cuts.add(cut, this.kept);
  }

  /** Answers to keep of each member, beside the combined one. */
  private get kept(): number {
    const affordable = Math.floor(MOST_BYTES / (8 * this.point.length * this.blocks.size)) - 1;
    return Math.max(1, Math.min(CUTS_KEPT, affordable));
  }

  /** Nothing but this cut counts for the block from now on. */
  freeze(block: number, cut: Cut, inverse: number): void {
    this.blocks.set(block, new CutBlock(this.point.length, inverse, cut));
  }

  /** The highest of a block's cuts at w. */
  valueAt(block: number, w: Float64Array): number {
    return this.blocks.get(block)?.valueAt(w) ?? 0;
  }

  drop(block: number): void {
    this.blocks.delete(block);
  }

  clear(): void {
    this.blocks.clear();
  }

  /** Brings D up towards `primal`, which it cannot pass; returns it. */
  raise(primal: number): number {
    const blocks = [...this.blocks].sort(([a], [b]) => a - b).map(([, block]) => block);
    const w = new Float64Array(this.point.length);
    for (const block of blocks) block.begin(w);
    const cost = blocks.length * (CUTS_KEPT + 1) * w.length;
    const sweeps = Math.max(LEAST_SWEEPS, Math.min(MOST_SWEEPS, Math.floor(MULTIPLICATIONS / (cost + 1))));
    const nothing = ROUNDING * blocks.reduce((sum, block) => sum + block.size, 0);
    const enough = Math.min(ENOUGH, ENOUGH_OF_MANY / Math.max(1, blocks.length));
    let dual = blocks.reduce((sum, block) => sum + block.value, 0) - dot(w, w) / 2;
    dual += moveTogether(blocks, w);
    for (let sweep = 0; sweep < sweeps; sweep++) {
      let gain = 0;
      for (const block of blocks) gain += block.improve(w);
      dual += gain;
      if (gain <= Math.max(enough * (primal - dual), nothing)) break;
    }
    this.point = w;
    for (const block of blocks) block.combine();
    return blocks.reduce((sum, block) => sum + block.value, 0) - dot(w, w) / 2;
  }
}

/**
 * All blocks at once, by the same weights: answers to one query are alike, and what they have in common would take many sweeps block by block.
 * Changes w and the blocks; returns the rise of D.
 */
function moveTogether(all: readonly CutBlock[], w: Float64Array): number {
  const most = all.reduce((count, block) => Math.max(count, block.count), 0);
  const blocks = all.filter((block) => block.count === most);
  if (blocks.length < 2 || most < 2) return 0;
  const cuts = Array.from({ length: most }, () => ({ u: new Float64Array(w.length), s: 0 }));
  const own = cuts.map(() => new Array<number>(most).fill(0));
  for (const block of blocks) block.addTo(cuts, own);
  const gram = cuts.map((a, i) => cuts.map((b, j) => dot(a.u, b.u) + own[i][j]));
  const weights = cuts.map((_, i) => (i === 0 ? 1 : 0));
  const slope = Float64Array.from(cuts, ({ u, s }, i) => s - dot(u, w) - own[i][0]);
  let gain = 0;
  for (let step = 0; step < PAIR_STEPS * most; step++) {
    const rise = moveWeight(weights, slope, gram, 1);
    if (!(rise > 0)) break;
    gain += rise;
  }
  if (gain === 0) return 0;
  addScaled(w, -1, cuts[0].u);
  for (const [i, { u }] of cuts.entries()) if (weights[i] !== 0) addScaled(w, weights[i], u);
  for (const block of blocks) block.weigh(weights);
  return gain;
}

/** Moves weight from the worst cut that has some to the best one, as far as it pays; returns the rise. */
function moveWeight(
  weights: number[],
  slope: Float64Array,
  gram: readonly (readonly number[])[],
  factor: number,
): number {
  let best = 0;
  let worst = -1;
  for (let i = 0; i < slope.length; i++) {
    if (slope[i] > slope[best]) best = i;
    if (weights[i] > 0 && (worst < 0 || slope[i] < slope[worst])) worst = i;
  }
  const difference = slope[best] - slope[worst];
  if (!(difference > 0)) return 0;
  const distance = gram[best][best] + gram[worst][worst] - 2 * gram[best][worst];
  const curvature = distance * factor;
  const all = weights[worst];
  const move = curvature > 0 ? Math.min(all, difference / curvature) : all;
  weights[best] += move;
  weights[worst] = move === all ? 0 : all - move;
  for (let i = 0; i < slope.length; i++) slope[i] -= move * factor * (gram[i][best] - gram[i][worst]);
  return move * (difference - (move * curvature) / 2);
}

/** One member's cuts: the combined one first, then its last answers, oldest first. */
class CutBlock {
  private readonly inverse: number;
  private readonly cuts: Cut[];
  private weights: number[] = [1];
  /** u_i.u_j, by rows. */
  private gram: number[][];
  private slope = new Float64Array(1);

  constructor(d: number, inverse: number, first: Cut = { u: new Float64Array(d), s: 0 }) {
    this.inverse = inverse;
    this.cuts = [first];
    this.gram = [[dot(first.u, first.u)]];
  }

  get size(): number {
    return this.cuts.reduce((most, { s }) => Math.max(most, Math.abs(s)), 0);
  }

  add(cut: Cut, kept: number): void {
    while (this.cuts.length > kept) this.remove(1);
    const products = this.cuts.map(({ u }) => dot(u, cut.u));
    for (const [i, row] of this.gram.entries()) row.push(products[i]);
    this.gram.push([...products, dot(cut.u, cut.u)]);
    this.cuts.push(cut);
    this.weights.push(0);
  }

  get count(): number {
    return this.cuts.length;
  }

  /** Adds its cuts and its Gram matrix, as it counts, to those of others. */
  addTo(cuts: { readonly u: Float64Array; s: number }[], own: number[][]): void {
    for (const [i, { u, s }] of this.cuts.entries()) {
      addScaled(cuts[i].u, 1, u);
      cuts[i].s += s;
      for (let j = 0; j < cuts.length; j++) own[i][j] += this.inverse * this.gram[i][j];
    }
  }

  weigh(weights: readonly number[]): void {
    this.weights = [...weights];
  }

  /** Adds its part of the point where it stands. */
  begin(w: Float64Array): void {
    addScaled(w, 1, this.cuts[0].u);
    if (this.slope.length !== this.cuts.length) this.slope = new Float64Array(this.cuts.length);
  }

  /** Some pairwise steps, then w follows; returns the rise of D. */
  improve(w: Float64Array): number {
    const { cuts, weights, gram, slope, inverse } = this;
    if (cuts.length === 1) return 0;
    // By number: iterators cost 7% of a training of 190 participants with 14 columns.
    const before = weights.slice();
    for (let i = 0; i < cuts.length; i++) {
      const products = gram[i];
      let own = 0;
      for (let j = 0; j < products.length; j++) own += weights[j] * products[j];
      slope[i] = cuts[i].s - dot(cuts[i].u, w) - inverse * own;
    }
    let gain = 0;
    for (let step = 0; step < PAIR_STEPS; step++) {
      const rise = moveWeight(weights, slope, gram, 1 + inverse);
      if (!(rise > 0)) break;
      gain += rise;
    }
    if (gain === 0) return 0;
    for (let i = 0; i < cuts.length; i++) {
      if (weights[i] !== before[i]) addScaled(w, weights[i] - before[i], cuts[i].u);
    }
    return gain;
  }

  /** What the combined cut adds to D, but for its part of the point. */
  get value(): number {
    return this.cuts[0].s - (this.inverse / 2) * this.gram[0][0];
  }

  /** The present combination takes the place of the one before. */
  combine(): void {
    const { cuts, weights, gram } = this;
    if (weights[0] === 1) return;
    const u = new Float64Array(cuts[0].u.length);
    let s = 0;
    for (const [i, weight] of weights.entries()) {
      if (weight === 0) continue;
      addScaled(u, weight, cuts[i].u);
      s += weight * cuts[i].s;
    }
    const products = gram.map((row) => row.reduce((sum, value, j) => sum + weights[j] * value, 0));
    cuts[0] = { u, s };
    for (let i = 1; i < cuts.length; i++) gram[0][i] = gram[i][0] = products[i];
    gram[0][0] = dot(u, u);
    weights.fill(0);
    weights[0] = 1;
  }

  valueAt(w: Float64Array): number {
    const { cuts, gram, inverse } = this;
    return cuts.reduce(
      (most, { u, s }, i) => Math.max(most, s - (inverse / 2) * gram[i][i] - dot(u, w)),
      Number.NEGATIVE_INFINITY,
    );
  }

  private remove(at: number): void {
    this.cuts.splice(at, 1);
    this.weights.splice(at, 1);
    this.gram.splice(at, 1);
    for (const row of this.gram) row.splice(at, 1);
  }
}
