/**
 * The operator pauses and resumes a run. While it is paused no round closes, no deadline passes, nothing is said again by a
 * timer and training does not start; whoever speaks is answered as ever, and the open round keeps the answers that it gets. Two
 * things still open a round: a summation that was under way, which is completed, and `forget`, after which there is another w.
 *
 * That a run is paused is durable before anything follows from it. Time spent paused counts for no limit.
 */
import type { CoordinatorEffect } from './effects.ts';
import { gatheringTimer } from './membership.ts';
import { beginWaiting, open, sayRoundAgain } from './rounds.ts';
import type { CoordinatorState } from './state.ts';
import { storedChanges } from './stored.ts';

export function onPause(state: CoordinatorState, now: number): CoordinatorEffect[] {
  if (state.paused || state.phase === 'finished') return [];
  state.paused = true;
  state.pausedMs = now;
  return [{ type: 'persist', changes: storedChanges(state, []) }];
}

export function onResume(state: CoordinatorState, now: number): CoordinatorEffect[] {
  if (!state.paused) return [];
  state.paused = false;
  state.startedMs += now - state.pausedMs;
  // A secret sum that stood still is given up for a new one, as after a crash.
  if (state.phase === 'open' && state.secure) return open(state, state.purpose, now, []);
  return [{ type: 'persist', changes: storedChanges(state, []) }, ...goOn(state, now)];
}

function goOn(state: CoordinatorState, now: number): CoordinatorEffect[] {
  switch (state.phase) {
    case 'gathering':
      return [gatheringTimer(state, now)];
    case 'open':
      beginWaiting(state, now);
      return sayRoundAgain(state, now);
    default:
      // The summation opens the next round when it is done.
      return [];
  }
}
