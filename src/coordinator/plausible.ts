/**
 * What an answer says of itself, held against what the coordinator knows: the update, the sender's u (the sum of what was
 * taken from it so far) and the box of its duals. A liar who is consistent passes; a mistake, or a liar who is not, does not.
 */
import type { Report, UpdateMessage } from '../protocol/index.ts';
import { dot } from '../solver/index.ts';
import { localProblem } from './combining.ts';
import type { CoordinatorState, Member } from './state.ts';

/** Relative; sums in another order, and a state combined on either side, explain far less. */
const TOLERANCE = 1e-6;
/** For numbers that have cancelled to nothing but rounding. */
const ROUNDING = 1e-12;

/** What cannot be, in words; undefined: nothing that could be seen. */
export function implausible(
  state: CoordinatorState,
  member: Member,
  answer: UpdateMessage | Report,
): string | undefined {
  const { dp, mask } = state.options;
  const { u } = state.aggregator!.members.get(member.index)!;
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

function wrongNorm({ du, duNorm2 }: UpdateMessage): string | undefined {
  const norm2 = dot(du, du);
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
