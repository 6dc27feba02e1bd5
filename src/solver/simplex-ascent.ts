/**
 * The coordinator's small problem under `exact`: maximise the dual over convex combinations of atoms, one simplex per
 * participant,
 *
 *   max  sum_k sum_m lambda_km s_km - 1/2 |R + sum_k u_k|^2 - 1/(2 C2) sum_k |u_k|^2,   u_k = sum_m lambda_km u_km
 *
 * where R is the contribution of those who did not answer. Block by block: with w fixed but for its own part, a
 * participant's block is a tiny QP over its Gram matrix of atoms, solved by pairwise steps (weight moves from the worst
 * atom that has some to the best one); then w follows. Every step raises the value, so stopping anywhere is safe.
 */
import { addScaled, dot } from './vector.ts';

export interface Block {
  /** s of each atom, the committed solution first. */
  readonly s: readonly number[];
  /** u of each atom. */
  readonly u: readonly Float64Array[];
  /** Weights: in, the start; out, the solution. */
  readonly weights: number[];
}

/** Weight moves within a block before the next block has its turn. */
const PAIR_STEPS = 8;
/** A sweep that adds less than this share of what all sweeps have added is the last one. */
const ENOUGH = 1e-5;
/** Less than this share of the dual's size is rounding, not progress. */
const ROUNDING = 1e-15;

/** Changes `w` and the weights of the blocks in place; returns the sweeps made. */
export function ascendSimplices(
  w: Float64Array,
  blocks: readonly Block[],
  c2: number,
  sweeps: number,
): number {
  const improvers = blocks.map((block) => new BlockImprover(block, c2));
  const nothing = ROUNDING * sizeOf(blocks);
  let total = 0;
  let sweep = 0;
  while (sweep < sweeps) {
    sweep++;
    let gain = 0;
    for (const improver of improvers) gain += improver.improve(w);
    total += gain;
    if (gain <= Math.max(ENOUGH * total, nothing)) break;
  }
  return sweep;
}

/** How large the numbers are that the dual is made of. */
function sizeOf(blocks: readonly Block[]): number {
  return blocks.reduce(
    (sum, { s }) => sum + s.reduce((most, value) => Math.max(most, Math.abs(value)), 0),
    0,
  );
}

/** One participant's simplex. */
class BlockImprover {
  private readonly block: Block;
  private readonly c2: number;
  /** u_i . u_j of the atoms, m x m. */
  private readonly gram: Float64Array;
  private readonly slope: Float64Array;
  private readonly before: Float64Array;

  constructor(block: Block, c2: number) {
    this.block = block;
    this.c2 = c2;
    const m = block.u.length;
    this.gram = new Float64Array(m * m);
    for (let i = 0; i < m; i++) {
      for (let j = 0; j <= i; j++) this.gram[i * m + j] = this.gram[j * m + i] = dot(block.u[i], block.u[j]);
    }
    this.slope = new Float64Array(m);
    this.before = new Float64Array(m);
  }

  /** Some pairwise steps, then w follows; returns the rise of the dual. */
  improve(w: Float64Array): number {
    const { weights, u } = this.block;
    const { before } = this;
    before.set(weights);
    this.computeSlopes(w);
    let gain = 0;
    for (let step = 0; step < PAIR_STEPS; step++) {
      const rise = this.moveWeight();
      if (!(rise > 0)) break;
      gain += rise;
    }
    if (gain > 0) {
      for (let i = 0; i < u.length; i++) {
        if (weights[i] !== before[i]) addScaled(w, weights[i] - before[i], u[i]);
      }
    }
    return gain;
  }

  /** Gradient of the dual by each weight: s_m - u_m.w - u_m.u_k / C2. */
  private computeSlopes(w: Float64Array): void {
    const { s, u, weights } = this.block;
    const m = u.length;
    for (let i = 0; i < m; i++) {
      let own = 0;
      for (let j = 0; j < m; j++) own += weights[j] * this.gram[i * m + j];
      this.slope[i] = s[i] - dot(u[i], w) - own / this.c2;
    }
  }

  /** Moves weight from the worst atom that has some to the best one, as far as it pays; returns the rise. */
  private moveWeight(): number {
    const { slope, gram } = this;
    const { weights } = this.block;
    const m = slope.length;
    let best = 0;
    let worst = -1;
    for (let i = 0; i < m; i++) {
      if (slope[i] > slope[best]) best = i;
      if (weights[i] > 0 && (worst < 0 || slope[i] < slope[worst])) worst = i;
    }
    const difference = slope[best] - slope[worst];
    if (!(difference > 0)) return 0;
    const distance = gram[best * m + best] + gram[worst * m + worst] - 2 * gram[best * m + worst];
    const curvature = distance * (1 + 1 / this.c2);
    const all = weights[worst];
    const move = curvature > 0 ? Math.min(all, difference / curvature) : all;
    weights[best] += move;
    weights[worst] = move === all ? 0 : all - move;
    const c = move * (1 + 1 / this.c2);
    for (let i = 0; i < m; i++) slope[i] -= c * (gram[i * m + best] - gram[i * m + worst]);
    return move * (difference - (move * curvature) / 2);
  }
}
