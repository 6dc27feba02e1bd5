/** Before the first round: participants bring what is to be agreed on, and training starts once everybody is there. */
import { naturallySorted } from '../data/participants.ts';
import type { Moments } from '../protocol/messages.ts';
import {
  areLabelsAsked,
  areRowsMeasured,
  classAwaited,
  contradictionIn,
  mergedMoments,
  misshapenMoments,
  noteMeanings,
  settleClasses,
  settleColumns,
  settleNamedColumns,
  settleScaling,
} from './agreement.ts';
import { unfitColumns } from './columns.ts';
import type { CoordinatorEffect } from './effects.ts';
import { dropMoments, removeMember } from './leaving.ts';
import { type Member, participantsIn } from './member.ts';
import { implausibleMoments, refuse } from './refusals.ts';
import { open, openMeasuring } from './rounds.ts';
import { membersSeated } from './secure-roster.ts';
import { sendWelcome } from './sending.ts';
import type { CoordinatorState } from './state.ts';
import { persist } from './stored.ts';
import { membersHere } from './tally.ts';
import { admit, newTrainer } from './training.ts';
import { noteArrival, WELCOMED } from './ways.ts';

export function onMoments(state: CoordinatorState, member: Member, message: Moments): CoordinatorEffect[] {
  const misshapen = misshapenMoments(state, message);
  if (misshapen) return [refuse(state, member.id, 'WRONG_SHAPE', misshapen)];
  const isGroup = member.participants !== undefined;
  const brings = isGroup ? message.count : member.rows;
  const rows = (areRowsMeasured(state) || message.columns) && !state.secure ? brings : 0;
  const implausible = implausibleMoments(message, rows);
  if (implausible) return [refuse(state, member.id, 'INFEASIBLE', implausible)];
  // Settled: it checks for itself whether its labels fit.
  if (state.phase !== 'gathering') return [sendWelcome(state, member)];
  const unfit = unfitColumns(state, member, message);
  const contradiction = unfit ?? contradictionIn(state, member, message);
  if (contradiction) {
    const refusal = refuse(state, member.id, unfit ? 'WRONG_FEATURES' : 'WRONG_CLASSES', contradiction);
    // It has contributed nothing: nothing of it stays, and nobody waits for it.
    removeMember(state, member);
    return [persist(state, [], [member.id]), refusal];
  }
  noteArrival(member.ways, WELCOMED, state.nowMs);
  const { kind: _, ...brought } = message;
  // Sent again: it waits, and is told for what. Of a branch, more may stand behind it by now.
  if (member.moments && !isGroup) return [sendWelcome(state, member)];
  dropMoments(state, member);
  state.measured++;
  member.moments = brought;
  noteMeanings(state, brought);
  return classAwaited(state) === undefined ? [] : [sendWelcome(state, member)];
}

/** Asked after every input: the one who was missing may have left, or may never come. */
export function readyToStart(state: CoordinatorState): boolean {
  if (state.phase !== 'gathering' || state.paused) return false;
  if (state.secure) return readyToMeasure(state);
  const isAsked = areRowsMeasured(state) || areLabelsAsked(state) || state.options.columns === 'union';
  const measured = isAsked ? state.measured : state.members.size;
  const ready = state.place.below === 'groups' ? participantsReady(state, isAsked) : measured;
  if (classAwaited(state) !== undefined || measured === 0 || ready < state.options.minParticipants)
    return false;
  if (measured < state.members.size && state.nowMs < state.deadlineMs) return false;
  // Nobody can be scaled by the moments of no rows.
  if (!areRowsMeasured(state)) return true;
  return [...state.members.values()].some(({ moments }) => moments && moments.count > 0);
}

/** Behind branches; of each participant it is enough that it has brought something. */
function participantsReady({ members }: CoordinatorState, isAsked: boolean): number {
  const all = [...members.values()];
  return participantsIn(isAsked ? all.filter(({ moments }) => moments) : all);
}

/** With secure aggregation: everybody has advertised its keys, and its labels where they are asked for. */
export function readyToMeasure(state: CoordinatorState): boolean {
  const { members, options, above } = state;
  const asksLabels = areLabelsAsked(state);
  const ready = membersSeated(state).filter(({ moments }) => moments || !asksLabels).length;
  // How many there have to be in all is for the parent to say.
  const least = Math.max(2, above ? 0 : options.minParticipants);
  if (ready < least || classAwaited(state) !== undefined) return false;
  return ready === members.size || state.nowMs >= state.deadlineMs;
}

/** Everybody is there: what is to be agreed on is settled, and the first round opens. */
export function startTraining(state: CoordinatorState): CoordinatorEffect[] {
  settleClasses(state);
  settleNamedColumns(state);
  if (state.secure && areRowsMeasured(state)) return measure(state);
  const brought = membersInOrder(state).flatMap(({ id, moments }) => (moments ? [{ id, moments }] : []));
  const claimed = settleColumns(state, brought);
  if (!areRowsMeasured(state)) return settle(state, undefined);
  const { moments, leftOut } = mergedMoments(claimed);
  const notices = leftOut.map(({ id, sentence }) => refuse(state, id, 'INFEASIBLE', sentence));
  return [...notices, ...settle(state, moments)];
}

/** Whoever has text or gaps must know what they become before it can say anything of them. */
function measure(state: CoordinatorState): CoordinatorEffect[] {
  const effects = openMeasuring(state);
  if (!state.agreement?.encoding) return effects;
  const welcomes = membersHere(state).map((member) => sendWelcome(state, member));
  return [effects[0], ...welcomes, ...effects.slice(1)];
}

function membersInOrder({ members }: CoordinatorState): Member[] {
  return naturallySorted(members.keys()).map((id) => members.get(id)!);
}

/** From here on there is a model: everybody has a place in it, and the first round opens. */
export function settle(
  state: CoordinatorState,
  moments: Parameters<typeof settleScaling>[1],
): CoordinatorEffect[] {
  settleScaling(state, moments);
  state.trainer = newTrainer(state.options, state.features, state.agreement, state.place);
  const inOrder = admitAll(state);
  const effects = open(state, 'train', inOrder);
  const welcomes = membersHere(state).map((member) => sendWelcome(state, member));
  // The welcome with what is agreed on goes first, but not before it is durable.
  return [effects[0], ...welcomes, ...effects.slice(1)];
}

/** Everybody has a place in the model. */
export function admitAll(state: CoordinatorState): Member[] {
  const inOrder = membersInOrder(state);
  for (const member of inOrder) {
    admit(state, member);
    member.moments = undefined;
  }
  return inOrder;
}
