/**
 * The coordinator as a machine: `step(state, input)` changes the state and returns effects, and does nothing else.
 *
 * Effects are carried out in the order given, and `persist` is complete before any later effect begins: what a round has
 * become is durable before anybody is told. Whether a round can be closed is asked after every input. (DESIGN section 4;
 * the paper's section 3.1.)
 */
import { mergeMoments, type Scaling, scalingFrom } from '../data/index.ts';
import { naturallySorted } from '../data/natural-order.ts';
import type {
  FederationSettings,
  FinishReason,
  Join,
  Moments,
  Report,
  RoundMessage,
  ToCoordinator,
  ToParticipant,
  UpdateMessage,
} from '../protocol/index.ts';
import { Aggregator, certificate, dot, localTolerance } from '../solver/index.ts';
import { refusalOfAnswer, refuse } from './answers.ts';
import {
  type CoordinatorState,
  type Member,
  membersAsked,
  membersHere,
  type RoundRow,
  tallyAnswer,
} from './state.ts';
import { type StoredCoordinator, storedChanges } from './stored.ts';
import { canClose, nextDeadline, waitingPeriod } from './waiting.ts';

export type CoordinatorInput = { readonly now: number } & (
  | { readonly type: 'start' }
  | { readonly type: 'message'; readonly from: string; readonly message: ToCoordinator }
  | { readonly type: 'timer' }
  | { readonly type: 'summed' }
  | { readonly type: 'forget'; readonly id: string }
  | { readonly type: 'finish' }
);

export type CoordinatorEffect =
  | { readonly type: 'persist'; readonly changes: StoredCoordinator }
  | { readonly type: 'send'; readonly to: string; readonly message: ToParticipant }
  /** One timer: a new one replaces it. */
  | { readonly type: 'timer'; readonly atMs: number }
  /** Answer with `summed` after so long. */
  | { readonly type: 'summation'; readonly ms: number }
  | { readonly type: 'row'; readonly row: RoundRow };

export function step(state: CoordinatorState, input: CoordinatorInput): CoordinatorEffect[] {
  const effects = take(state, input);
  if (readyToStart(state, input.now)) effects.push(...startTraining(state, input.now));
  if (state.phase === 'open' && canClose(state, input.now)) {
    state.phase = 'summing';
    effects.push({ type: 'summation', ms: state.options.summationMs });
  }
  return effects;
}

function take(state: CoordinatorState, input: CoordinatorInput): CoordinatorEffect[] {
  switch (input.type) {
    case 'start':
      return onStart(state, input.now);
    case 'message':
      return onMessage(state, input.from, input.message, input.now);
    case 'timer':
      return onTimer(state, input.now);
    case 'summed':
      return state.phase === 'summing' ? onSummed(state, input.now) : [];
    case 'forget':
      return onForget(state, input.id);
    case 'finish':
      return state.phase === 'finished' ? [] : finish(state, 'operator');
  }
}

/** For the first time, or after a crash: then the round that was open is opened again, with the same w. */
function onStart(state: CoordinatorState, now: number): CoordinatorEffect[] {
  state.startedMs = now;
  if (state.phase === 'finished') return tellAll(state, (member) => finishFor(state, member));
  return state.round === 0 ? [gatheringTimer(state, now)] : announce(state, now);
}

function onMessage(
  state: CoordinatorState,
  from: string,
  message: ToCoordinator,
  now: number,
): CoordinatorEffect[] {
  if (message.kind === 'join') return onJoin(state, from, message, now);
  const member = state.members.get(from);
  if (!member) {
    return [refuse(state, from, 'NOT_JOINED', `participant "${from}" has not joined`)];
  }
  switch (message.kind) {
    case 'moments':
      return onMoments(state, member, message);
    case 'update':
    case 'report':
      return onAnswer(state, member, message, now);
    case 'leave':
      // From an earlier life: it has come back since.
      return message.session < member.session ? [] : onLeave(state, member);
  }
}

