/**
 * How long a round stays open: the paper's T_wait, from what is known when it opens, and the way there and back.
 *
 *   all         until all who are awaited have answered
 *   fixed       a fixed time
 *   share       until this share has answered. Where stragglers send what they have (`anytime`), not before the time that this share
 *               needs: those who use all of their time answer at its end
 *   benchmarks  the time that a quantile of the participants needs
 */
import type { CoordinatorEffect } from './effects.ts';
import type { Member } from './member.ts';
import type { CoordinatorState } from './state.ts';
import { membersHere, tallyOf, waitingOf } from './tally.ts';
import { wayMs } from './ways.ts';

/** Of the time that the parent of a branch gives it; the rest is for a way that takes longer than usual. */
const SHARE_OF_PARENT = 0.9;

/** Milliseconds from opening after which a round closes whoever is missing: a branch has its answer ready before its parent expects it. */
export function mostMs({ options, above }: CoordinatorState): number {
  const parentMs = above?.order?.waitMs ?? Number.POSITIVE_INFINITY;
  return Math.min(options.maxWaitMs, SHARE_OF_PARENT * parentMs);
}

/** Milliseconds from opening to the deadline; Infinity: until all have answered. */
export function waitingPeriod(state: CoordinatorState): number {
  const most = mostMs(state);
  // A certifying round needs everybody.
  if (state.purpose === 'certify') return most;
  return Math.min(most, period(state));
}

function period(state: CoordinatorState): number {
  const { straggler } = state.options;
  const waiting = waitingOf(state);
  switch (waiting.kind) {
    case 'all':
      return Number.POSITIVE_INFINITY;
    case 'fixed':
      return waiting.ms;
    case 'share':
      // Who sends nothing before it is done needs no deadline: the answers that are there show when the share is.
      return straggler === 'anytime' ? quantile(timesNeeded(state, 1), waiting.share) : Infinity;
    case 'benchmarks':
      return quantile(timesNeeded(state, waiting.factor), waiting.quantile);
  }
}

/** By those who are here: computing, and the way there and back. */
function timesNeeded(state: CoordinatorState, factor: number): number[] {
  const members = membersHere(state);
  const usual = usualWayMs(state);
  // Benchmarks are of rows as the data have them; mapped rows may be longer.
  const longer = Math.max(1, (state.options.features?.count ?? 0) / state.features);
  return members.map(({ benchmarkMs, ways }) => factor * longer * benchmarkMs + (wayMs(ways) ?? usual));
}

/** Where nothing is known of a newcomer, its way is like that of the others. */
function usualWayMs(state: CoordinatorState): number {
  const known = membersHere(state).flatMap(({ ways }) => wayMs(ways) ?? []);
  return known.sort((a, b) => a - b)[known.length >> 1] ?? 0;
}

/** The time within which this share of all is done. */
function quantile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[placeOf(share, times.length) - 1] ?? 0;
}

/** How many of all are this share of them: from 1. */
function placeOf(share: number, all: number): number {
  return Math.max(1, Math.ceil(share * all - 1e-9));
}

/** Shorter ways are none, or rounding. */
const NEGLIGIBLE_MS = 0.01;

/** How long a member that is sent the open round now may compute: its answer has to be back before the deadline. */
export function computingMs(state: CoordinatorState, { ways }: Member): number {
  const { paused, openedMs, deadlineMs, nowMs } = state;
  const periodMs = deadlineMs - openedMs;
  // While it is paused nothing passes of the waiting period. After the deadline the round waits for this very answer.
  const leftMs = paused || nowMs >= deadlineMs ? periodMs : deadlineMs - nowMs;
  const way = wayMs(ways) ?? state.usualWayMs;
  if (way < NEGLIGIBLE_MS || leftMs === Number.POSITIVE_INFINITY) return leftMs;
  return way < leftMs ? roundedDown(leftMs - way) : 0;
}

/** By a sixteenth at the most: members whose ways are about equal are sent the same bytes, which are made once. */
function roundedDown(ms: number): number {
  let step = 1 / 16;
  while (32 * step <= ms) step *= 2;
  return step * Math.floor(ms / step);
}

/** The waiting period of the open round begins, or begins again. */
export function beginWaiting(state: CoordinatorState): void {
  state.usualWayMs = usualWayMs(state);
  state.openedMs = state.nowMs;
  state.deadlineMs = state.nowMs + waitingPeriod(state);
}

/** Whether the open round has the share of answers that it waits for; where there is none to wait for: no. */
export function hasShare(state: CoordinatorState): boolean {
  const waiting = waitingOf(state);
  if (waiting.kind !== 'share' || state.purpose === 'certify') return false;
  const { here, answers } = tallyOf(state);
  return answers >= placeOf(waiting.share, here);
}

/** How many answers a round must have: for the root of a tree to say, which counts those behind its branches when it has their sums. */
export function leastResponses({ above, place, options }: CoordinatorState): number {
  return above || place.below === 'groups' ? 0 : options.minResponses;
}

/** Whether the round can be closed now: asked after every input, so that nobody's leaving leaves it waiting. */
export function canClose(state: CoordinatorState): boolean {
  const { straggler } = state.options;
  const waiting = waitingOf(state);
  const { here, answers, silent, awaited } = tallyOf(state);
  if (state.paused) return false;
  if (here === 0) return state.above !== undefined;
  if (state.nowMs >= state.openedMs + mostMs(state)) return true;
  // Nobody is left who could still answer: all have, or their answers were refused.
  if (silent === 0) return true;
  // Those who have been silent for some rounds, or are gone, hold up nobody.
  if ((answers > 0 || state.above) && awaited === 0) return true;
  // Fewer would be hidden by too few: the deadline waits for them.
  if (answers < Math.max(leastResponses(state), state.secure?.core?.layout.minimum ?? 0)) return false;
  const isOver = state.nowMs >= state.deadlineMs;
  if (waiting.kind !== 'share' || state.purpose === 'certify') return isOver;
  // No round closes on a share that it could have waited for.
  return hasShare(state) && (isOver || straggler !== 'anytime');
}

/** Time since the start, but for pauses. */
export function trainingMs({ paused, pausedMs, startedMs, nowMs }: CoordinatorState): number {
  return (paused ? pausedMs : nowMs) - startedMs;
}

/** When something may change by time alone; Infinity: never. */
export function nextDeadline(state: CoordinatorState): number {
  const last = state.openedMs + mostMs(state);
  return state.deadlineMs > state.nowMs ? Math.min(state.deadlineMs, last) : last;
}

/** Whoever joins and then falls silent is waited for, but not for ever. */
export function gatheringTimer(state: CoordinatorState): CoordinatorEffect {
  state.deadlineMs = state.nowMs + state.options.maxWaitMs;
  return { type: 'timer', atMs: state.deadlineMs };
}
