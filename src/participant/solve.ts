/** Carries out a `solve` effect on a participant's rows: what a worker, a simulator and a test have in common. */
import type { Stream } from '../base/random.ts';
import { towardZero } from '../privacy/dp/index.ts';
import { drawMask, maskedProposal, type Proposal } from '../privacy/index.ts';
import { type FederationSettings, type SecureSettings, toGrid } from '../protocol/index.ts';
import {
  dot,
  examine,
  LocalSolve,
  newMember,
  plusScaled,
  proposalOf,
  type Shard,
  type Solution,
  toldOf,
  type Update,
} from '../solver/index.ts';
import type { SolveRequest, SolveResult } from './effects.ts';
import { clipped, withNoise, withoutScalars } from './private-step.ts';

/** Makes as many passes as there is time for, up to `most` or until solved: decided while it solves, or known before. */
export type Effort = (solve: LocalSolve, most: number) => void;

/** So many passes, and so many rows of one more. */
export function planned(passes: number, rows = 0): Effort {
  return (solve, most) => {
    solve.runPasses(Math.min(most, passes));
    if (!solve.done && solve.passes < most) solve.partOfPass(rows);
  };
}

export type SolveOutcome = Omit<SolveResult, 'computeMs'>;

/** `secret` is for masks: a stream that nobody else can derive, new for every call outside a simulation. */
export function carryOut(
  shard: Shard,
  request: SolveRequest,
  settings: Pick<FederationSettings, 'precision' | 'mask' | 'dp' | 'secure'>,
  effort: Effort,
  secret: () => Stream,
): SolveOutcome {
  const outcome = solved(shard, request, settings, effort, secret);
  return settings.dp ? withoutScalars(outcome) : outcome;
}

function solved(...[shard, request, settings, effort, secret]: Parameters<typeof carryOut>): SolveOutcome {
  const { round, w } = request;
  const { precision, mask, dp } = settings;
  const committed = request.committed ?? newMember(shard).committed;
  const scalars = examine(shard, { committed, atoms: [] }, w);
  if (request.purpose === 'certify') return { round, scalars, committed, proposal: undefined, passes: 0 };
  if (request.unfinished) goOnFrom(shard, request, committed.u, committed.beta, request.unfinished);
  const solve = new LocalSolve(shard, request);
  effort(solve, request.passes);
  const whole = proposed(shard, committed, mask, secret);
  const proposal = dp ? clipped(shard, committed, whole, dp, precision) : whole;
  const sent = withShare(asSent(proposal, committed, settings), settings, secret);
  return { round, scalars, committed, proposal: sent, passes: solve.passes };
}

/** What the wire or the grid of a sum leaves of an update. */
function asSent(
  proposal: Proposal,
  committed: Solution,
  { precision, secure, dp }: Pick<FederationSettings, 'precision' | 'secure' | 'dp'>,
): Proposal {
  // Under differential privacy no step may become longer by rounding.
  if (secure) return rounded(proposal, committed, (du) => (dp ? inwards : toGrid)(du, secure));
  return precision === 'f32' ? rounded(proposal, committed, (du) => du.map(Math.fround)) : proposal;
}

function inwards(du: Float64Array, { scaleBits }: SecureSettings): Float64Array {
  return Float64Array.from(towardZero(du, scaleBits), (steps) => Number(steps) / 2 ** scaleBits);
}

/** The noise of a secret sum comes from those who are summed. */
function withShare(
  proposal: Proposal,
  { dp, secure }: Pick<FederationSettings, 'dp' | 'secure'>,
  secret: () => Stream,
): Proposal {
  if (!secure || dp?.honest === undefined) return proposal;
  return withNoise(proposal, { ...dp, honest: dp.honest }, secure, secret());
}

function proposed(
  shard: Shard,
  committed: Solution,
  mask: FederationSettings['mask'],
  secret: () => Stream,
): Proposal {
  if (mask) return maskedProposal(shard, committed, mask.semantics, drawMask(mask, shard.n, secret()));
  const { update, state } = proposalOf(shard, { committed, atoms: [] }, 1);
  return { update, atom: state.atoms[0] };
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

/** What rounding leaves of an update is the update: both sides go on with it. */
function rounded(
  { update: exact, atom }: Proposal,
  committed: Solution,
  round: (du: Float64Array) => Float64Array,
): Proposal {
  const du = round(exact.du);
  const { u } = toldOf(committed);
  const update: Update = { ...exact, du, uDotDu: dot(u, du), duNorm2: dot(du, du) };
  const after = plusScaled(u, 1, du);
  return { update, atom: atom.told ? { ...atom, told: { ...atom.told, u: after } } : { ...atom, u: after } };
}