function onJoin(state: CoordinatorState, from: string, join: Join, now: number): CoordinatorEffect[] {
  let member = state.members.get(from);
  const last = state.forgotten.get(from) ?? 0;
  if (!member && (join.base > 0 || join.session <= last)) {
    const message = `participant "${from}" has a state, but none is known here: begin anew`;
    return [refuse(state, from, 'FORGOTTEN', message, join.session)];
  }
  // From an earlier life of the participant, late on its way; one that has left in this life has left.
  if (
    member &&
    (join.session < member.session || (member.presence === 'left' && join.session === member.session))
  )
    return [];
  if (state.features > 0 && join.features !== state.features) {
    return [
      refuse(
        state,
        from,
        'WRONG_FEATURES',
        `participant "${from}": expected ${state.features} features, got ${join.features}`,
      ),
    ];
  }
  const effects: CoordinatorEffect[] = [];
  state.tally = undefined;
  if (!member) {
    member = { ...newMember(from), rows: join.rows, benchmarkMs: join.benchmarkMs, session: join.session };
    state.members.set(from, member);
    state.features = join.features;
    if (state.aggregator) admit(state, member);
    effects.push({ type: 'persist', changes: storedChanges(state, [member]) });
  } else if (join.session > member.session) {
    member.session = join.session;
    if (state.phase !== 'finished') member.presence = 'here';
    effects.push({ type: 'persist', changes: storedChanges(state, [member]) });
  }
  member.missed = 0;
  if (state.phase === 'gathering') {
    effects.push(gatheringTimer(state, now));
  }
  effects.push({
    type: 'send',
    to: from,
    message: { kind: 'welcome', settings: settingsOf(state), scaling: state.scaling },
  });
  if (state.phase === 'finished') effects.push({ type: 'send', to: from, message: finishFor(state, member) });
  else if (state.phase === 'open' && !member.answered && member.barred < state.round)
    effects.push({ type: 'send', to: from, message: roundFor(state, member, now) });
  return effects;
}

/** Whoever joins and then falls silent is waited for, but not for ever. */
function gatheringTimer(state: CoordinatorState, now: number): CoordinatorEffect {
  state.deadlineMs = now + state.options.maxWaitMs;
  return { type: 'timer', atMs: state.deadlineMs };
}

function newMember(id: string): Member {
  return {
    id,
    index: -1,
    rows: 0,
    benchmarkMs: 0,
    session: 0,
    barred: 0,
    moments: undefined,
    presence: 'here',
    accepted: { round: 0, weights: [] },
    scalars: undefined,
    scalarsRound: 0,
    update: undefined,
    answered: false,
    missed: 0,
    responseMs: undefined,
  };
}

/** A place in the sums: after all who have one. */
function admit(state: CoordinatorState, member: Member): void {
  member.index = state.nextIndex++;
  state.aggregator?.join(member.index);
}

function onMoments(state: CoordinatorState, member: Member, message: Moments): CoordinatorEffect[] {
  const { count, mean, m2 } = message;
  if (mean.length !== state.features || m2.length !== state.features) {
    return [
      refuse(
        state,
        member.id,
        'WRONG_SHAPE',
        `moments: expected ${state.features} features, got ${mean.length} and ${m2.length}`,
      ),
    ];
  }
  if (state.scaling) {
    return [
      {
        type: 'send',
        to: member.id,
        message: { kind: 'welcome', settings: settingsOf(state), scaling: state.scaling },
      },
    ];
  }
  if (!member.moments) state.measured++;
  member.moments ??= { count, mean, m2 };
  return [];
}

/** Asked after every input: the one who was missing may have left, or may never come. */
function readyToStart(state: CoordinatorState, now: number): boolean {
  if (state.phase !== 'gathering') return false;
  const { measured } = state;
  if (measured === 0 || measured < state.options.minParticipants) return false;
  return measured === state.members.size || now >= state.deadlineMs;
}

