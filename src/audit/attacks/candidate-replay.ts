/**
 * What a candidate participant would have sent, round after round, and how far that is from what was seen.
 *
 *   none        no masks: the solve's own duals are sent and, where they are accepted, committed
 *   paper       Bernoulli masks, and the participant goes on from its unmasked step: its state does not depend on them
 *   consistent  Bernoulli masks, and the masked duals are the answer
 *
 * Masks are not given: in every round the subset of rows that explains the change best is taken.
 */
import type { MaskSemantics } from '../../privacy/masks.ts';
import { dot, plusScaled } from '../../solver/vector.ts';
import { type Candidate, CandidateSolver, type ObservedSolve } from './candidate.ts';
import type { KnownSettings } from './observation.ts';

export type Masking = 'none' | MaskSemantics;

interface ReplayedRound {
  readonly round: number;
  readonly du: Float64Array;
  readonly ds: number;
  /** With answers of the model (w, u / C2), with steps of the one that the round began with. */
  readonly loss: number;
  /** 1 kept, 0 masked; undefined: no masks are assumed, or there are too many rows to try. */
  readonly mask: Uint8Array | undefined;
}

export function replayCandidate(
  settings: KnownSettings,
  solves: readonly ObservedSolve[],
  candidate: Candidate,
  masking: Masking,
) {
  const solver = new CandidateSolver(settings, candidate);
  let beta: Float64Array = new Float64Array(solver.n);
  const rounds: ReplayedRound[] = [];
  for (const solve of solves) {
    // What was sent is the exact u; but under the paper's masks only the candidate's own is the one it computes with.
    const u = masking === 'paper' ? solver.combine(beta) : solve.before;
    const solved = solver.solve(solve, u, beta);
    const mask = masking === 'none' ? undefined : maskOf(solver, solve, beta, solved);
    const sent = mask ? solved.map((value, i) => (mask.mask[i] ? value : beta[i])) : solved;
    const du = solver.combine(sent.map((value, i) => value - beta[i]));
    const answered = settings.training === 'answers' ? plusScaled(u, 1, du) : u;
    rounds.push({
      round: solve.round,
      du,
      ds: solver.dualSum(sent) - solver.dualSum(beta),
      loss: solver.loss(plusScaled(solve.w, 1 / settings.c2, answered)),
      mask: mask?.mask,
    });
    const { taken } = solve;
    if (taken === undefined) continue;
    const kept = masking === 'consistent' ? sent : solved;
    beta = taken === 1 ? kept : beta.map((value, i) => value + taken * (kept[i] - value));
  }
  // u: the participant's own after the last of them.
  return { rounds, u: solver.combine(beta) };
}

function maskOf(solver: CandidateSolver, solve: ObservedSolve, before: Float64Array, after: Float64Array) {
  const parts = Array.from(after, (value, i) => solver.row(i).map((x) => x * (value - before[i])));
  return nearestSubset(parts, solve.du);
}

/** Vectors that differ from zero, at most. */
export const MOST = 24;

/**
 * The subset of some vectors whose sum is nearest to a given one, one entry for each vector: 1 kept, 0 left out. Every subset is
 * tried, in Gray-code order, so each costs one addition of a vector. 2^20 subsets take a moment, 2^24 some seconds; beyond MOST
 * nothing is tried. (Meeting in the middle would double the exponent, for exact sums.)
 */
export function nearestSubset(parts: readonly Float64Array[], target: Float64Array) {
  const live = parts.map((_, i) => i).filter((i) => parts[i].some((value) => value !== 0));
  if (live.length > MOST) return undefined;
  const rest = target.slice();
  const kept = new Uint8Array(parts.length);
  let best = { squared: dot(rest, rest), mask: kept.slice() };
  for (let code = 1; code < 2 ** live.length; code++) {
    // The bit that a Gray code changes at this count.
    const i = live[31 - Math.clz32(code & -code)];
    kept[i] ^= 1;
    const part = parts[i];
    const sign = kept[i] === 1 ? -1 : 1;
    let squared = 0;
    for (let j = 0; j < rest.length; j++) {
      rest[j] += sign * part[j];
      squared += rest[j] * rest[j];
    }
    if (squared < best.squared) best = { squared, mask: kept.slice() };
  }
  // What leaves no trace counts as kept: its mask does not matter.
  for (let i = 0; i < parts.length; i++) if (!live.includes(i)) best.mask[i] = 1;
  return { mask: best.mask, residual: Math.sqrt(best.squared) };
}
