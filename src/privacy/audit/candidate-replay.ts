/**
 * What a candidate participant would have sent, round after round, and how far that is from what was seen.
 *
 *   none        no masks: the solve's own step is sent and, by the coordinator's weights, committed
 *   paper       Bernoulli masks, and the participant goes on from its unmasked step: its state does not depend on them
 *   consistent  Bernoulli masks, and the masked step is the step
 *
 * Masks are not given: in every round the subset of rows that explains the update best is taken (mask-search.ts).
 */

import { plusScaled } from '../../solver/index.ts';
import type { MaskSemantics } from '../masks.ts';
import { type Candidate, CandidateSolver, type ObservedSolve } from './candidate.ts';
import { nearestSubset } from './mask-search.ts';
import type { KnownSettings } from './observation.ts';
import { combined } from './told.ts';

export type Masking = 'none' | MaskSemantics;

export interface ReplayedRound {
  readonly round: number;
  readonly du: Float64Array;
  readonly ds: number;
  /** Of the model that the round began with. */
  readonly loss: number;
  /** 1 kept, 0 masked; undefined: no masks are assumed, or there are too many rows to try. */
  readonly mask: Uint8Array | undefined;
  readonly rivals: number;
}

export interface Replay {
  readonly rounds: readonly ReplayedRound[];
  /** The participant's own u_k after the last of them. */
  readonly u: Float64Array;
  readonly beta: Float64Array;
}

/** Two updates closer than this are the same. */
const SAME = 1e-6;

export function replayCandidate(
  settings: KnownSettings,
  solves: readonly ObservedSolve[],
  candidate: Candidate,
  masking: Masking,
): Replay {
  const solver = new CandidateSolver(settings, candidate);
  let beta = new Float64Array(solver.n);
  let atoms: Float64Array[] = [];
  const rounds: ReplayedRound[] = [];
  for (const solve of solves) {
    const { weights } = solve.round;
    // What was told is the exact u; but under the paper's masks only the candidate's own is the one it computes with.
    const u = masking === 'paper' ? solver.combine(beta) : solve.told;
    const solved = solver.solve(solve, u, beta);
    const mask = masking === 'none' ? undefined : maskOf(solver, solve, beta, solved);
    const sent = mask ? solved.map((value, i) => (mask.mask[i] ? value : beta[i])) : solved;
    rounds.push({
      round: solve.round.round,
      du: solver.combine(sent.map((value, i) => value - beta[i])),
      ds: solver.dualSum(sent) - solver.dualSum(beta),
      loss: solver.loss(plusScaled(solve.round.w, 1 / settings.c2, u)),
      mask: mask?.mask,
      rivals: mask?.rivals ?? 0,
    });
    if (!weights) continue;
    atoms = [...atoms, masking === 'consistent' ? sent : solved].slice(1 - weights.length);
    beta = Float64Array.from(combined(weights, [beta, ...atoms]));
  }
  return { rounds, u: solver.combine(beta), beta };
}

function maskOf(
  solver: CandidateSolver,
  { round }: ObservedSolve,
  before: Float64Array,
  after: Float64Array,
) {
  const parts = Array.from(after, (value, i) => solver.row(i).map((x) => x * (value - before[i])));
  return nearestSubset(parts, round.du, SAME);
}