/** Everybody is there: the scaling is settled from the merged moments, and the first round opens. */
function startTraining(state: CoordinatorState, now: number): CoordinatorEffect[] {
  const inOrder = naturallySorted(state.members.keys()).map((id) => state.members.get(id)!);
  const { aggregation, c2, bias, scale } = state.options;
  const measured = inOrder.flatMap((member) => member.moments ?? []);
  const moments = measured.reduce(mergeMoments);
  const scaling: Scaling = scalingFrom(moments, scale);
  state.scaling = { shift: scaling.shift, factor: scaling.factor };
  state.aggregator = new Aggregator(aggregation, state.features + (bias ? 1 : 0), c2);
  for (const member of inOrder) {
    admit(state, member);
    member.moments = undefined;
  }
  const effects = open(state, 'train', now, inOrder);
  const welcomes = tellAll(state, () => ({
    kind: 'welcome',
    settings: settingsOf(state),
    scaling: state.scaling,
  }));
  // The welcome with the scaling goes first, but not before it is durable.
  return [effects[0], ...welcomes, ...effects.slice(1)];
}

/** Opens the next round: durable first, then everybody is told, with what became of the last one. */
function open(
  state: CoordinatorState,
  purpose: 'train' | 'certify',
  now: number,
  changed: readonly Member[],
): CoordinatorEffect[] {
  state.round++;
  state.purpose = purpose;
  state.tally = undefined;
  for (const member of state.members.values()) {
    member.update = undefined;
    member.answered = false;
  }
  return [{ type: 'persist', changes: storedChanges(state, changed) }, ...announce(state, now)];
}

function announce(state: CoordinatorState, now: number): CoordinatorEffect[] {
  state.phase = 'open';
  state.openedMs = now;
  state.saidMs = now;
  state.deadlineMs = now + waitingPeriod(state);
  return [...tellAll(state, (member) => roundFor(state, member, now)), nextTimer(state, now)];
}

function onAnswer(
  state: CoordinatorState,
  member: Member,
  message: UpdateMessage | Report,
  now: number,
): CoordinatorEffect[] {
  // From an earlier life, late on its way; or from a new one, whose joining got lost.
  if (message.session < member.session) return [];
  if (message.session > member.session) {
    return [
      refuse(state, member.id, 'NOT_JOINED', `participant "${member.id}" has not joined in this session`),
    ];
  }
  if (state.phase === 'finished') return [{ type: 'send', to: member.id, message: finishFor(state, member) }];
  const refusal = refusalOfAnswer(state, member, message);
  if (refusal) return [refuse(state, member.id, refusal.code, refusal.message)];
  if (member.presence === 'left') {
    return [{ type: 'send', to: member.id, message: { ...finishFor(state, member), reason: 'left' } }];
  }
  if (member.answered && message.round === state.round) return [];
  const { session, accepted } = member;
  const outcome: ToParticipant = { kind: 'outcome', session, round: message.round, accepted };
  // Late, or again: answered, never aggregated.
  if (message.round < state.round || message.round <= member.barred) {
    return [{ type: 'send', to: member.id, message: outcome }];
  }
  if (state.phase === 'summing') {
    // Its round counts as closed. That is durable before it is said: after a crash the round is open again.
    member.barred = state.round;
    state.tally = undefined;
    return [
      { type: 'persist', changes: storedChanges(state, [member]) },
      { type: 'send', to: member.id, message: outcome },
    ];
  }
  tallyAnswer(state, member);
  member.answered = true;
  member.missed = 0;
  member.responseMs = now - state.openedMs;
  member.scalars = message.scalars;
  member.scalarsRound = message.round;
  if (message.kind === 'update') member.update = message;
  return [];
}

