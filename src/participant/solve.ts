/** Carries out a `solve` effect on a participant's rows: what a worker, a simulator and a test have in common. */
import type { Precision } from '../protocol/index.ts';
import {
  dot,
  examine,
  LocalSolve,
  newMember,
  plusScaled,
  proposalOf,
  type Shard,
  type Update,
} from '../solver/index.ts';
import type { SolveRequest, SolveResult } from './effects.ts';

/** How much of the solve there is time for. */
export interface Effort {
  readonly passes: number;
  /** Rows of one more pass. */
  readonly rows: number;
}

export type SolveOutcome = Omit<SolveResult, 'computeMs'>;

export function carryOut(
  shard: Shard,
  request: SolveRequest,
  precision: Precision,
  effort: Effort,
): SolveOutcome {
  const { round, w } = request;
  const committed = request.committed ?? newMember(shard).committed;
  const scalars = examine(shard, { committed, atoms: [] }, w);
  if (request.purpose === 'certify') return { round, scalars, committed, proposal: undefined, passes: 0 };
  if (request.unfinished) goOnFrom(shard, request, committed.u, committed.beta, request.unfinished);
  const solve = new LocalSolve(shard, request);
  solve.runPasses(Math.min(request.passes, effort.passes));
  if (!solve.done && solve.passes < request.passes) solve.partOfPass(effort.rows);
  const { update, state } = proposalOf(shard, { committed, atoms: [] }, 1);
  const proposal = { update, atom: state.atoms[0] };
  const sent = precision === 'f32' ? rounded(proposal, committed.u) : proposal;
  return { round, scalars, committed, proposal: sent, passes: solve.passes };
}

/** Margins at the unfinished duals: z moves by q (u' - u), as it did in the solve that was cut short. */
function goOnFrom(
  shard: Shard,
  { w, sigma }: SolveRequest,
  u: Float64Array,
  beta: Float64Array,
  unfinished: Float64Array,
): void {
  const inverse = 1 / shard.settings.c2;
  const du = shard.combine(unfinished.map((value, i) => value - beta[i]));
  const z = plusScaled(plusScaled(w, inverse, u), sigma + inverse, du);
  shard.load(unfinished, z);
}

/** What f32 leaves of an update is the update: both sides go on with it. */
function rounded(proposal: NonNullable<SolveOutcome['proposal']>, u: Float64Array): typeof proposal {
  const du = proposal.update.du.map(Math.fround);
  const update: Update = { ...proposal.update, du, uDotDu: dot(u, du), duNorm2: dot(du, du) };
  return { update, atom: { ...proposal.atom, u: plusScaled(u, 1, du) } };
}
