/** The coordinator's messages, made from its state. */
import type { FinishReason, RoundMessage } from '../protocol/messages.ts';
import type { SecureOptions } from '../settings/federation.ts';
import type { FederationSettings, SecureSettings } from '../settings/wire.ts';
import { localTolerance } from '../solver/local-solve.ts';
import { lossOf } from '../solver/losses/losses.ts';
import type { CoordinatorEffect } from './effects.ts';
import type { CoordinatorState, Member } from './state.ts';
import { inquiryOf, localProblem, orderFor, sharedPart } from './training.ts';

export function sendWelcome(state: CoordinatorState, { id }: Member): CoordinatorEffect {
  const message = { kind: 'welcome', settings: settingsOf(state), scaling: state.scaling } as const;
  return { type: 'send', to: id, message };
}

export function settingsOf(state: CoordinatorState): FederationSettings {
  const { objective, loss, epsilon, classWeight, scale, bias, passes, seed } = state.options;
  const { straggler, precision, retryMs, mask, dp, secure } = state.options;
  return {
    objective,
    loss,
    ...localProblem(state.options),
    epsilon: lossOf(state.options).classes ? 0 : epsilon,
    classWeight,
    scale,
    bias,
    features: state.features,
    passes,
    seed,
    straggler,
    precision,
    retryMs,
    ...(mask && { mask }),
    ...(dp && { dp }),
    ...(secure && { secure: withoutTimes(secure) }),
  };
}

/** How long the coordinator waits is its own business. */
function withoutTimes({ phaseMs: _, ...settings }: SecureOptions): SecureSettings {
  return settings;
}

/** The query and how it is to be answered, where all are asked the same. */
export function askedOfAll(state: CoordinatorState) {
  const { w, sigma } = orderFor(state, { index: -1 });
  return { w, sigma, tolerance: localTolerance(state.gap) };
}

export function sendRound(state: CoordinatorState, member: Member): CoordinatorEffect {
  const { round, purpose, paused, openedMs, deadlineMs, nowMs } = state;
  const message: RoundMessage = {
    kind: 'round',
    session: member.session,
    round,
    best: state.best?.round ?? 0,
    purpose,
    ...orderFor(state, member),
    tolerance: localTolerance(state.gap),
    // While it is paused nothing passes of the waiting period.
    waitMs: Math.max(0, deadlineMs - (paused ? openedMs : nowMs)),
    accepted: member.accepted,
    sendPrevious: inquiryOf(state)?.needsPrevious(member.index) ?? false,
  };
  return { type: 'send', to: member.id, message };
}

/** Which answer counts, to whoever has sent one to this round. */
export function sendOutcome({ id, session, accepted }: Member, round: number): CoordinatorEffect {
  return { type: 'send', to: id, message: { kind: 'outcome', session, round, accepted } };
}

export function sendFinish(
  state: CoordinatorState,
  member: Member,
  reason: FinishReason = state.finish ?? 'left',
): CoordinatorEffect {
  const w = finalPart(state, member) ?? new Float64Array(0);
  const { id, session, accepted } = member;
  const best = state.best?.round ?? 0;
  const message = { kind: 'finish', session, round: state.round, best, reason, w, accepted } as const;
  return { type: 'send', to: id, message };
}

/** MOCHA sends everybody its own. */
function finalPart(state: CoordinatorState, member: Member): Float64Array | undefined {
  if (state.options.method === 'mocha' && state.trainer && member.index >= 0)
    return orderFor(state, member).w;
  return sharedPart(state);
}