function onLeave(state: CoordinatorState, member: Member): CoordinatorEffect[] {
  // In a summation its update is being taken: it is told when that is done, because it asks again.
  if (state.phase === 'summing' && member.update) return [];
  const goodbye = {
    type: 'send',
    to: member.id,
    message: { ...finishFor(state, member), reason: 'left' },
  } as const;
  if (!state.aggregator) {
    // It has contributed nothing: nothing of it stays.
    removeMember(state, member);
    return [{ type: 'persist', changes: { ...storedChanges(state, []), removed: [member.id] } }, goodbye];
  }
  member.presence = 'left';
  state.tally = undefined;
  member.update = undefined;
  member.answered = false;
  return [{ type: 'persist', changes: storedChanges(state, [member]) }, goodbye];
}

function onTimer(state: CoordinatorState, now: number): CoordinatorEffect[] {
  if (state.phase !== 'open' || canClose(state, now)) return [];
  const silent = membersAsked(state).filter((member) => !member.answered);
  if (silent.length === 0) return [];
  if (now < state.saidMs + state.options.retryMs) return [nextTimer(state, now)];
  // Whoever has not answered may not have heard.
  state.saidMs = now;
  const again = silent.map(
    (member) => ({ type: 'send', to: member.id, message: roundFor(state, member, now) }) as const,
  );
  return [...again, nextTimer(state, now)];
}

function nextTimer(state: CoordinatorState, now: number): CoordinatorEffect {
  return { type: 'timer', atMs: Math.min(nextDeadline(state, now), state.saidMs + state.options.retryMs) };
}

/** A round is closed: its certificate, then its updates, then the next round or the end. */
function onSummed(state: CoordinatorState, now: number): CoordinatorEffect[] {
  const here = membersHere(state);
  const responders = here.filter((member) => member.answered);
  for (const member of membersAsked(state)) if (!member.answered) member.missed++;
  const proof = examine(state);
  const { stop, minResponses } = state.options;
  const everybody = here.length > 0 && responders.length === here.length;
  const good = proof.relativeGap <= stop.gap;
  const base = {
    round: state.round,
    atMs: now,
    purpose: state.purpose,
    responders: responders.map((member) => member.id),
    certified: proof.certified,
    sigma: state.aggregator!.sigma,
    primal: proof.primal,
    dual: proof.dual,
    relativeGap: proof.relativeGap,
  };
  if (proof.known) noteGap(state, proof.relativeGap);
  if (everybody && good) return closeWith({ ...base, outcome: 'final' }, finish(state, 'gap'));
  const limit = limitReached(state, now);
  if (limit && (state.purpose === 'certify' || limit === 'time')) {
    return closeWith({ ...base, outcome: 'final' }, finish(state, limit));
  }
  if (state.purpose === 'certify') {
    return closeWith({ ...base, outcome: 'certified' }, open(state, 'train', now, []));
  }
  const updates = responders.filter((member) => member.update);
  const taken = updates.length >= minResponses ? updates : [];
  if (taken.length > 0) aggregate(state, taken);
  // The end needs a look at the final w; so does a gap that looks good but that not everybody has spoken to.
  const nextPurpose = limitReached(state, now) || (good && !everybody) ? 'certify' : 'train';
  const outcome = taken.length > 0 ? 'aggregated' : 'abandoned';
  return closeWith({ ...base, outcome }, open(state, nextPurpose, now, taken));
}

function closeWith(row: RoundRow, effects: CoordinatorEffect[]): CoordinatorEffect[] {
  return [{ type: 'row', row }, ...effects];
}

function aggregate(state: CoordinatorState, members: readonly Member[]): void {
  const outcomes = state.aggregator!.aggregate(
    members.map((member) => {
      const { du, ds, uDotDu, duNorm2, scalars } = member.update!;
      return { member: member.index, du, ds, uDotDu, duNorm2, s: scalars.dualSum };
    }),
  );
  const byIndex = new Map(members.map((member) => [member.index, member]));
  for (const { member, weights } of outcomes) byIndex.get(member)!.accepted = { round: state.round, weights };
  state.aggregated++;
}

