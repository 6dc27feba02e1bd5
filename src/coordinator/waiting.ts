/** How long a round stays open: the paper's T_wait, from what is known when it opens. */
import type { CoordinatorEffect } from './effects.ts';
import type { CoordinatorOptions } from './options.ts';
import { type CoordinatorState, type Member, membersHere, tallyOf } from './state.ts';

/** How strongly one round's share of answers moves the waiting period. */
const STEER = 0.3;

/** Milliseconds from opening to the deadline; Infinity: until all have answered. */
export function waitingPeriod(state: CoordinatorState): number {
  const { maxWaitMs } = state.options;
  // A certifying round needs everybody.
  if (state.purpose === 'certify') return maxWaitMs;
  return Math.min(maxWaitMs, period(state.options, membersHere(state), state.steeredMs));
}

function period(
  { waiting, straggler }: CoordinatorOptions,
  members: readonly Member[],
  steeredMs: number | undefined,
): number {
  switch (waiting.kind) {
    case 'all':
      return Number.POSITIVE_INFINITY;
    case 'fixed':
      return waiting.ms;
    case 'share': {
      // Who answers at any time answers just before the deadline: that does not show how long a solve takes.
      if (straggler === 'anytime') return quantile(members.map(benchmark), waiting.share, members.length);
      if (steeredMs !== undefined) return steeredMs;
      const times = members.map((member) => member.responseMs).filter((time) => time !== undefined);
      // Until most have been seen once, a quantile of the observed would be one of the fast.
      if (times.length < members.length / 2) return Number.POSITIVE_INFINITY;
      return quantile(times, waiting.share, members.length);
    }
    case 'benchmarks':
      return waiting.factor * quantile(members.map(benchmark), waiting.quantile, members.length);
  }
}

/**
 * Steers the waiting period towards the wanted share, round by round. The times of those who miss a deadline are never
 * seen, so a quantile of the times that are seen would shrink the period for ever; the share itself is always seen.
 */
export function steer(state: CoordinatorState, answered: number): void {
  const { waiting, straggler } = state.options;
  if (waiting.kind !== 'share' || straggler === 'anytime') return;
  const present = state.deadlineMs - state.openedMs;
  if (!Number.isFinite(present) || present >= state.options.maxWaitMs) return;
  state.steeredMs = present * (1 + STEER * (waiting.share - answered));
}

const benchmark = (member: Member) => member.benchmarkMs;

/** The time by which this share of all has answered; who has never been seen counts as slowest. */
function quantile(times: readonly number[], share: number, all: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  const place = Math.max(1, Math.ceil(share * all - 1e-9));
  return place > sorted.length ? Number.POSITIVE_INFINITY : sorted[place - 1];
}

/** Whether the round can be closed now: asked after every input, so that nobody's leaving leaves it waiting. */
export function canClose(state: CoordinatorState): boolean {
  const { minResponses, maxWaitMs } = state.options;
  // Fewer would be hidden by too few: the deadline waits for them.
  const least = Math.max(minResponses, state.secure?.core?.layout.minimum ?? 0);
  const { here, answers, silent, awaited } = tallyOf(state);
  if (here === 0 || state.paused) return false;
  if (state.nowMs >= state.openedMs + maxWaitMs) return true;
  // Nobody is left who could still answer: all have, or their answers were refused.
  if (silent === 0) return true;
  // Those who have been silent for some rounds, or are gone, hold up nobody.
  if (answers > 0 && awaited === 0) return true;
  return state.nowMs >= state.deadlineMs && answers >= least;
}

/** Time since the start, but for pauses. */
export function trainingMs({ paused, pausedMs, startedMs, nowMs }: CoordinatorState): number {
  return (paused ? pausedMs : nowMs) - startedMs;
}

/** When something may change by time alone; Infinity: never. */
export function nextDeadline(state: CoordinatorState): number {
  const { maxWaitMs } = state.options;
  const last = state.openedMs + maxWaitMs;
  return state.deadlineMs > state.nowMs ? Math.min(state.deadlineMs, last) : last;
}

/** Whoever joins and then falls silent is waited for, but not for ever. */
export function gatheringTimer(state: CoordinatorState): CoordinatorEffect {
  state.deadlineMs = state.nowMs + state.options.maxWaitMs;
  return { type: 'timer', atMs: state.deadlineMs };
}
