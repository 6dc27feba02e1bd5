/** Carries out a `solve` effect on a participant's rows: what a thread, a web worker, a simulator and a test have in common. */
import type { Stream } from '../base/random.ts';
import { clippedStep } from '../privacy/dp/clip.ts';
import { drawNoise, gridBits, noiseOfShare, stepOnGrid } from '../privacy/dp/grid.ts';
import { drawMask, maskedDuals, maskedStep } from '../privacy/masks.ts';
import { toGrid } from '../protocol/sum-grid.ts';
import type { FederationSettings } from '../settings/wire.ts';
import { answerWith, loadQuery, withVector } from '../solver/answer.ts';
import { LocalSolve } from '../solver/local-solve.ts';
import { examine, newMember, type Solution, sentPart, solutionOf } from '../solver/member.ts';
import type { Shard } from '../solver/shard.ts';
import { plusScaled } from '../solver/vector.ts';
import type { SolveRequest, SolveResult } from './effects.ts';

/**
 * A solve that can be put aside between passes, for a thread that has other things to do. It yields how many milliseconds it would rest
 * before it goes on: 0, unless it pretends to be slow.
 */
export type Resumable<T> = Generator<number, T, void>;

/** Without a break. `rest` may come back early. */
export function toEnd<T>(solving: Resumable<T>, rest?: (ms: number) => void): T {
  let step = solving.next();
  while (!step.done) {
    if (step.value > 0) rest?.(step.value);
    step = solving.next();
  }
  return step.value;
}

/** Makes as many passes as there is time for, up to `most` or until solved: decided while it solves, or known before. */
export type Effort = (solve: LocalSolve, most: number) => Resumable<void>;

/** So many passes, and so many rows of one more. */
export function planned(passes: number, rows = 0): Effort {
  return function* (solve, most) {
    while (!solve.done && solve.passes < Math.min(most, passes)) {
      solve.pass();
      yield 0;
    }
    if (!solve.done && solve.passes < most) solve.partOfPass(rows);
  };
}

type SolveOutcome = Omit<SolveResult, 'computeMs'>;
type SolveSettings = Pick<FederationSettings, 'training' | 'precision' | 'mask' | 'dp' | 'secure'>;

/** `secret` is for masks: a stream that nobody else can derive, new for every call outside a simulation. */
export function carryOut(
  shard: Shard,
  request: SolveRequest,
  settings: SolveSettings,
  effort: Effort,
  secret: () => Stream,
): Resumable<SolveOutcome> {
  const answers = settings.training === 'answers' || request.purpose === 'personalise';
  return (answers ? answered : stepped)(shard, request, settings, effort, secret);
}

/** The best personal part to w. */
function* answered(
  ...[shard, request, settings, effort, secret]: Parameters<typeof carryOut>
): Resumable<SolveOutcome> {
  const { round, purpose, w, committed } = request;
  const before = fitting(shard, committed?.beta);
  const start = shard.startingBeta(fitting(shard, request.warm) ?? before);
  loadQuery(shard, w, { beta: start });
  const solve = new LocalSolve(shard, request);
  yield* effort(solve, request.passes);
  const { mask } = purpose === 'personalise' ? { mask: undefined } : settings;
  const solved = shard.beta;
  const beta = mask
    ? maskedDuals(before ?? shard.startingBeta(), solved, drawMask(mask, shard.n, secret()))
    : solved;
  const own = mask && shard.combine(solved);
  const { u, scalars } = answerWith(shard, w, beta);
  const sent = rounded(u, settings);
  const exact = { beta, u: sent, s: scalars.dualSum };
  return {
    round,
    purpose,
    solution: exact,
    scalars: withVector(scalars, w, sent),
    ...(own && { own }),
    committed: committed ?? { beta: new Float64Array(0), u: new Float64Array(u.length), s: 0 },
    passes: solve.passes,
  };
}

/** A step from the committed duals, and how good the model was before it. */
function* stepped(
  ...[shard, request, settings, effort, secret]: Parameters<typeof carryOut>
): Resumable<SolveOutcome> {
  const { round, purpose, w } = request;
  const { dp, mask } = settings;
  const committed = request.committed ?? newMember(shard);
  const seen = examine(shard, committed, w);
  // The scalars are functions of the same private rows, and no noise is added to them.
  const scalars = dp ? { loss: 0, dualSum: 0, uNorm2: 0, wDotU: 0 } : seen;
  if (purpose === 'certify') return { round, purpose, scalars, committed, solution: committed, passes: 0 };
  if (request.warm) goOnFrom(shard, request, committed, request.warm);
  const solve = new LocalSolve(shard, request);
  yield* effort(solve, request.passes);
  const whole = mask
    ? maskedStep(shard, committed, mask.semantics, drawMask(mask, shard.n, secret()))
    : solutionOf(shard);
  const solution = dp ? clippedStep(shard, committed, whole, dp.clip) : whole;
  const sent = roundedStep(committed, solution, settings);
  const noise = noiseShare(sent.u.length, settings, secret);
  return {
    round,
    purpose,
    scalars,
    committed,
    solution: sent,
    passes: solve.passes,
    ...(noise && { noise }),
  };
}

/**
 * The noise on a secure sum comes from those who are summed; the own step stays as it was. On the grid, from a discrete Gaussian:
 * nothing is rounded after the noise.
 */
function noiseShare(
  d: number,
  { dp, secure }: SolveSettings,
  secret: () => Stream,
): Float64Array | undefined {
  if (!secure || dp?.honest === undefined) return undefined;
  return drawNoise(noiseOfShare(dp, d, secure), secret());
}

/** What the wire or the grid of a sum leaves of an answer is the answer: both sides go on with it. */
function rounded(u: Float64Array, { precision, secure }: SolveSettings): Float64Array {
  if (secure) return toGrid(u, secure);
  return precision === 'f32' ? u.map(Math.fround) : u;
}

/** As `rounded`; under differential privacy steps live on a grid, and none may become longer by that. */
function roundedStep(committed: Solution, solution: Solution, settings: SolveSettings): Solution {
  const { dp, secure } = settings;
  const before = sentPart(committed).u;
  const { u } = sentPart(solution);
  const step = dp && stepOnGrid(plusScaled(u, -1, before), dp.clip, gridBits(dp, secure));
  const sent = step ? plusScaled(before, 1, step) : rounded(u, settings);
  return solution.sent ? { ...solution, sent: { ...solution.sent, u: sent } } : { ...solution, u: sent };
}

/** Duals of other rows are of no use. */
function fitting(shard: Shard, beta: Float64Array | undefined): Float64Array | undefined {
  return beta?.length === shard.n ? beta : undefined;
}

/** Margins at unfinished duals: z moves by q (u' - u), as it did in the solve that was cut short. */
function goOnFrom(
  shard: Shard,
  { w, sigma }: SolveRequest,
  { u, beta }: Solution,
  unfinished: Float64Array,
): void {
  const inverse = 1 / shard.settings.c2;
  const du = shard.combine(unfinished.map((value, i) => value - beta[i]));
  const z = plusScaled(plusScaled(w, inverse, u), sigma + inverse, du);
  shard.load(unfinished, z);
}
