/**
 * Defence of the model (privacy/defence/): how far one participant may move it in a round, and what each contributes. It
 * needs single updates in the clear: there is none of it under secure aggregation.
 *
 * A change over a bound is taken in part: the same share c_k of it counts on both sides (`Accepted.factor`).
 * Scores are computed from the changes as they were sent. A suspicion is reported to the operator and changes nothing.
 */
import { type Contribution, recordRound, scoreRound } from '../privacy/defence/contribution.ts';
import {
  boundNorms,
  boundNormsRobustly,
  type Change,
  type NormVerdict,
} from '../privacy/defence/norm-bound.ts';
import { type Suspicion, suspects } from '../privacy/defence/suspects.ts';
import { plusScaled } from '../solver/vector.ts';
import type { Member } from './member.ts';
import type { MemberScore } from './round-row.ts';
import type { CoordinatorState } from './state.ts';
import { inquiryOf, sharedPart } from './training.ts';

export interface Standing {
  readonly id: string;
  readonly contribution: Contribution;
  readonly suspicions: readonly Suspicion[];
}

/** The share of each change that may be taken; 0: it is refused. */
export function bounded(
  { options: { defence } }: CoordinatorState,
  changes: readonly Change[],
): ReadonlyMap<number, number> {
  const verdicts: NormVerdict[][] = [];
  if (defence?.normBound !== undefined) verdicts.push(boundNorms(changes, defence.normBound, 'clip'));
  if (defence?.robust) verdicts.push(boundNormsRobustly(changes, defence.robust));
  return new Map(
    changes.map(({ member }, i) => [member, Math.min(1, ...verdicts.map((all) => all[i].factor))]),
  );
}

/** Scores of a round, folded into the running averages; undefined where nobody asked for them. */
export function scored(
  state: CoordinatorState,
  members: readonly Member[],
  changes: readonly Change[],
): MemberScore[] | undefined {
  if (state.options.defence?.scores !== 'on') return undefined;
  const scores = scoreRound(changes, state.lastChange);
  state.contributions = recordRound(state.contributions, scores);
  const idOf = new Map(members.map(({ index, id }) => [index, id]));
  return scores.map(({ member, cosine, normRatio, ownShare }) => ({
    id: idOf.get(member)!,
    cosine,
    normRatio,
    ownShare,
  }));
}

/** Whoever echoes what was broadcast echoes this: the change of the query, or of w. */
export function noteChange(state: CoordinatorState, before: Float64Array): void {
  if (state.options.defence?.scores !== 'on') return;
  const now = inquiryOf(state)?.query ?? sharedPart(state)!;
  state.lastChange = plusScaled(now, -1, before);
}

export function forgetContribution(state: CoordinatorState, { index }: Member): void {
  const rest = new Map(state.contributions);
  rest.delete(index);
  state.contributions = rest;
}

/** What each member has contributed so far, and who is under suspicion. */
export function standings(state: CoordinatorState): Standing[] {
  const found = new Map(
    suspects(state.contributions).map(({ member, suspicions }) => [member, suspicions] as const),
  );
  return [...state.members.values()].flatMap(({ id, index }) => {
    const contribution = state.contributions.get(index);
    return contribution ? [{ id, contribution, suspicions: found.get(index) ?? [] }] : [];
  });
}
