/**
 * The coordinator of secure aggregation (Bonawitz et al. 2017; SecAgg+ of Bell et al. 2020): it passes messages on and ends with
 * the sum of the vectors of those who were counted in. Masked vectors are added up as they arrive and kept by nobody.
 *
 * Four phases, each open until the driver closes it (everybody answered, or time is up):
 *
 *   dealing    take Dealt     close -> Delivered for each dealer
 *   masking    take Masked    close -> Counted for all that were counted in
 *   attesting  take Attested  close -> Attestations for each attester
 *   revealing  take Revealed  close -> the sum
 *
 * With too few answers in any phase the round is abandoned: then for at least one participant neither of its secrets can be
 * recovered, and every vector stays masked. The next attempt needs a new round number. The state is plain data. A `take` that
 * throws a SecureError has changed nothing; a duplicate is ignored.
 */
import { concatBytes } from '@noble/hashes/utils.js';
import { TAG_BYTES } from './consistency.ts';
import {
  type Abandoned,
  type Answers,
  abandon,
  answers,
  type CoordinatorState,
  type Culprit,
  demandCounted,
  expected,
  holdersOf,
  inPhase,
  keepHeld,
  positions,
  sealedFor,
  sharesByDealer,
  tagFor,
  tooFewHolders,
} from './coordinator-round.ts';
import { addWords, bytesToWords, checkRange, decode } from './fixed-point.ts';
import { neighboursOf, type Security } from './graph.ts';
import { checkSet, members, setOf } from './index-set.ts';
import { SECRET_BYTES } from './keys.ts';
import type {
  Attestations,
  Attested,
  Counted,
  Dealt,
  Delivered,
  Masked,
  Revealed,
  Roster,
  RoundPlan,
} from './messages.ts';
import { layoutOf, mustSend } from './roster.ts';
import { SEALED_BYTES } from './seat.ts';
import { demandBytes, refuse } from './secure-error.ts';
import { recoverAll, removeMasks } from './unmask.ts';

export interface Summed {
  readonly kind: 'summed';
  readonly sum: Float64Array;
  /** The sum as integers modulo 2^64, two words an entry, low word first. */
  readonly words: Uint32Array;
  readonly counted: readonly string[];
  readonly faulty: readonly string[];
  readonly culprits: readonly Culprit[];
}

/** `lastRound`: of an earlier coordinator of this federation, if there was one. */
export function newCoordinator(
  federation: string,
  roster: Roster,
  security: Security,
  lastRound = -1,
): CoordinatorState {
  const layout = layoutOf(federation, roster, security);
  const neighbours = layout.ids.map((_, i) => neighboursOf(layout.circle, i));
  return { layout, neighbours, lastRound, round: undefined };
}

export function openSecureRound(
  state: CoordinatorState,
  plan: Omit<RoundPlan, 'session'>,
  question: Uint8Array,
): Answers<RoundPlan> {
  if (!(Number.isSafeInteger(plan.round) && plan.round > state.lastRound))
    refuse('SECURE_OUT_OF_TURN', `round: expected one after ${state.lastRound}, got ${plan.round}`);
  if (!(Number.isSafeInteger(plan.length) && plan.length >= 0))
    refuse('SECURE_PARAMETERS', `round ${plan.round}: expected a number of entries, got ${plan.length}`);
  const { session, ids } = state.layout;
  checkRange({ ...plan, participants: ids.length });
  const full = { ...plan, session };
  state.lastRound = plan.round;
  state.round = {
    plan: full,
    question,
    phase: 'dealing',
    dealt: new Map(),
    sum: new Uint32Array(2 * plan.length),
    masked: new Set(),
    attested: new Map(),
    revealed: new Map(),
    faulty: new Set(),
  };
  return { kind: 'answers', to: new Map(ids.map((id) => [id, full])) };
}

export function takeDealt(state: CoordinatorState, from: string, message: Dealt): void {
  const { round, index } = expected(state, from, message, 'dealing');
  const { layout, neighbours } = state;
  const where = `shares of "${from}"`;
  const sent = neighbours[index].filter((holder) => mustSend(layout, index, holder)).length;
  demandBytes(message.commitments, 2 * SECRET_BYTES, `${where}, commitments`, from);
  demandBytes(message.table, neighbours[index].length * SECRET_BYTES, `${where}, table`, from);
  demandBytes(message.sealed, sent * SEALED_BYTES, where, from);
  if (!round.dealt.has(index)) round.dealt.set(index, message);
}

