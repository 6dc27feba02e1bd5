/** What of the coordinator survives a crash, in pieces: the whole run once, and each participant that has changed. */
import type { Contribution } from '../privacy/defence/index.ts';
import type { StoredBudget } from '../privacy/dp/index.ts';
import type { FinishReason } from '../protocol/index.ts';
import type { CombinerMemory, KnownMember } from '../solver/index.ts';
import { newCombiner } from './combining.ts';
import type { CoordinatorOptions } from './options.ts';
import { budgetFor } from './private-rounds.ts';
import type { SecureSide } from './secure-state.ts';
import {
  type CoordinatorState,
  type LastingMember,
  type Member,
  newCoordinator,
  newMember,
} from './state.ts';

export interface StoredMember extends LastingMember {
  readonly known: KnownMember | undefined;
}

/** With what the aggregator has learnt, once there is one. */
export interface StoredRun extends CombinerMemory {
  readonly phase: CoordinatorState['phase'];
  /** Absent: it is not. */
  readonly paused?: boolean | undefined;
  readonly round: number;
  readonly purpose: 'train' | 'certify';
  readonly features: number;
  readonly scaling: CoordinatorState['scaling'];
  readonly aggregated: number;
  readonly gap: number;
  readonly bestGap: number;
  readonly bestRound: number;
  readonly best: CoordinatorState['best'];
  readonly finish: FinishReason | undefined;
  readonly forgotten: readonly (readonly [string, number])[];
  /** Under differential privacy, with the noise in the aggregator's memory. */
  readonly budget?: StoredBudget | undefined;
  readonly contributions?: readonly (readonly [number, Contribution])[] | undefined;
  /** What is known from sums. */
  readonly secure?: Pick<SecureSide, 'certificate' | 'looked' | 'unseen'> | undefined;
}

const NOTHING_LEARNT: CombinerMemory = { sigma: undefined, relations: undefined };

/** One durable change: all of it or nothing. */
export interface StoredCoordinator {
  readonly run: StoredRun;
  readonly members: readonly StoredMember[];
  readonly removed: readonly string[];
}

export function storedChanges(state: CoordinatorState, changed: readonly Member[]): StoredCoordinator {
  const {
    phase,
    paused,
    round,
    purpose,
    features,
    scaling,
    aggregator,
    aggregated,
    gap,
    bestGap,
    bestRound,
    best,
    finish,
  } = state;
  return {
    run: {
      phase,
      ...(paused && { paused }),
      round,
      purpose,
      features,
      scaling,
      ...(aggregator?.memory ?? NOTHING_LEARNT),
      aggregated,
      gap,
      bestGap,
      bestRound,
      best,
      finish,
      forgotten: [...state.forgotten],
      ...(state.budget && { budget: state.budget.stored() }),
      ...(state.contributions.size > 0 && { contributions: [...state.contributions] }),
      ...(state.secure && { secure: knownFromSums(state.secure) }),
    },
    members: changed.map((member) => storedMember(state, member)),
    removed: [],
  };
}

function knownFromSums({ certificate, looked, unseen }: SecureSide): StoredRun['secure'] {
  return { certificate, looked, unseen };
}

function storedMember({ aggregator }: CoordinatorState, member: Member): StoredMember {
  const { id, index, rows, benchmarkMs, session, barred, presence, accepted, advertisement } = member;
  const known = aggregator?.members.get(index);
  const copy = known && { u: known.u, atoms: lastingAtoms(known.atoms, aggregator!.atoms) };
  const keys = advertisement && { advertisement };
  return { id, index, rows, benchmarkMs, session, barred, presence, accepted, ...keys, known: copy };
}

/** Those that the next update of the participant leaves: it takes the place of the oldest. */
function lastingAtoms<Atom>(atoms: readonly Atom[], kept: number): Atom[] {
  return atoms.slice(Math.max(0, atoms.length + 1 - kept));
}

/** The coordinator as it was: `start` opens the round again that was open. */
export function restoreCoordinator(
  options: CoordinatorOptions,
  run: StoredRun,
  members: Iterable<StoredMember>,
): CoordinatorState {
  const state = newCoordinator(options);
  const { sigma, relations, noise, total, budget, contributions, forgotten, secure, paused, ...rest } = run;
  if (state.secure && secure) Object.assign(state.secure, secure);
  for (const [id, last] of forgotten) state.forgotten.set(id, last);
  // A crash in a summation: nothing of it was durable, the round is open again.
  Object.assign(state, { ...rest, phase: rest.phase === 'summing' ? 'open' : rest.phase });
  state.paused = paused ?? false;
  state.budget = budgetFor(options, budget);
  state.contributions = new Map(contributions);
  if (run.scaling) state.aggregator = newCombiner(options, run.features);
  const inOrder = [...members].sort((a, b) => a.index - b.index);
  for (const { known, ...stored } of inOrder) {
    state.nextIndex = Math.max(state.nextIndex, stored.index + 1);
    state.members.set(stored.id, newMember(stored));
    if (state.aggregator && stored.index >= 0) {
      const { rows } = stored;
      state.aggregator.join(stored.index, { rows, u: known?.u.slice(), atoms: [...(known?.atoms ?? [])] });
    }
  }
  state.aggregator?.recall({ sigma, relations, noise, total });
  return state;
}
