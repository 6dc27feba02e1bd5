/**
 * What of the coordinator survives a crash, in pieces: the run once, and each participant that has changed. With answers a round
 * changes the run alone: a few vectors, and a few numbers for each participant.
 */
import { newPace } from '../base/pace.ts';
import type { Contribution } from '../privacy/defence/contribution.ts';
import type { StoredBudget } from '../privacy/dp/budget.ts';
import type { CombinerMemory, KnownMember } from '../solver/combiner.ts';
import type { InquiriesMemory } from '../solver/inquiries.ts';
import { earlierAgreement, initialAgreement } from './agreement.ts';
import { type LastingMember, type Member, newMember } from './member.ts';
import type { CoordinatorOptions } from './options.ts';
import { type AboveSide, ALONE, type Behind, type Place } from './place.ts';
import { budgetFor, checkPrivacy } from './private-rounds.ts';
import type { SecureSide } from './secure-side.ts';
import { type CoordinatorState, type Timing, UNKNOWN } from './state.ts';
import { combinerOf, dropProof, inquiryOf, newTrainer } from './training.ts';

export interface StoredMember extends LastingMember {
  /** With steps: its contribution. */
  readonly known: KnownMember | undefined;
}

const LASTING = [
  'round',
  'purpose',
  'features',
  'scaling',
  'agreement',
  'aggregated',
  'wokenRound',
  'gap',
  'bestGap',
  'bestRound',
  'certificate',
  'missing',
  'best',
  'finish',
] as const;

type Lasting = Readonly<Pick<CoordinatorState, (typeof LASTING)[number]>>;

export interface StoredRun extends Lasting {
  readonly phase: CoordinatorState['phase'];
  /** Absent: it is not. */
  readonly paused?: boolean | undefined;
  /** Absent: as the options have it. */
  readonly timing?: Timing | undefined;
  readonly forgotten: readonly (readonly [string, number])[];
  /** With answers: what is known from them, and three numbers for each member: its index, the round of its last accepted answer, its factor. */
  readonly inquiry?: InquiriesMemory | undefined;
  readonly accepted?: Float64Array | undefined;
  /** Where members are branches: what each has last said of those behind it. */
  readonly behind?: readonly (readonly [string, Behind])[] | undefined;
  /** With steps: what is known beside each member's contribution. */
  readonly combiner?: CombinerMemory | undefined;
  /** Under differential privacy, with the noise in the combiner's memory. */
  readonly budget?: StoredBudget | undefined;
  readonly contributions?: readonly (readonly [number, Contribution])[] | undefined;
  /** Of a branch: what it and its parent know of each other. */
  readonly above?: StoredAbove | undefined;
}

type StoredAbove = Readonly<
  Pick<AboveSide, 'edition' | 'hasDropped' | 'renewed' | 'held' | 'base' | 'pending' | 'opened' | 'covered'>
>;

/** One durable change: all of it or nothing. */
export interface StoredCoordinator {
  readonly run: StoredRun;
  readonly members: readonly StoredMember[];
  readonly removed: readonly string[];
}

/** The run and those members that have changed or gone, to be made durable. */
export function persist(
  state: CoordinatorState,
  changed: readonly Member[] = [],
  removed: readonly string[] = [],
): { readonly type: 'persist'; readonly changes: StoredCoordinator } {
  const { phase, paused, timing, budget, contributions, above } = state;
  const inquiry = inquiryOf(state);
  const combiner = combinerOf(state);
  const run = {
    phase,
    ...(paused && { paused }),
    ...(timing && { timing }),
    ...(Object.fromEntries(LASTING.map((name) => [name, state[name]])) as unknown as Lasting),
    forgotten: [...state.forgotten],
    ...(inquiry && { inquiry: inquiry.memory, accepted: acceptedAnswers(state) }),
    ...(state.place.below === 'groups' && { behind: behindMembers(state) }),
    ...(combiner && { combiner: combiner.memory }),
    ...(budget && { budget: budget.stored() }),
    ...(contributions.size > 0 && { contributions: [...contributions] }),
    ...(above && { above: storedAbove(above) }),
  };
  const unsaved = [...state.unsaved].flatMap((id) => state.members.get(id) ?? []);
  state.unsaved.clear();
  const members = [...new Set([...changed, ...unsaved])].map((member) => storedMember(state, member));
  return { type: 'persist', changes: { run, members, removed } };
}

function storedAbove(above: AboveSide): StoredAbove {
  const { edition, hasDropped, renewed, held, base, pending, opened, covered } = above;
  return { edition, hasDropped, renewed, held, base, pending, opened, covered };
}

export function acceptedAnswers({ members }: CoordinatorState): Float64Array {
  const numbers: number[] = [];
  for (const { index, accepted } of members.values()) {
    if (accepted.round > 0) numbers.push(index, accepted.round, accepted.factor ?? 1);
  }
  return Float64Array.from(numbers);
}

function behindMembers({ members }: CoordinatorState): [string, Behind][] {
  return [...members.values()].flatMap(({ id, behind }) => (behind ? [[id, behind]] : []));
}

function storedMember(state: CoordinatorState, member: Member): StoredMember {
  const { id, index, rows, benchmarkMs, session, barred, presence, accepted, edition } = member;
  const { advertisement, expelled, participants } = member;
  const known = combinerOf(state)?.members.get(index);
  const copy = known && { u: known.u };
  return {
    ...{ id, index, rows, benchmarkMs, session, barred, presence, accepted, edition },
    ...(participants !== undefined && { participants }),
    ...(advertisement && { advertisement }),
    ...(expelled !== undefined && { expelled }),
    known: copy,
  };
}

