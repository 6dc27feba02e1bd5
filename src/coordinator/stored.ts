/**
 * What of the coordinator survives a crash, in pieces: the run once, and each participant that has changed. With answers a round
 * changes the run alone: a few vectors, and a few numbers for each participant.
 */
import type { Contribution } from '../privacy/defence/contribution.ts';
import type { StoredBudget } from '../privacy/dp/budget.ts';
import type { CombinerMemory, KnownMember } from '../solver/combiner.ts';
import type { InquiryMemory } from '../solver/inquiry-types.ts';
import type { CoordinatorState, LastingMember, Member } from './state.ts';
import { combinerOf, inquiryOf } from './training.ts';

export interface StoredMember extends LastingMember {
  /** With steps: its contribution. */
  readonly known: KnownMember | undefined;
}

const LASTING = [
  'round',
  'purpose',
  'features',
  'scaling',
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
  readonly forgotten: readonly (readonly [string, number])[];
  /** With answers: what is known from them, and three numbers for each member: its index, the round of its last accepted answer, its factor. */
  readonly inquiry?: InquiryMemory | undefined;
  readonly accepted?: Float64Array | undefined;
  /** With steps: what is known beside each member's contribution. */
  readonly combiner?: CombinerMemory | undefined;
  /** Under differential privacy, with the noise in the combiner's memory. */
  readonly budget?: StoredBudget | undefined;
  readonly contributions?: readonly (readonly [number, Contribution])[] | undefined;
}

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
  const { phase, paused, budget, contributions } = state;
  const inquiry = inquiryOf(state);
  const combiner = combinerOf(state);
  const run = {
    phase,
    ...(paused && { paused }),
    ...(Object.fromEntries(LASTING.map((name) => [name, state[name]])) as unknown as Lasting),
    forgotten: [...state.forgotten],
    ...(inquiry && { inquiry: inquiry.memory, accepted: acceptedAnswers(state) }),
    ...(combiner && { combiner: combiner.memory }),
    ...(budget && { budget: budget.stored() }),
    ...(contributions.size > 0 && { contributions: [...contributions] }),
  };
  const members = changed.map((member) => storedMember(state, member));
  return { type: 'persist', changes: { run, members, removed } };
}

function acceptedAnswers({ members }: CoordinatorState): Float64Array {
  const numbers: number[] = [];
  for (const { index, accepted } of members.values()) {
    if (accepted.round > 0) numbers.push(index, accepted.round, accepted.factor ?? 1);
  }
  return Float64Array.from(numbers);
}

function storedMember(state: CoordinatorState, member: Member): StoredMember {
  const { id, index, rows, benchmarkMs, session, barred, presence, accepted, edition, advertisement } =
    member;
  const known = combinerOf(state)?.members.get(index);
  const copy = known && { u: known.u };
  const keys = advertisement && { advertisement };
  return { id, index, rows, benchmarkMs, session, barred, presence, accepted, edition, ...keys, known: copy };
}
