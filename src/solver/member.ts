/**
 * A participant's side of the method, without any messages: what it holds, what it proposes in a round, and what it
 * holds after it has been told which part of the proposal was accepted.
 *
 * The outcome of a round is a list of weights, one for the committed solution and one for each atom (the last local
 * solutions, oldest first, the newest last). They are not negative and add up to 1, so the result is feasible whatever
 * the aggregation rule was.
 */
import { invariant } from '../base/errors.ts';
import type { MemberScalars } from './certificate.ts';
import { LocalSolve } from './local-solve.ts';
import { dualSum } from './problem.ts';
import type { Shard } from './shard.ts';
import { dot, plusScaled, weightedSum } from './vector.ts';

/** A solution of a participant's part: its dual variables, u = sum_i beta_i x_i and s = sum_i s(beta_i). */
export interface Solution {
  readonly beta: Float64Array;
  readonly u: Float64Array;
  readonly s: number;
  /** What the coordinator has been told instead of u and s, where that is something else: the paper's masking. */
  readonly told?: Told;
}

export interface Told {
  readonly u: Float64Array;
  readonly s: number;
}

/** A solution as the coordinator knows it: the part of w that comes from here. */
export function toldOf(solution: Solution): Told {
  return solution.told ?? solution;
}

export interface MemberState {
  readonly committed: Solution;
  /** Earlier local solutions, oldest first. */
  readonly atoms: readonly Solution[];
}

/** What a participant sends: a change of u and the scalars that the aggregation rules need. */
export interface Update {
  readonly du: Float64Array;
  /** Change of sum_i s(beta_i). */
  readonly ds: number;
  readonly uDotDu: number;
  readonly duNorm2: number;
  /** sum_i s(beta_i) of the committed solution: exact, where a combination of atoms gives only a lower bound. */
  readonly s: number;
}

export interface ProposeOptions {
  readonly sigma: number;
  readonly tolerance: number;
  readonly passes: number;
  readonly seed: number;
  /** Atoms to keep beside the committed solution. */
  readonly atoms: number;
}

/** A participant that has contributed nothing yet, or starts from duals of a nearby problem. */
export function newMember(shard: Shard, near?: Float64Array): MemberState {
  const beta = shard.startingBeta(near);
  return { committed: { beta, u: shard.combine(beta), s: shard.dualSum(beta) }, atoms: [] };
}

/** Loads the shard with the model (w, u / C2) and says how good it is; `propose` goes on from there. */
export function examine(shard: Shard, state: MemberState, w: Float64Array): MemberScalars {
  const { beta, u } = state.committed;
  shard.load(beta, plusScaled(w, 1 / shard.settings.c2, u));
  return { loss: shard.loss(), dualSum: toldOf(state.committed).s, uNorm2: dot(u, u) };
}

/** Solves locally from the examined state. The returned state is provisional until `commit`. */
export function propose(
  shard: Shard,
  state: MemberState,
  options: ProposeOptions,
): { update: Update; state: MemberState; passes: number } {
  const solve = new LocalSolve(shard, options);
  solve.runPasses(options.passes);
  return { ...proposalOf(shard, state, options.atoms), passes: solve.passes };
}

/** The update that a beta amounts to, by default the shard's present one: after a whole solve, or after any pass of it. */
export function proposalOf(
  shard: Shard,
  state: MemberState,
  atoms: number,
  beta = shard.beta,
): { update: Update; state: MemberState } {
  const { committed } = state;
  const du = shard.combine(beta.map((value, i) => value - committed.beta[i]));
  const s = shard.dualSum(beta);
  const atom = { beta, u: plusScaled(committed.u, 1, du), s };
  const kept = [...state.atoms, atom].slice(-atoms);
  return {
    update: { du, ds: s - committed.s, uDotDu: dot(committed.u, du), duNorm2: dot(du, du), s: committed.s },
    state: { committed, atoms: kept },
  };
}

/** What it takes to commit: the targets and the boxes, no rows. A shard has it all. */
export type CommitContext = Pick<Shard, 'y' | 'low' | 'high'> & {
  readonly settings: { readonly epsilon: number };
};

/** Takes over the outcome of a round: weights for the committed solution and for each atom. */
export function commit(context: CommitContext, state: MemberState, weights: readonly number[]): MemberState {
  const parts = [state.committed, ...state.atoms];
  invariant(
    weights.length === parts.length,
    `commit: expected ${parts.length} weights, got ${weights.length}`,
  );
  const only = weights.indexOf(1);
  if (only >= 0) return { committed: parts[only], atoms: state.atoms };
  const combination = (of: (part: Solution) => Float64Array) => weightedSum(weights, parts.map(of));
  const beta = intoBox(
    context,
    combination((part) => part.beta),
  );
  const u = combination((part) => part.u);
  const s = dualSum(context.settings.epsilon, context.y, beta);
  return { committed: { beta, u, s, ...combinedWords(weights, parts) }, atoms: state.atoms };
}

/** What has been told is combined as the coordinator combines it. */
function combinedWords(weights: readonly number[], parts: readonly Solution[]): { told?: Told } {
  if (!parts.some((part) => part.told)) return {};
  const told = parts.map(toldOf);
  const s = told.reduce((sum, part, m) => sum + weights[m] * part.s, 0);
  const u = weightedSum(
    weights,
    told.map((part) => part.u),
  );
  return { told: { u, s } };
}

/** A convex combination leaves the box by rounding at most; a bound must be met exactly for shrinking to see it. */
function intoBox({ low: lows, high: highs }: CommitContext, beta: Float64Array): Float64Array {
  for (let i = 0; i < beta.length; i++) {
    const low = lows[i];
    const high = highs[i];
    const slack = 1e-14 * (high - low);
    if (beta[i] <= low + slack) beta[i] = low;
    else if (beta[i] >= high - slack) beta[i] = high;
  }
  return beta;
}
