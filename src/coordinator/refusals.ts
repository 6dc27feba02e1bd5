/** Answers that cannot be taken: a bad peer is sent the reason and counted, and nothing else follows. */
import { clipFactor } from '../privacy/dp/clip.ts';
import { gridBits, isOnGrid } from '../privacy/dp/grid.ts';
import { headsBy } from '../protocol/agreement.ts';
import type { RejectCode } from '../protocol/codes.ts';
import type { AnswerMessage, Join, Moments } from '../protocol/messages.ts';
import { implausibleReport, type TestReport } from '../protocol/test-reports.ts';
import { boundsOf, type HeadScalars, headScalars } from '../solver/answer.ts';
import { lossOf } from '../solver/losses/losses.ts';
import { dot, norm, plusScaled } from '../solver/vector.ts';
import { ownProduct, without } from './claims.ts';
import type { CoordinatorEffect } from './effects.ts';
import type { Member } from './member.ts';
import type { CoordinatorOptions } from './options.ts';
import { sendFinish } from './sending.ts';
import type { CoordinatorState } from './state.ts';
import { combinerOf, contributionOf, inquiryOf, localProblem, sharedPart } from './training.ts';

export function refuse(
  state: CoordinatorState,
  to: string,
  code: RejectCode,
  message: string,
  session = 0,
): CoordinatorEffect {
  state.rejections.set(code, (state.rejections.get(code) ?? 0) + 1);
  return { type: 'send', to, message: { kind: 'reject', code, session, message } };
}

/**
 * From an earlier session, late on its way: nothing. From a new one, whose joining got lost: a refusal. After the end of training: the
 * end. Undefined: it is of the present session, and training goes on.
 */
export function outOfSession(
  state: CoordinatorState,
  member: Member,
  session: number,
): CoordinatorEffect[] | undefined {
  if (session < member.session) return [];
  if (session > member.session) {
    const sentence = `participant "${member.id}" has not joined in this session`;
    return [refuse(state, member.id, 'NOT_JOINED', sentence)];
  }
  return state.phase === 'finished' ? [sendFinish(state, member)] : undefined;
}

type Refusal = readonly [code: RejectCode, sentence: string];

/** What is wrong with an answer, apart from being late. */
export function refusalOfAnswer(
  state: CoordinatorState,
  member: Member,
  message: AnswerMessage,
): Refusal | undefined {
  const { round } = state;
  const d = sharedPart(state)?.length;
  // Nothing has been agreed on: the store is older than what it knows. It joins again, and starts over.
  if (d === undefined) return ['NOT_JOINED', 'answer: expected nothing before the first round; join again'];
  if (message.round > round) {
    return ['FUTURE_ROUND', `answer: expected at most round ${round}, got ${message.round}`];
  }
  if (message.round < round) return undefined;
  if (message.base !== member.accepted.round) {
    const expected = `one that replaces that of round ${member.accepted.round}`;
    return ['STATE_MISMATCH', `answer: expected ${expected}, got ${message.base}`];
  }
  const wrong = [message.u, message.previous].find((vector) => vector !== undefined && vector.length !== d);
  if (wrong) return ['WRONG_SHAPE', `answer: expected ${d} numbers, got ${wrong.length}`];
  const heads = inquiryOf(state) ? headsBy(state.agreement) : 1;
  const given = headScalars(message.scalars).length;
  if (given !== heads) return ['WRONG_SHAPE', `answer: expected scalars of ${heads} heads, got ${given}`];
  const report = message.tests && wrongReport(state, message.tests);
  if (report) return ['INFEASIBLE', report];
  const contradiction = implausible(state, member, message);
  if (contradiction) return ['INFEASIBLE', contradiction];
  return refusalOfSize(state, member, message) ?? refusalOfGrid(state, message);
}

/** What is reported of tests never touches training, but whoever reports nonsense is not to be believed in the rest either. */
function wrongReport({ options }: CoordinatorState, report: TestReport): string | undefined {
  if (options.dp) return 'answer: expected no tests with dp, got some';
  const wrong = implausibleReport(options.objective, report);
  return wrong && `answer: ${wrong}`;
}

/** Single precision on the way, and the last bit of a clipping, may lengthen a vector by so much of it. */
const CLIP_SLACK = 1e-6;

