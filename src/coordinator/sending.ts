/** The coordinator's messages, made from its state. */
import { noteSent } from '../base/pace.ts';
import type { DpSettings } from '../privacy/dp/settings.ts';
import type { FinishReason, RoundMessage } from '../protocol/messages.ts';
import type { SecureOptions } from '../settings/federation.ts';
import type { FederationSettings, SecureSettings } from '../settings/wire.ts';
import { localTolerance } from '../solver/local-solve.ts';
import { lossOf } from '../solver/losses/losses.ts';
import { classAwaited } from './agreement.ts';
import type { CoordinatorEffect } from './effects.ts';
import type { Member } from './member.ts';
import type { DpOptions } from './options.ts';
import type { CoordinatorState } from './state.ts';
import { participantsOf } from './tally.ts';
import { inquiryOf, localProblem, orderFor, sharedPart } from './training.ts';
import { computingMs } from './waiting.ts';
import { noteDeparture, WELCOMED } from './ways.ts';

export function sendWelcome(state: CoordinatorState, { id, ways }: Member): CoordinatorEffect {
  // Moments or keys come back at once, which shows how long the way is.
  if (!state.scaling) noteDeparture(ways, WELCOMED, state.nowMs);
  const { scaling, agreement } = state;
  const message = {
    kind: 'welcome',
    settings: settingsOf(state),
    scaling,
    agreement,
    awaited: awaited(state),
    waitingFor: state.above ? state.above.waitingFor : classAwaited(state),
  } as const;
  return { type: 'send', to: id, message };
}

/** How many more have to join before training starts. */
export function awaited(state: CoordinatorState): number {
  const { phase, options, secure, above } = state;
  if (phase !== 'gathering') return 0;
  if (above) return above.awaited;
  return Math.max(0, Math.max(secure ? 2 : 1, options.minParticipants) - participantsOf(state));
}

export function settingsOf(state: CoordinatorState): FederationSettings {
  const { objective, loss, epsilon, quantile, classWeight, scale, scaleTarget, bias, passes, seed } =
    state.options;
  const { features: map, straggler, precision, retryMs, mask, dp, secure, levels, columns } = state.options;
  return {
    objective,
    loss,
    ...localProblem(state.options),
    epsilon: lossOf(state.options).form === 'tube' ? epsilon : 0,
    quantile,
    classWeight,
    scale,
    scaleTarget,
    bias,
    features: state.features,
    ...(levels && { levels }),
    ...(columns === 'union' && { columns }),
    ...(map && { map }),
    passes,
    seed,
    straggler,
    precision,
    retryMs,
    ...(mask && { mask }),
    ...(dp && { dp: withoutBounds(dp) }),
    ...(secure && { secure: withoutTimes(secure) }),
  };
}

/** Participants receive the scaling that follows from them. */
function withoutBounds({ bounds: _, ...settings }: DpOptions): DpSettings {
  return settings;
}

/** How long the coordinator waits is its own business. */
function withoutTimes({ phaseMs: _, ...settings }: SecureOptions): SecureSettings {
  return settings;
}

/** The query and how it is to be answered, where all are asked the same. */
export function askedOfAll(state: CoordinatorState) {
  const { w, sigma } = orderFor(state, { index: -1 });
  return { w, sigma, tolerance: toleranceOf(state) };
}

/** As exact as the gap asks for, or as the parent does. */
function toleranceOf({ above, gap }: CoordinatorState): number {
  return above?.order?.tolerance ?? localTolerance(gap);
}

/** A branch is sent before it how long rounds stay open. */
export function sendRound(state: CoordinatorState, member: Member): CoordinatorEffect[] {
  const { round, purpose, nowMs } = state;
  noteDeparture(member.ways, round, nowMs);
  noteSent(member.pace, nowMs);
  const message: RoundMessage = {
    kind: 'round',
    session: member.session,
    round,
    best: state.best?.round ?? 0,
    purpose,
    ...orderFor(state, member),
    tolerance: toleranceOf(state),
    waitMs: computingMs(state, member),
    accepted: member.accepted,
    sendPrevious: inquiryOf(state)?.needsPrevious(member.index) ?? false,
  };
  const send = { type: 'send', to: member.id, message } as const;
  return state.place.below === 'groups' ? [sendTiming(state, member), send] : [send];
}

function sendTiming({ options }: CoordinatorState, { id, session }: Member): CoordinatorEffect {
  const { waiting, maxWaitMs } = options;
  return { type: 'send', to: id, message: { kind: 'timing', session, waiting, maxWaitMs } };
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
  const told = { ...coveredBy(state), w, accepted };
  const message = { kind: 'finish', session, round: state.round, best, reason, ...told } as const;
  return { type: 'send', to: id, message };
}

/** How many have contributed, and how many of all are not covered by the certificate. */
function coveredBy({ members, missing, above }: CoordinatorState) {
  if (above?.covered) return above.covered;
  const all = [...members.values()];
  const behind = (key: 'participants' | 'missing') =>
    all.reduce((sum, one) => sum + (one.accepted.round > 0 ? (one.behind?.[key] ?? 0) : 0), 0);
  const single = all.filter((one) => one.accepted.round > 0 && !one.behind).length;
  return { participants: single + behind('participants'), missing: missing.length + behind('missing') };
}

/** MOCHA sends everybody its own. */
function finalPart(state: CoordinatorState, member: Member): Float64Array | undefined {
  if (state.options.method === 'mocha' && state.trainer && member.index >= 0)
    return orderFor(state, member).w;
  return sharedPart(state);
}
