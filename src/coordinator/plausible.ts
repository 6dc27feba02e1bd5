/**
 * What an answer says of itself, held against what the coordinator knows: the update, the sender's u (the sum of what was
 * taken from it so far) and the box of its duals. A liar who is consistent passes; a mistake, or a liar who is not, does not.
 *
 * Nor do numbers that no data give. They are finite, but their sums and squares need not be, and a coordinator that cannot say what
 * comes out would fall by the word of one participant.
 */
import type { Moments, Report, UpdateMessage } from '../protocol/index.ts';
import { dot } from '../solver/index.ts';
import { localProblem } from './combining.ts';
import type { CoordinatorState, Member } from './state.ts';

/** Relative; sums in another order, and a state combined on either side, explain far less. */
const TOLERANCE = 1e-6;
/** For numbers that have cancelled to nothing but rounding. */
const ROUNDING = 1e-12;
/** Of an update: participants compute with it in single precision, which ends at 3e38. */
const LONGEST = 1e30;
/** Of any other number: sums of millions of its squares are finite. */
const LARGEST = 1e100;

/** What cannot be of somebody's rows: one that is not refused could leave everybody without a scaling. */
export function implausibleMoments({ mean, m2 }: Moments): string | undefined {
  const far = mean.find((value) => Math.abs(value) > LARGEST);
  if (far !== undefined) return `moments: expected means of at most ${LARGEST}, got ${far}`;
  const wrong = m2.find((value) => !(value >= 0 && value <= LARGEST ** 2));
  if (wrong === undefined) return undefined;
  return `moments: expected squared deviations from 0 to ${LARGEST ** 2}, got ${wrong}`;
}

/** What cannot be, in words; undefined: nothing that could be seen. */
export function implausible(
  state: CoordinatorState,
  member: Member,
  answer: UpdateMessage | Report,
): string | undefined {
  const { dp, mask } = state.options;
  const { u } = state.aggregator!.members.get(member.index)!;
  const huge = tooLarge(answer);
  if (huge) return huge;
  if (answer.kind === 'update') {
    const wrong = wrongNorm(answer) ?? (dp ? undefined : wrongAngle(answer, u));
    if (wrong) return wrong;
  }
  // Under differential privacy nothing is told.
  if (dp) return undefined;
  const { loss, uNorm2 } = answer.scalars;
  if (loss < 0) return `${answer.kind}: expected a loss of at least 0, got ${loss}`;
  // With the paper's masking a participant's own u and s are not those it has told.
  if (mask?.semantics === 'paper') return undefined;
  const known = dot(u, u);
  if (!near(uNorm2, known, known)) return `${answer.kind}: expected |u|^2 = ${known}, got ${uNorm2}`;
  return outOfBox(state, member, answer);
}

function tooLarge(answer: UpdateMessage | Report): string | undefined {
  const { loss, dualSum } = answer.scalars;
  const said = answer.kind === 'update' ? [loss, dualSum, answer.ds] : [loss, dualSum];
  const huge = said.find((value) => Math.abs(value) > LARGEST);
  return huge === undefined ? undefined : `${answer.kind}: expected at most ${LARGEST}, got ${huge}`;
}

function wrongNorm({ du, duNorm2 }: UpdateMessage): string | undefined {
  const norm2 = dot(du, du);
  if (!(norm2 <= LONGEST ** 2)) return `update: expected |du| of at most ${LONGEST}, got ${Math.sqrt(norm2)}`;
  const good = Math.abs(norm2 - duNorm2) <= TOLERANCE * Math.max(norm2, ROUNDING);
  return good ? undefined : `update: expected |du|^2 = ${norm2}, got ${duNorm2}`;
}

function wrongAngle({ du, duNorm2, uDotDu }: UpdateMessage, u: Float64Array): string | undefined {
  const product = dot(u, du);
  const good = near(uDotDu, product, Math.sqrt(dot(u, u) * duNorm2));
  return good ? undefined : `update: expected u.du = ${product}, got ${uDotDu}`;
}

/** Of classification: 0 <= s <= C1 sum_i c_i, and balanced weights add up to at most n. For regression s knows no bounds. */
function outOfBox(
  { options }: CoordinatorState,
  { rows }: Member,
  answer: UpdateMessage | Report,
): string | undefined {
  if (options.objective !== 'classification') return undefined;
  const most = localProblem(options).c1 * rows;
  const { dualSum } = answer.scalars;
  const sums = answer.kind === 'update' ? [dualSum, dualSum + answer.ds] : [dualSum];
  const wrong = sums.find((s) => !(s >= -TOLERANCE * most && s <= (1 + TOLERANCE) * most));
  return wrong === undefined
    ? undefined
    : `${answer.kind}: expected a dual sum from 0 to ${most}, got ${wrong}`;
}

function near(value: number, expected: number, scale: number): boolean {
  return Math.abs(value - expected) <= TOLERANCE * scale + ROUNDING;
}
