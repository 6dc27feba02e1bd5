/**
 * Conservation between a coordinator's store and its participants' own states: what the store has of a participant is what the
 * participant has itself, and all that they have adds up to the sum that the store has. Pure.
 *
 * An answer that the store has accepted and the participant does not know of yet is settled first, with the participant's own code: u
 * needs neither its rows nor its boxes for that. With the paper's masking what participants have sent counts, not what they kept.
 */

import { KindredError } from '../base/errors.ts';
import type { CoordinatorOptions } from '../coordinator/options.ts';
import type { StoredMember, StoredRun } from '../coordinator/stored.ts';
import { restoreCoordinator } from '../coordinator/stored.ts';
import { combinerOf } from '../coordinator/training.ts';
import { acceptedSolution } from '../participant/outcome.ts';
import type { Stored } from '../participant/state.ts';
import type { Accepted } from '../protocol/messages.ts';
import { sentPart } from '../solver/member.ts';
import { addScaled, norm, plusScaled } from '../solver/vector.ts';

/**
 * equal      what the store has of it is what it has itself
 * pending, settled    the same, once it knows that its last answer was accepted
 * summed     only the sum of all is known to the store
 * different  they contradict each other
 * missing    it has contributed, and its state is not given
 * idle       it has contributed nothing
 * forgotten  its contribution was taken out of w
 * unknown    it has contributed, and the store knows nothing of it
 */
type Verdict =
  | 'equal'
  | 'pending, settled'
  | 'summed'
  | 'different'
  | 'missing'
  | 'idle'
  | 'forgotten'
  | 'unknown';

export interface VerifiedParticipant {
  readonly id: string;
  readonly verdict: Verdict;
  /** Last round whose answer was accepted, as the store has it and as the participant has it; null: not known. */
  readonly storeRound: number | null;
  readonly ownRound: number | null;
  /** |u_k in the store - u_k of its own| / the larger of the two; null where there is nothing to compare. */
  readonly relativeDifference: number | null;
}

export interface Verification {
  readonly participants: readonly VerifiedParticipant[];
  /** |w - sum_k u_k| / |w|, with the participants' own u_k, and w without the noise that was put on it. */
  readonly conservation: { readonly relativeError: number };
  readonly ok: boolean;
}

export interface StoredRunOf {
  readonly options: CoordinatorOptions;
  readonly run: StoredRun;
  readonly members: readonly StoredMember[];
}

/** Without the verdict on its difference, which depends on the tolerance. */
interface Compared extends Omit<VerifiedParticipant, 'verdict'> {
  readonly id: string;
  readonly kind: Exclude<Verdict, 'different'>;
  /** What it adds to the sum. */
  readonly u: Float64Array | undefined;
}

/** `states` by participant: what each has stored. Undefined: the store has no run yet. */
export function verified(
  stored: StoredRunOf | undefined,
  states: ReadonlyMap<string, Stored>,
  tolerance: number,
): Verification {
  if (stored) checkVerifiable(stored.options);
  const w = stored ? sumOf(stored) : new Float64Array(0);
  const known = stored ? stored.members.map((one) => compareMember(stored, one, states.get(one.id))) : [];
  const ids = new Set(known.map(({ id }) => id));
  const others = [...states].filter(([id]) => !ids.has(id));
  const unknown = others.map(([id, state]) => compareOther(stored?.run.forgotten ?? [], id, state));
  const rest = w.slice();
  for (const { u } of known) if (u) addScaled(rest, -1, u);
  const relativeError = norm(rest) / (norm(w) || 1);
  const participants = [...known, ...unknown].map((one) => judged(one, tolerance));
  const good = participants.every(({ verdict }) => !['different', 'missing', 'unknown'].includes(verdict));
  return { participants, conservation: { relativeError }, ok: good && relativeError <= tolerance };
}

/** Where the participants add noise to a secure sum nobody knows it, and w is not the sum of what participants have. */
function checkVerifiable({ dp, secure }: CoordinatorOptions): void {
  if (!dp || !secure) return;
  throw new KindredError(
    'NOT_VERIFIABLE',
    'the participants of this federation add noise to secure sums: nobody knows it, and nothing can be compared',
    'run',
  );
}