function refusalOfSize(state: CoordinatorState, member: Member, { u }: AnswerMessage): Refusal | undefined {
  const { dp, defence } = state.options;
  const most = Math.min(
    dp?.clip ?? Number.POSITIVE_INFINITY,
    defence?.refuseAbove ?? Number.POSITIVE_INFINITY,
  );
  if (most === Number.POSITIVE_INFINITY) return undefined;
  const before = contributionOf(state, member);
  const size = norm(before ? plusScaled(u, -1, before) : u);
  if (clipFactor(size, most * (1 + CLIP_SLACK)) === 1) return undefined;
  return ['TOO_LARGE', `answer: expected a change of norm at most ${most}, got ${size}`];
}

/** Under differential privacy sums are sums of integers, exact to the last bit. */
function refusalOfGrid({ options, members }: CoordinatorState, { u }: AnswerMessage): Refusal | undefined {
  const { dp } = options;
  if (!dp) return undefined;
  const bits = gridBits(dp);
  if (isOnGrid(u, bits, members.size)) return undefined;
  return [
    'INFEASIBLE',
    `answer: expected multiples of 2^-${bits}, small enough to be summed exactly, with dp`,
  ];
}

/**
 * What an answer claims, checked against what the coordinator knows: the vector, the query, the sender's earlier answers and the
 * box of its duals. Answers must be those of one convex function whose gradient changes no faster than C2 allows, so that a liar can
 * only misstate a problem of its own: it can neither cover the gaps of others nor make them seem small.
 *
 * Nor do numbers pass that no data give. They are finite, but their sums and squares need not be, and one participant could
 * bring down a coordinator that computes with them.
 */
/** Relative; sums in another order, single precision on the way, and a contribution that was rounded explain less. */
const TOLERANCE = 1e-5;
/** For numbers that have cancelled to nothing but rounding. */
const ROUNDING = 1e-9;
/** Of a contribution: participants compute with it in single precision, which ends at 3e38. */
const LONGEST = 1e30;
/** Of any other number: sums of millions of its squares are finite. */
const LARGEST = 1e100;
/** Of a feature, before it is scaled; nanoseconds since 1970 are 2e18. */
const LARGEST_FEATURE = 1e30;

/** More rows than the operator allows: what a participant may claim of its losses and duals goes with their number. */
export function implausibleJoin(
  { maxRows }: Pick<CoordinatorOptions, 'maxRows'>,
  { rows }: Join,
): string | undefined {
  return rows <= maxRows ? undefined : `join: expected at most ${maxRows} rows (maxRows), got ${rows}`;
}

/** What cannot be of somebody's rows: one that is not refused could leave everybody without a scaling. */
export function implausibleMoments({ count, mean, m2, target }: Moments, rows: number): string | undefined {
  if (count !== rows) return `moments: expected those of ${rows} rows, as on joining, got ${count}`;
  const means = target ? [...mean, target.mean] : mean;
  const far = means.find((value) => Math.abs(value) > LARGEST_FEATURE);
  if (far !== undefined) return `moments: expected means of at most ${LARGEST_FEATURE}, got ${far}`;
  // One row does not deviate from its own mean, and none from the mean of all by more than twice the largest value.
  const most = rows > 1 ? rows * (2 * LARGEST_FEATURE) ** 2 : 0;
  const wrong = (target ? [...m2, target.m2] : m2).find((value) => !(value >= 0 && value <= most));
  if (wrong === undefined) return undefined;
  return `moments: expected squared deviations of ${rows} rows from 0 to ${most}, got ${wrong}`;
}

/** What cannot be, as a sentence; undefined: nothing that could be seen. */
export function implausible(
  state: CoordinatorState,
  member: Member,
  answer: AnswerMessage,
): string | undefined {
  const { dp, mask } = state.options;
  const huge = tooLarge(answer);
  if (huge) return huge;
  // Under differential privacy no scalars are sent.
  if (dp) return undefined;
  const negative = headScalars(answer.scalars).find(({ loss }) => loss < 0);
  if (negative) return `answer: expected a loss of at least 0, got ${negative.loss}`;
  // With the paper's masking a participant's own u and s are not those it has sent.
  if (mask?.semantics === 'paper') return undefined;
  if (inquiryOf(state))
    return firstOf(claimsByHead(state, member, answer), (claim) => wrongClaim(state, claim));
  const { u } = combinerOf(state)!.members.get(member.index)!;
  return (
    wrongNorm(answer.scalars, u) ??
    outOfBox(state, headsBy(state.agreement) * member.rows, answer.scalars) ??
    negativeGap(state, member, answer)
  );
}