/** All that the machine begins with: for the first time, or from what an earlier process has stored. */
export interface CoordinatorStart {
  readonly machine: 'coordinator';
  readonly options: CoordinatorOptions;
  /** What an earlier process has stored; absent: this is the first. */
  readonly run?: StoredRun | undefined;
  readonly members?: readonly StoredMember[] | undefined;
  /** Absent: it is alone. */
  readonly place?: Place | undefined;
}

export function beginCoordinator({ options, run, members = [], place }: CoordinatorStart): CoordinatorState {
  return run ? restoreCoordinator(options, run, members, place) : newCoordinator(options, place);
}

export function newCoordinator(options: CoordinatorOptions, place: Place = ALONE): CoordinatorState {
  checkPrivacy(options);
  return {
    options,
    place,
    above: place.above && newAbove(place.above),
    phase: 'gathering',
    paused: false,
    pausedMs: 0,
    round: 0,
    purpose: 'train',
    nowMs: 0,
    openedMs: 0,
    startedMs: 0,
    deadlineMs: Number.POSITIVE_INFINITY,
    usualWayMs: 0,
    features: 0,
    scaling: undefined,
    agreement: initialAgreement(options),
    trainer: undefined,
    members: new Map(),
    forgotten: new Map(),
    unsaved: new Set(),
    joins: new Map(),
    tally: undefined,
    meanings: undefined,
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
    // Whoever has branches below gets their sums, and does not take part in making them.
    secure: options.secure && place.below === 'participants' ? newSecureSide() : undefined,
    shownRounds: 0,
    rejections: new Map(),
    declines: new Map(),
    faults: new Map(),
  };
}

function newAbove({ name, epoch }: NonNullable<Place['above']>): AboveSide {
  return {
    name,
    epoch,
    isKnown: false,
    isCurrent: false,
    heardMs: 0,
    edition: 0,
    isNews: false,
    hasDropped: false,
    awaited: 1,
    waitingFor: undefined,
    momentsSentMs: Number.NEGATIVE_INFINITY,
    measureFromMs: 0,
    moments: undefined,
    opened: 0,
    spent: 0,
    renewed: 0,
    held: [],
    base: 0,
    pending: undefined,
    order: undefined,
    covered: undefined,
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
    pace: newPace(),
    sent: new Map(),
    declined: new Map(),
    outcome: undefined,
  };
}

/** The coordinator as it was: `start` opens the round again that was open. */
export function restoreCoordinator(
  options: CoordinatorOptions,
  run: StoredRun,
  members: Iterable<StoredMember>,
  place: Place = ALONE,
): CoordinatorState {
  const state = newCoordinator({ ...options, ...run.timing }, place);
  const { inquiry, accepted, behind, combiner, budget, contributions, forgotten, paused, above, ...rest } =
    run;
  for (const [id, last] of forgotten) state.forgotten.set(id, last);
  // A crash in a summation: nothing of it was durable, the round is open again.
  Object.assign(state, { ...rest, phase: rest.phase === 'summing' ? 'open' : rest.phase });
  state.paused = paused ?? false;
  state.budget = budgetFor(options, budget);
  state.contributions = new Map(contributions);
  if (run.scaling) {
    state.agreement ??= earlierAgreement(options);
    state.trainer = newTrainer(options, run.features, state.agreement, place);
  }
  if (state.above) restoreAbove(state, above);
  const inOrder = [...members].sort((a, b) => a.index - b.index);
  for (const { known, ...stored } of inOrder) {
    state.nextIndex = Math.max(state.nextIndex, stored.index + 1);
    state.members.set(stored.id, newMember(stored));
    if (stored.index < 0) continue;
    inquiryOf(state)?.join(stored.index, stored.participants);
    combinerOf(state)?.join(stored.index, { rows: stored.rows, u: known?.u.slice() });
  }
  if (inquiry) inquiryOf(state)?.recall(inquiry);
  if (combiner) combinerOf(state)?.recall(combiner);
  if (accepted) restoreAccepted(state, accepted);
  for (const [id, last] of behind ?? []) {
    const member = state.members.get(id);
    if (member) member.behind = last;
  }
  // The best w of steps is not stored: the one that is left is another.
  if (combiner && state.best && state.best.round !== state.round) dropProof(state);
  return state;
}

/** What was under way below is not known any more: the parent asks again, and is answered as if for the first time. */
function restoreAbove(state: CoordinatorState, stored: StoredAbove | undefined): void {
  const above = state.above!;
  Object.assign(above, { ...stored, spent: state.secure ? (stored?.opened ?? 0) : 0 });
  if (state.phase === 'finished') return;
  if (!state.secure) above.opened = above.pending?.message.round ?? above.base;
  state.phase = state.scaling ? 'summing' : 'gathering';
}

/** Newer than the members' own cells. */
export function restoreAccepted({ members }: CoordinatorState, accepted: Float64Array): void {
  const byIndex = new Map([...members.values()].map((member) => [member.index, member]));
  for (const member of members.values()) member.accepted = { round: 0 };
  for (let i = 0; i < accepted.length; i += 3) {
    const [index, round, factor] = accepted.subarray(i, i + 3);
    const member = byIndex.get(index);
    if (member) member.accepted = factor < 1 ? { round, factor } : { round };
  }
}
