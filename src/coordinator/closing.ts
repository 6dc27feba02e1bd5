/** The end of a round: what is known of its w, what becomes of its updates, and whether training goes on. */
import type { FinishReason } from '../protocol/index.ts';
import { type Certificate, certificateOf } from '../solver/index.ts';
import { bounded, noteChange, scored } from './defence.ts';
import type { CoordinatorEffect } from './effects.ts';
import { dropBest, presentModel } from './model.ts';
import { budgetIsSpent, makePrivate, privacySpent } from './private-rounds.ts';
import { finish, open } from './rounds.ts';
import { type CoordinatorState, type Member, membersAsked, membersHere, type RoundRow } from './state.ts';
import { steer, trainingMs } from './waiting.ts';

/** A round is closed: its certificate, then its updates, then the next round or the end. */
export function onSummed(state: CoordinatorState, now: number, noise?: Float64Array): CoordinatorEffect[] {
  const here = membersHere(state);
  const responders = here.filter((member) => member.answered);
  noteSilence(state);
  if (state.purpose === 'train') steer(state, responders.length / Math.max(1, here.length));
  const proof = examine(state);
  const used = modelInUse(state, proof);
  const { stop, minResponses } = state.options;
  const everybody = here.length > 0 && responders.length === here.length;
  const good = proof.known && state.aggregator!.settled && used.relativeGap <= stop.gap;
  const base = {
    round: state.round,
    atMs: now,
    purpose: state.purpose,
    responders: responders.map((member) => member.id),
    certified: proof.certified,
    sigma: state.aggregator!.sigma,
    primal: used.primal,
    dual: used.dual,
    relativeGap: used.relativeGap,
    ...privacySpent(state),
  };
  if (proof.known) noteGap(state, proof.relativeGap, used.relativeGap);
  if (everybody && good) return closeWith({ ...base, outcome: 'final' }, finish(state, 'gap'));
  const limit = limitReached(state, now);
  if (limit && (state.purpose === 'certify' || limit === 'time' || limit === 'budget')) {
    return closeWith({ ...base, outcome: 'final' }, finish(state, limit));
  }
  if (state.purpose === 'certify') {
    return closeWith({ ...base, outcome: 'certified' }, open(state, 'train', now, []));
  }
  const updates = responders.filter((member) => member.update);
  const enough = updates.length >= minResponses && updates.length > 0;
  const { taken, ...notes } = enough ? aggregate(state, updates, noise) : { taken: [] };
  // The end needs a look at the final w; so does a gap that looks good but that not everybody has spoken to.
  const end = limitReached(state, now);
  const row = { ...base, outcome: taken.length > 0 ? 'aggregated' : 'abandoned', ...notes } as const;
  // Where no scalars are told there is nothing to look at.
  if (end && state.options.dp) return closeWith(row, finish(state, end, taken));
  const nextPurpose = end || (good && !everybody) ? 'certify' : 'train';
  return closeWith(row, open(state, nextPurpose, now, taken));
}

export function noteSilence(state: CoordinatorState): void {
  for (const member of membersAsked(state)) {
    if (member.answered) continue;
    if (state.purpose === 'certify') member.missedLooks++;
    else member.missed++;
  }
}

export function closeWith(row: RoundRow, effects: CoordinatorEffect[]): CoordinatorEffect[] {
  return [{ type: 'row', row }, ...effects];
}

/** Takes the updates as far as the defence lets them through, and says whose, with what is to be noted of the round. */
function aggregate(
  state: CoordinatorState,
  members: readonly Member[],
  noise: Float64Array | undefined,
): { taken: readonly Member[] } & Pick<RoundRow, 'privacy' | 'scores' | 'shortened'> {
  const sent = members.map((member) => {
    const { du, ds, uDotDu, duNorm2, scalars } = member.update!;
    return { member: member.index, du, ds, uDotDu, duNorm2, s: scalars.dualSum };
  });
  const before = state.aggregator!.w.slice();
  const scores = scored(state, members, sent);
  const { updates, factors } = bounded(state, sent);
  const byIndex = new Map(members.map((member) => [member.index, member]));
  for (const { member, weights } of state.aggregator!.aggregate(updates, state.gap)) {
    const factor = factors.get(member)!;
    const accepted = { round: state.round, weights };
    byIndex.get(member)!.accepted = factor < 1 ? { ...accepted, factor } : accepted;
  }
  makePrivate(state, noise);
  noteChange(state, before);
  state.aggregated++;
  const taken = members.filter((member) => member.accepted.round === state.round);
  const shortened = taken.flatMap(({ id, accepted: { factor } }) => (factor ? [{ id, factor }] : []));
  return {
    taken,
    ...privacySpent(state),
    ...(scores && { scores }),
    ...(shortened.length > 0 && { shortened }),
  };
}

/** Relative; losses at a w that was rounded to single precision differ by less. */
const CONTRADICTION = 1e-6;

/** The gap of the present w, as far as it is known: exact when all who contribute have reported about it. */
function examine(state: CoordinatorState) {
  // Nothing is told under differential privacy: whatever the gap may be, nobody knows it.
  if (state.options.dp) return { ...state.aggregator!.certificate([]), certified: false, known: false };
  const members = [...state.members.values()];
  const known = members.filter((member) => member.scalars);
  const all = state.aggregator!.certificate(
    known.map((member) => ({ member: member.index, ...member.scalars! })),
  );
  // What was told does not say where the duals are: all that is known of the dual is its value at zero duals.
  const { mask } = state.options;
  const proof = mask?.semantics === 'paper' ? certificateOf(all.primal, 0) : all;
  const spoken = members.every((member) => member.scalars && member.scalarsRound === state.round);
  // No dual value is above a primal one: if they say so, somebody does not tell the truth, and nothing is known.
  const contradicted = spoken && proof.dual - proof.primal > CONTRADICTION * Math.abs(proof.primal);
  const complete = members.every((member) => member.scalars || member.accepted.round === 0);
  return {
    ...proof,
    certified: spoken && !contradicted,
    known: complete && known.length > 0 && !contradicted,
  };
}

/**
 * The best model that is known for certain, if the rule keeps it; otherwise, and where not everybody has spoken to this very
 * w, the latest.
 */
export function modelInUse(
  state: CoordinatorState,
  proof: Certificate & { certified: boolean },
): Certificate {
  if (!state.aggregator!.keepsBest || !proof.certified) {
    dropBest(state);
    return proof;
  }
  const { round, best } = state;
  if (!best || proof.primal < best.primal) {
    state.best = { round, primal: proof.primal };
    state.bestModel = presentModel(state);
  }
  return certificateOf(state.best!.primal, proof.dual);
}

/** Local solves are as accurate as the latest gap asks for; whether there is progress is seen at the model in use. */
export function noteGap(state: CoordinatorState, latest: number, gap: number): void {
  state.gap = latest;
  // While the problem itself still moves, a gap is not worse for being larger than that of another problem.
  if (gap < state.bestGap * (1 - 1e-3) || !state.aggregator!.settled) {
    state.bestGap = gap;
    state.bestRound = state.round;
  }
}

export function limitReached(state: CoordinatorState, now: number): FinishReason | undefined {
  const { stop } = state.options;
  // Abandoned and certifying rounds do not count, but they do not go on for ever either.
  if (state.aggregated >= stop.rounds || state.round >= 3 * stop.rounds + 10) return 'rounds';
  if (trainingMs(state, now) >= stop.timeMs) return 'time';
  if (budgetIsSpent(state)) return 'budget';
  if (!state.options.dp && state.round - state.bestRound >= stop.stall) return 'stall';
  return undefined;
}