/** What an answer claims of one head, and what is known of it. */
interface HeadClaim {
  readonly rows: number;
  readonly u: Float64Array;
  readonly query: Float64Array;
  readonly scalars: HeadScalars;
  /** What was taken off its earlier claims. */
  readonly offset: number;
  readonly known: { readonly least: number; readonly most: number } | undefined;
}

function claimsByHead(state: CoordinatorState, member: Member, { u, scalars }: AnswerMessage): HeadClaim[] {
  const inquiry = inquiryOf(state)!;
  const { query } = inquiry;
  const bounds = inquiry.boundsOn(member.index);
  const columns = u.length / bounds.length;
  return headScalars(scalars).map((own, h) => {
    const [from, to] = [h * columns, (h + 1) * columns];
    return {
      rows: member.rows,
      u: u.subarray(from, to),
      query: query.subarray(from, to),
      scalars: own,
      offset: member.offset[h] ?? 0,
      known: bounds[h],
    };
  });
}

function wrongClaim(state: CoordinatorState, claim: HeadClaim): string | undefined {
  const { scalars, u, rows } = claim;
  return wrongNorm(scalars, u) ?? outOfBox(state, rows, scalars) ?? wrongValue(state, claim);
}

function firstOf<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found) return found;
  }
  return undefined;
}

function tooLarge({ u, scalars }: AnswerMessage): string | undefined {
  const norm2 = dot(u, u);
  if (!(norm2 <= LONGEST ** 2)) return `answer: expected |u| of at most ${LONGEST}, got ${Math.sqrt(norm2)}`;
  const claimed = headScalars(scalars).flatMap(({ loss, dualSum }) => [loss, dualSum]);
  const huge = claimed.find((value) => Math.abs(value) > LARGEST);
  return huge === undefined ? undefined : `answer: expected at most ${LARGEST}, got ${huge}`;
}

function wrongNorm(scalars: HeadScalars, u: Float64Array): string | undefined {
  const known = dot(u, u);
  if (near(scalars.uNorm2, known, known)) return undefined;
  return `answer: expected |u|^2 = ${known}, got ${scalars.uNorm2}`;
}

/** The sum of s in the box of the duals: C1 sum_i c_i times what the loss allows, and balanced weights add up to at most n. */
function outOfBox({ options }: CoordinatorState, rows: number, { dualSum }: HeadScalars): string | undefined {
  const { least, most } = lossOf(options).dualRange;
  const size = localProblem(options).c1 * rows;
  if (dualSum >= (least - TOLERANCE) * size && dualSum <= (most + TOLERANCE) * size) return undefined;
  return `answer: expected a dual sum from ${least * size} to ${most * size}, got ${dualSum}`;
}

/** With steps: more than the duals of any rows prove of such a loss. */
function negativeGap(
  state: CoordinatorState,
  member: Member,
  { scalars: { loss, dualSum } }: AnswerMessage,
): string | undefined {
  const product = ownProduct(state, member);
  if (product === undefined) return undefined;
  const scale = Math.abs(loss) + Math.abs(dualSum) + Math.abs(product);
  if (dualSum <= loss + product + TOLERANCE * scale + ROUNDING) return undefined;
  return `answer: expected a dual sum of at most ${loss + product}, by its loss, got ${dualSum}`;
}

/** The value at the query, between the answer's own cut and the bounds that its earlier answers give. */
function wrongValue({ options }: CoordinatorState, claim: HeadClaim): string | undefined {
  const { u, query, known } = claim;
  const scalars = without(claim.scalars, claim.offset);
  const { value, constant } = boundsOf(scalars, options.c2);
  const product = dot(query, u);
  const scale = Math.abs(value) + Math.abs(constant) + Math.abs(product);
  if (!near(scalars.wDotU, product, scale)) return `answer: expected w.u = ${product}, got ${scalars.wDotU}`;
  const own = constant - product;
  if (value < own - TOLERANCE * scale - ROUNDING) {
    return `answer: expected a value of at least ${own}, that of its own cut, got ${value}`;
  }
  if (!known) return undefined;
  if (value < known.least - TOLERANCE * scale - ROUNDING) {
    return `answer: expected a value of at least ${known.least} by its earlier answers, got ${value}`;
  }
  // An answer that was cut short is above its function, and so are the bounds it gives.
  const room = TOLERANCE * scale + ROUNDING + (value - own);
  if (value > known.most + room) {
    return `answer: expected a value of at most ${known.most} by its earlier answers, got ${value}`;
  }
  return undefined;
}

function near(value: number, expected: number, scale: number): boolean {
  return Math.abs(value - expected) <= TOLERANCE * scale + ROUNDING;
}