/** The gap of the present w, as far as it is known: exact when all who contribute have reported about it. */
function examine(state: CoordinatorState) {
  const members = [...state.members.values()];
  const known = members.filter((member) => member.scalars);
  const w = state.aggregator!.w;
  const proof = certificate(
    dot(w, w),
    state.options.c2,
    known.map((member) => member.scalars!),
  );
  const certified = members.every((member) => member.scalarsRound === state.round);
  const complete = members.every((member) => member.scalars || member.accepted.round === 0);
  return { ...proof, certified, known: complete && known.length > 0 };
}

function noteGap(state: CoordinatorState, gap: number): void {
  state.gap = gap;
  if (gap < state.bestGap * (1 - 1e-3)) {
    state.bestGap = gap;
    state.bestRound = state.round;
  }
}

function limitReached(state: CoordinatorState, now: number): FinishReason | undefined {
  const { stop } = state.options;
  // Abandoned and certifying rounds do not count, but they do not go on for ever either.
  if (state.aggregated >= stop.rounds || state.round >= 3 * stop.rounds + 10) return 'rounds';
  if (now - state.startedMs >= stop.timeMs) return 'time';
  if (state.round - state.bestRound >= stop.stall) return 'stall';
  return undefined;
}

function finish(state: CoordinatorState, reason: FinishReason): CoordinatorEffect[] {
  state.phase = 'finished';
  state.finish = reason;
  return [
    { type: 'persist', changes: storedChanges(state, []) },
    ...tellAll(state, (member) => finishFor(state, member)),
  ];
}

function removeMember(state: CoordinatorState, member: Member): void {
  state.members.delete(member.id);
  state.tally = undefined;
  if (member.moments) state.measured--;
}

/** Unlearning: the contribution is taken out of w, and conservation holds over those who remain. */
function onForget(state: CoordinatorState, id: string): CoordinatorEffect[] {
  const member = state.members.get(id);
  if (!member) return [];
  removeMember(state, member);
  state.forgotten.set(id, member.session);
  if (state.aggregator && member.index >= 0) state.aggregator.forget(member.index);
  return [
    { type: 'persist', changes: { ...storedChanges(state, []), removed: [id] } },
    refuse(state, id, 'FORGOTTEN', `participant "${id}" has been forgotten: begin anew`, member.session),
  ];
}

function settingsOf(state: CoordinatorState): FederationSettings {
  const { objective, c1, c2, epsilon, classWeight, scale, bias, passes, seed } = state.options;
  const { straggler, precision, retryMs, aggregation } = state.options;
  return {
    objective,
    c1,
    c2,
    epsilon: objective === 'regression' ? epsilon : 0,
    classWeight,
    scale,
    bias,
    features: state.features,
    atoms: new Aggregator(aggregation, 1, c2).atoms,
    passes,
    seed,
    straggler,
    precision,
    retryMs,
  };
}

function roundFor(state: CoordinatorState, member: Member, now: number): RoundMessage {
  const { aggregator, round, purpose } = state;
  return {
    kind: 'round',
    session: member.session,
    round,
    purpose,
    w: aggregator!.w,
    sigma: aggregator!.sigma,
    tolerance: localTolerance(state.gap),
    waitMs: Math.max(0, state.deadlineMs - now),
    accepted: member.accepted,
  };
}

function finishFor(state: CoordinatorState, member: Member): ToParticipant & { kind: 'finish' } {
  const w = state.aggregator?.w ?? new Float64Array(0);
  const { session, accepted } = member;
  return { kind: 'finish', session, round: state.round, reason: state.finish ?? 'left', w, accepted };
}

function tellAll(state: CoordinatorState, message: (member: Member) => ToParticipant): CoordinatorEffect[] {
  return membersHere(state).map((member) => ({ type: 'send', to: member.id, message: message(member) }));
}
