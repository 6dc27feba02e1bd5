/** All that the coordinator's machine begins with: for the first time, or from what an earlier process has stored. */
import type { CoordinatorOptions } from './options.ts';
import { budgetFor, checkPrivacy } from './private-rounds.ts';
import { type CoordinatorState, newMember, type SecureSide, UNKNOWN } from './state.ts';
import type { StoredMember, StoredRun } from './stored.ts';
import { combinerOf, inquiryOf, newTrainer } from './training.ts';

export interface CoordinatorStart {
  readonly machine: 'coordinator';
  readonly options: CoordinatorOptions;
  /** What an earlier process has stored; absent: this is the first. */
  readonly run?: StoredRun | undefined;
  readonly members?: readonly StoredMember[] | undefined;
}

export function beginCoordinator({ options, run, members = [] }: CoordinatorStart): CoordinatorState {
  return run ? restoreCoordinator(options, run, members) : newCoordinator(options);
}

export function newCoordinator(options: CoordinatorOptions): CoordinatorState {
  checkPrivacy(options);
  return {
    options,
    phase: 'gathering',
    paused: false,
    pausedMs: 0,
    round: 0,
    purpose: 'train',
    openedMs: 0,
    sentMs: 0,
    startedMs: 0,
    deadlineMs: Number.POSITIVE_INFINITY,
    steeredMs: undefined,
    features: 0,
    scaling: undefined,
    trainer: undefined,
    members: new Map(),
    forgotten: new Map(),
    tally: undefined,
    measured: 0,
    nextIndex: 0,
    aggregated: 0,
    wokenRound: 0,
    gap: 1,
    bestGap: Number.POSITIVE_INFINITY,
    bestRound: 0,
    certificate: UNKNOWN,
    missing: [],
    best: undefined,
    bestW: undefined,
    finish: undefined,
    budget: budgetFor(options),
    contributions: new Map(),
    lastChange: undefined,
    secure: options.secure ? newSecureSide() : undefined,
    rejections: new Map(),
  };
}

function newSecureSide(): SecureSide {
  return {
    core: undefined,
    roster: [],
    seats: new Map(),
    rosterRound: 0,
    purpose: 'measure',
    phaseEndsMs: Number.POSITIVE_INFINITY,
    sent: new Map(),
    outcome: undefined,
  };
}

/** The coordinator as it was: `start` opens the round again that was open. */
export function restoreCoordinator(
  options: CoordinatorOptions,
  run: StoredRun,
  members: Iterable<StoredMember>,
): CoordinatorState {
  const state = newCoordinator(options);
  const { inquiry, accepted, combiner, budget, contributions, forgotten, paused, ...rest } = run;
  for (const [id, last] of forgotten) state.forgotten.set(id, last);
  // A crash in a summation: nothing of it was durable, the round is open again.
  Object.assign(state, { ...rest, phase: rest.phase === 'summing' ? 'open' : rest.phase });
  state.paused = paused ?? false;
  state.budget = budgetFor(options, budget);
  state.contributions = new Map(contributions);
  if (run.scaling) state.trainer = newTrainer(options, run.features);
  const inOrder = [...members].sort((a, b) => a.index - b.index);
  for (const { known, ...stored } of inOrder) {
    state.nextIndex = Math.max(state.nextIndex, stored.index + 1);
    state.members.set(stored.id, newMember(stored));
    if (stored.index < 0) continue;
    inquiryOf(state)?.join(stored.index);
    combinerOf(state)?.join(stored.index, { rows: stored.rows, u: known?.u.slice() });
  }
  if (inquiry) inquiryOf(state)?.recall(inquiry);
  if (combiner) combinerOf(state)?.recall(combiner);
  if (accepted) restoreAccepted(state, accepted);
  return state;
}

/** Newer than the members' own cells. */
function restoreAccepted({ members }: CoordinatorState, accepted: Float64Array): void {
  const byIndex = new Map([...members.values()].map((member) => [member.index, member]));
  for (const member of members.values()) member.accepted = { round: 0 };
  for (let i = 0; i < accepted.length; i += 3) {
    const [index, round, factor] = accepted.subarray(i, i + 3);
    const member = byIndex.get(index);
    if (member) member.accepted = factor < 1 ? { round, factor } : { round };
  }
}