/**
 * The sum of all contributions that count, as the store has it: with answers that of the last accepted ones, with steps w without
 * noise; for MOCHA, which has no w, the sum of what is known of each.
 */
function sumOf({ options, run, members }: StoredRunOf): Float64Array {
  if (run.inquiry) return run.inquiry.u;
  const combiner = combinerOf(restoreCoordinator(options, run, members));
  if (!combiner) return new Float64Array(0);
  if (options.method !== 'mocha') {
    const { noise } = combiner.memory;
    return noise ? plusScaled(combiner.w, -1, noise) : combiner.w;
  }
  const sum = new Float64Array(combiner.w.length);
  for (const { u } of combiner.members.values()) addScaled(sum, 1, u);
  return sum;
}

function compareMember(stored: StoredRunOf, member: StoredMember, state: Stored | undefined): Compared {
  const { id, known } = member;
  const accepted = acceptedBy(stored.run, member);
  const storeRound = accepted.round;
  // With steps its contribution is in the store; otherwise only the sum of all is.
  const contributed = known ? norm(known.u) > 0 : storeRound > 0;
  if (!state) {
    const kind = contributed ? 'missing' : 'idle';
    return { id, kind, storeRound, ownRound: null, relativeDifference: null, u: undefined };
  }
  const isPending = state.pending !== undefined && state.pending.message.round === storeRound;
  const u = storeRound > 0 || known ? ownPart(state, accepted) : undefined;
  const base = { id, storeRound, ownRound: state.base, u };
  if (!known) {
    // What was dropped here is dropped there, too, as soon as the participant learns of it.
    const agree = isPending || state.base === storeRound || storeRound === 0;
    return {
      ...base,
      kind: isPending ? 'pending, settled' : contributed ? 'summed' : 'idle',
      relativeDifference: agree ? null : Number.POSITIVE_INFINITY,
    };
  }
  const relativeDifference = difference(known.u, u);
  const kind = isPending ? 'pending, settled' : contributed || (u && norm(u) > 0) ? 'equal' : 'idle';
  return { ...base, kind, relativeDifference };
}

/** With answers the run has them, newer than the member's own cell. */
export function acceptedBy({ inquiry, accepted }: StoredRun, member: StoredMember): Accepted {
  if (!inquiry || !accepted) return member.accepted;
  for (let i = 0; i < accepted.length; i += 3) {
    if (accepted[i] === member.index) return { round: accepted[i + 1], factor: accepted[i + 2] };
  }
  return { round: 0 };
}

function compareOther(forgotten: StoredRun['forgotten'], id: string, state: Stored): Compared {
  const { committed, base: ownRound } = state;
  const contributed = committed !== undefined && norm(sentPart(committed).u) > 0;
  const wasForgotten = forgotten.some(([name]) => name === id);
  const kind = wasForgotten ? 'forgotten' : contributed ? 'unknown' : 'idle';
  return { id, kind, storeRound: null, ownRound, relativeDifference: null, u: undefined };
}

function judged({ kind, u: _, ...one }: Compared, tolerance: number): VerifiedParticipant {
  const { relativeDifference } = one;
  const isWrong = relativeDifference !== null && !(relativeDifference <= tolerance);
  return { ...one, verdict: isWrong ? 'different' : kind };
}

/** The participant's u as the coordinator should know it, with an answer settled that it does not know the outcome of. */
function ownPart({ committed, pending }: Stored, accepted: Accepted): Float64Array | undefined {
  if (pending?.message.round !== accepted.round) return committed && sentPart(committed).u;
  const n = pending.solution.beta.length;
  // u does not depend on the boxes.
  const context = {
    y: new Float64Array(n),
    cap: new Float64Array(n),
    settings: { objective: 'classification', epsilon: 0 },
  } as const;
  return sentPart(acceptedSolution(context, committed, pending.solution, accepted)).u;
}

/** Relative to the larger of the two: from 0 to 2, whatever they are. */
function difference(a: Float64Array | undefined, b: Float64Array | undefined): number {
  if (!a || !b) return (a && norm(a) > 0) || (b && norm(b) > 0) ? Number.POSITIVE_INFINITY : 0;
  if (a.length !== b.length) return Number.POSITIVE_INFINITY;
  return norm(plusScaled(a, -1, b)) / (Math.max(norm(a), norm(b)) || 1);
}
