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

const PAIR_STEPS = 30;
/** A sweep that adds less than this share of what all sweeps have added is the last one. */
const ENOUGH = 1e-5;

/** Changes `w` and the weights of the blocks in place; returns the sweeps made. */
export function ascendSimplices(
  w: Float64Array,
  blocks: readonly Block[],
  c2: number,
  sweeps: number,
): number {
  const grams = blocks.map(atomGram);
  let total = 0;
  let sweep = 0;
  while (sweep < sweeps) {
    sweep++;
    let gain = 0;
    for (let b = 0; b < blocks.length; b++) gain += improveBlock(w, blocks[b], grams[b], c2);
    total += gain;
    if (gain <= ENOUGH * total) break;
  }
  return sweep;
}

function atomGram(block: Block): Float64Array {
  const m = block.u.length;
  const gram = new Float64Array(m * m);
  for (let i = 0; i < m; i++) {
    for (let j = 0; j <= i; j++) gram[i * m + j] = gram[j * m + i] = dot(block.u[i], block.u[j]);
  }
  return gram;
}

/** Pairwise steps within one block, then w follows; returns the rise of the dual. */
function improveBlock(w: Float64Array, block: Block, gram: Float64Array, c2: number): number {
  const { s, u, weights } = block;
  const m = u.length;
  const before = [...weights];
  // Gradient of the dual by each weight: s_m - u_m.w - u_m.u_k / C2.
  const slope = new Float64Array(m);
  for (let i = 0; i < m; i++) {
    let own = 0;
    for (let j = 0; j < m; j++) own += weights[j] * gram[i * m + j];
    slope[i] = s[i] - dot(u[i], w) - own / c2;
  }
  let gain = 0;
  for (let step = 0; step < PAIR_STEPS; step++) {
    let best = 0;
    let worst = -1;
    for (let i = 0; i < m; i++) {
      if (slope[i] > slope[best]) best = i;
      if (weights[i] > 0 && (worst < 0 || slope[i] < slope[worst])) worst = i;
    }
    const difference = slope[best] - slope[worst];
    const distance = gram[best * m + best] + gram[worst * m + worst] - 2 * gram[best * m + worst];
    const curvature = distance * (1 + 1 / c2);
    if (!(difference > 0)) break;
    const move = curvature > 0 ? Math.min(weights[worst], difference / curvature) : weights[worst];
    const rise = move * (difference - (move * curvature) / 2);
    if (!(rise > 0)) break;
    gain += rise;
    weights[best] = weights[best] + move;
    weights[worst] = move === weights[worst] ? 0 : weights[worst] - move;
    const c = move * (1 + 1 / c2);
    for (let i = 0; i < m; i++) slope[i] = slope[i] - c * (gram[i * m + best] - gram[i * m + worst]);
  }
  if (gain > 0)
    for (let i = 0; i < m; i++) if (weights[i] !== before[i]) addScaled(w, weights[i] - before[i], u[i]);
  return gain;
}