export function closeDealing(state: CoordinatorState): Answers<Delivered> | Abandoned {
  const { layout, neighbours } = state;
  const round = inPhase(state, 'dealing');
  keepHeld(state, round.dealt);
  if (round.dealt.size < layout.minimum)
    return abandon(state, round, short(round.dealt.size, layout.minimum));
  round.phase = 'masking';
  return answers(state, round.dealt.keys(), (index) => {
    const around = neighbours[index];
    const dealers = around.filter((dealer) => round.dealt.has(dealer));
    const sealed = dealers.filter((dealer) => mustSend(layout, dealer, index));
    return {
      round: round.plan.round,
      dealers: positions(dealers, around),
      sealed: concatBytes(...sealed.map((dealer) => sealedFor(state, round.dealt.get(dealer)!, index))),
    };
  });
}

export function takeMasked(state: CoordinatorState, from: string, message: Masked): void {
  const { round, index } = expected(state, from, message, 'masking');
  if (!round.dealt.has(index))
    refuse('SECURE_OUT_OF_TURN', `vector of "${from}": expected shares of this round first, got none`, from);
  demandBytes(message.vector, 8 * round.plan.length, `vector of "${from}"`, from);
  checkSet(message.complaints, state.neighbours[index].length, `complaints of "${from}"`, from);
  if (round.masked.has(index)) return;
  addWords(round.sum, bytesToWords(message.vector));
  round.masked.add(index);
  for (const at of members(message.complaints))
    round.faulty.add(state.layout.ids[state.neighbours[index][at]]);
}

export function closeMasking(state: CoordinatorState): Answers<Counted> | Abandoned {
  const round = inPhase(state, 'masking');
  const { layout } = state;
  if (round.masked.size < layout.minimum)
    return abandon(state, round, short(round.masked.size, layout.minimum));
  const unheld = tooFewHolders(state, round, round.masked);
  if (unheld) return abandon(state, round, unheld);
  round.phase = 'attesting';
  const counted = setOf(round.masked, layout.ids.length);
  return answers(state, round.masked, () => ({ round: round.plan.round, members: counted }));
}

export function takeAttested(state: CoordinatorState, from: string, message: Attested): void {
  const { round, index } = expected(state, from, message, 'attesting');
  const counted = state.neighbours[index].filter((neighbour) => round.masked.has(neighbour));
  demandCounted(round, index, from);
  demandBytes(message.tags, counted.length * TAG_BYTES, `attestation of "${from}"`, from);
  round.attested.set(index, message);
}

export function closeAttesting(state: CoordinatorState): Answers<Attestations> | Abandoned {
  const round = inPhase(state, 'attesting');
  const unheld = tooFewHolders(state, round, round.attested);
  if (unheld) return abandon(state, round, unheld);
  round.phase = 'revealing';
  return answers(state, round.attested.keys(), (index) => {
    const around = state.neighbours[index];
    const attesters = around.filter((neighbour) => round.attested.has(neighbour));
    return {
      round: round.plan.round,
      attesters: positions(attesters, around),
      tags: concatBytes(...attesters.map((attester) => tagFor(state, round, attester, index))),
    };
  });
}

export function takeRevealed(state: CoordinatorState, from: string, message: Revealed): void {
  const { round, index } = expected(state, from, message, 'revealing');
  const holders = holdersOf(state, index);
  demandCounted(round, index, from);
  checkSet(message.dealers, holders.length, `shares of "${from}", dealers`, from);
  const dealers = members(message.dealers);
  demandBytes(message.shares, dealers.length * SECRET_BYTES, `shares of "${from}"`, from);
  const stranger = dealers.find((at) => !round.dealt.has(holders[at]));
  if (stranger !== undefined)
    refuse(
      'SECURE_MALFORMED',
      `shares of "${from}": expected dealers of this round, got "${state.layout.ids[holders[stranger!]]}"`,
      from,
    );
  round.revealed.set(index, message);
}

export function closeRevealing(state: CoordinatorState): Summed | Abandoned {
  const { layout } = state;
  const round = inPhase(state, 'revealing');
  const unheld = tooFewHolders(state, round, round.revealed);
  if (unheld) return abandon(state, round, unheld);
  const counted = setOf(round.masked, layout.ids.length);
  const recovered = recoverAll(sharesByDealer(state, round), round.dealt, counted, layout);
  const culprits = recovered.culprits.map(({ index, fault, dealer }) => ({
    id: layout.ids[index],
    fault,
    dealer: layout.ids[dealer],
  }));
  for (const { id } of culprits) round.faulty.add(id);
  if (recovered.failed !== undefined) {
    const reason = `the shares of "${layout.ids[recovered.failed]}" do not give its secret`;
    return abandon(state, round, reason, culprits);
  }
  // Not in place: after a crash in the middle the state must still hold the masked sum.
  const words = round.sum.slice();
  removeMasks(words, recovered.secrets, round.dealt, counted, layout, round.question);
  state.round = undefined;
  return {
    kind: 'summed',
    sum: decode(words, round.plan),
    words,
    counted: members(counted).map((index) => layout.ids[index]),
    faulty: [...round.faulty].sort(),
    culprits,
  };
}

function short(got: number, minimum: number): string {
  return `expected at least ${minimum} participants, got ${got}`;
}
