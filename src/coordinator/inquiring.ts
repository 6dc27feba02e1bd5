/** Training by answers: the answers of a closed round give the bounds and the next query. */
import type { Standing } from '../solver/inquiry-types.ts';
import { isPlausible } from '../solver/shown-by-vectors.ts';
import type { Collected } from './collecting/plain.ts';
import { noteChange } from './defence.ts';
import { noteBehind } from './groups.ts';
import { accept } from './member.ts';
import { NO_PROOF, type Proof } from './proof.ts';
import type { CoordinatorState } from './state.ts';
import { isMissing } from './tally.ts';
import { inquiryOf } from './training.ts';

/**
 * Where only sums are seen, the gap is made of claims that nobody can check. The vectors must confirm it: with so many times the target against
 * what they say of P at least, which on the data tried is a 12th of P and more.
 */
const VECTOR_SLACK = 12;

/** Rounds in a row in which the vectors have shown the target, after which claims that do not are not waited for any longer. */
const CLAIMS_AWAITED = 5;

/** Takes the answers to a query: bounds, and the next query. */
export function inquire(state: CoordinatorState, { members, answers, sum, groups }: Collected): Proof {
  const inquiry = inquiryOf(state)!;
  const { round } = state;
  const missing = [...state.members.values()].filter((member) => isMissing(state, member));
  const unanswered = [...state.members.values()].filter(
    (member) => !inquiry.hasAnswered(member.index) && !members.includes(member),
  );
  if (members.length === 0) {
    // The bounds are those of before, and so is whom they cover.
    const before = [...state.members.values()].filter(({ id }) => state.missing.includes(id));
    state.missing = [...new Set([...before, ...unanswered])].map(({ id }) => id);
    const { relativeGap } = state.certificate;
    return { ...state.certificate, ...NO_PROOF, largestGap: relativeGap, certified: true };
  }
  state.missing = [...new Set([...missing, ...unanswered])].map(({ id }) => id);
  const before = inquiry.query;
  if (sum) inquiry.takeSum(round, sum);
  if (answers) inquiry.take(round, answers);
  if (groups) inquiry.takeGroups(round, groups);
  accept(round, members, answers);
  noteBehind(members);
  state.aggregated++;
  const standing = inquiry.close(round, new Set(missing.map(({ index }) => index)));
  noteChange(state, before);
  const { best } = inquiry;
  state.best =
    best && best.primal < Number.POSITIVE_INFINITY ? { round: best.round, primal: best.primal } : undefined;
  const { primal, dual, relativeGap, largestGap } = standing;
  // How exact answers have to be follows from the gap: not from one that is only claimed to be large.
  const likelyGap = state.options.secure
    ? Math.min(standing.likelyGap, standing.vectorGap)
    : standing.likelyGap;
  const { heads } = standing;
  state.certificate = { primal, dual, relativeGap, ...(heads.length > 1 && { heads }) };
  const { settled, shown } = confirmed(state, standing);
  const complete =
    unanswered.every((member) => isMissing(state, member)) &&
    [...state.members.values()].every((member) => !member.behind?.unanswered || isMissing(state, member));
  return {
    primal,
    dual,
    relativeGap,
    largestGap,
    likelyGap,
    settled,
    complete,
    shown,
    certified: true,
    known: Number.isFinite(primal),
  };
}

/** Where single answers are seen each is checked; a sum of claims is believed only where the vectors confirm it. */
function confirmed(state: CoordinatorState, standing: Standing) {
  if (!state.options.secure) return { settled: true, shown: false };
  const { vectorGap } = standing;
  const { gap } = state.options.stop;
  const settled = vectorGap <= VECTOR_SLACK * gap;
  state.shownRounds = vectorGap <= gap ? state.shownRounds + 1 : 0;
  const shown = gap > 0 && settled && (!isPlausible(standing) || state.shownRounds >= CLAIMS_AWAITED);
  return { settled, shown };
}
