/**
 * A participant of secure aggregation (Bonawitz et al. 2017, against a coordinator that may lie; SecAgg+ of Bell et al. 2020):
 * its vector goes into a sum that the coordinator learns, and nobody learns anything else about it.
 *
 * Every function takes a message and returns the answer, after it has changed the state. THE STATE MUST BE DURABLE BEFORE THE
 * ANSWER IS SENT, and may never be set back: a round that is answered twice from the same state would use a mask twice. The state
 * is plain data (structuredClone copies it). A message that comes again, as on a lossy network, gets the very same answer; a
 * message of the same round with other content is refused. Whatever throws a SecureError has changed nothing.
 *
 * What is revealed for a round is fixed by the first set that was attested to: of every neighbour one share, of its self mask if it
 * was counted in, of its recovery secret if not, never both.
 */
import { equalBytes } from '@noble/ciphers/utils.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { QUESTION_BYTES, statementOf, TAG_BYTES, tagOf } from './consistency.ts';
import { dealSecrets, halves } from './dealing.ts';
import { encode, wordsToBytes } from './fixed-point.ts';
import { checkSet, has, type IndexSet, members, sameBytes, setOf } from './index-set.ts';
import type { Entropy } from './keys.ts';
import { maskVector } from './masking.ts';
import {
  maskedRound,
  openRound,
  type ParticipantRound,
  type ParticipantState,
  samePlan,
  seatOf,
} from './membership.ts';
import type {
  Attestations,
  Attested,
  Counted,
  Dealt,
  Delivered,
  Masked,
  Revealed,
  RoundPlan,
} from './messages.ts';
import { mustSend } from './roster.ts';
import { derivedShare, fromMe, type Neighbour, open, SEALED_BYTES, type Seat, toMe } from './seat.ts';
import { demandBytes, refuse } from './secure-error.ts';

/** Opens a round: secrets are drawn and dealt to the neighbours. */
export function deal(state: ParticipantState, plan: RoundPlan, entropy: Entropy): Dealt {
  const seat = seatOf(state);
  if (!sameBytes(plan.session, seat.layout.session))
    refuse('SECURE_OUT_OF_TURN', `round ${plan.round}: expected the roster of this session, got another`);
  if (state.round && plan.round === state.lastRound) {
    if (!samePlan(plan, state.round.plan))
      refuse(
        'SECURE_CONTRADICTION',
        `round ${plan.round}: expected the plan it was opened with, got another`,
      );
    return state.round.dealt;
  }
  if (!(Number.isSafeInteger(plan.round) && plan.round > state.lastRound))
    refuse('SECURE_OUT_OF_TURN', `round: expected one after ${state.lastRound}, got ${plan.round}`);
  const { message, ownShare, selfMask } = dealSecrets(seat, plan.round, entropy);
  state.lastRound = plan.round;
  state.round = { plan, dealt: message, ownShare, selfMask, masked: undefined, counted: undefined };
  return message;
}

/**
 * Masks the vector, with the neighbours that have dealt. A second vector of the same round is never masked. `question` is the digest
 * of all that the vector answers to: nothing is uncovered unless the others were asked the same.
 */
export function mask(
  state: ParticipantState,
  delivered: Delivered,
  values: Float64Array,
  question: Uint8Array,
): Masked {
  const { seat, round } = openRound(state, delivered.round);
  demandBytes(question, QUESTION_BYTES, `question of round ${delivered.round}`);
  if (round.masked) {
    const before = round.masked.delivered;
    if (!(sameBytes(before.dealers, delivered.dealers) && sameBytes(before.sealed, delivered.sealed)))
      refuse(
        'SECURE_CONTRADICTION',
        `round ${delivered.round}: expected the shares delivered before, got others`,
      );
    return round.masked.message;
  }
  const present = dealersIn(seat, delivered);
  const { plan } = round;
  if (values.length !== plan.length)
    refuse(
      'SECURE_PARAMETERS',
      `vector of round ${plan.round}: expected ${plan.length} entries, got ${values.length}`,
    );
  const words = encode(values, { ...plan, participants: seat.layout.ids.length });
  maskVector(words, seat, present, round.selfMask, plan.round, question);
  const unopened = members(delivered.dealers).filter(
    (at) => isSealed(seat, at) && !shareOf(seat, plan.round, at, delivered),
  );
  const message = {
    round: plan.round,
    from: seat.index,
    vector: wordsToBytes(words),
    complaints: setOf(unopened, seat.neighbours.length),
  };
  round.masked = { message, delivered, question };
  return message;
}

/** Attests to every neighbour that was counted in which set we were shown. From here on there is no other for this round. */
export function attest(state: ParticipantState, { round: number, members: counted }: Counted): Attested {
  const { seat, round, delivered, question } = maskedRound(state, number);
  if (round.counted && !sameBytes(round.counted, counted))
    refuse(
      'SECURE_CONTRADICTION',
      `round ${number}: expected the set of participants shown before, got another`,
    );
  checkCounted(seat, number, delivered, counted);
  const statement = statementOf(round.plan, question, counted);
  const tags = seat.neighbours
    .filter((neighbour) => has(counted, neighbour.index))
    .map((neighbour) => tagOf(neighbour, fromMe(seat, neighbour, number), statement));
  round.counted = counted.slice();
  return { round: number, from: seat.index, tags: concatBytes(...tags) };
}

/** Reveals one share of every dealer, once enough neighbours were shown the same set. */
export function reveal(state: ParticipantState, attestations: Attestations): Revealed {
  const { seat, round, delivered, question } = maskedRound(state, attestations.round);
  const { counted } = round;
  if (!counted)
    refuse(
      'SECURE_OUT_OF_TURN',
      `round ${attestations.round}: expected a set to attest to first, got attestations`,
    );
  checkAttestations(seat, round.plan, attestations, statementOf(round.plan, question, counted), counted);
  const held = heldShares(seat, round, delivered);
  const shares = held.map(({ index, share }) =>
    has(counted, index) ? halves(share).selfMask : halves(share).recovery,
  );
  return {
    round: attestations.round,
    from: seat.index,
    dealers: setOf(
      held.map(({ at }) => at),
      seat.neighbours.length + 1,
    ),
    shares: concatBytes(...shares),
  };
}

/** Our share of the secrets of the neighbour at a position; `undefined` if what it sent cannot be opened. */
function shareOf(seat: Seat, round: number, at: number, delivered: Delivered): Uint8Array | undefined {
  const dealer = seat.neighbours[at];
  const context = toMe(seat, dealer, round);
  if (!isSealed(seat, at)) return derivedShare(dealer.root, context);
  const before = members(delivered.dealers).filter((other) => other < at && isSealed(seat, other)).length;
  const sealed = delivered.sealed.subarray(before * SEALED_BYTES, (before + 1) * SEALED_BYTES);
  return open(sealed, dealer.root, context);
}

/** Whether the neighbour at a position must send us our share of its secrets. */
function isSealed({ layout, neighbours, index }: Seat, at: number): boolean {
  return mustSend(layout, neighbours[at].index, index);
}

/** All shares we hold, our own among them, by ascending index of the dealer. */
function heldShares(seat: Seat, round: ParticipantRound, delivered: Delivered) {
  const own = seat.neighbours.filter(({ index }) => index < seat.index).length;
  const held = members(delivered.dealers).flatMap((at) => {
    const share = shareOf(seat, round.plan.round, at, delivered);
    return share ? [{ at: at < own ? at : at + 1, index: seat.neighbours[at].index, share }] : [];
  });
  held.push({ at: own, index: seat.index, share: round.ownShare });
  return held.sort((a, b) => a.at - b.at);
}

/** The neighbours that have dealt, provided that enough did. */
function dealersIn(seat: Seat, delivered: Delivered): Neighbour[] {
  const where = `delivery of round ${delivered.round}`;
  checkSet(delivered.dealers, seat.neighbours.length, `${where}, dealers`);
  const present = members(delivered.dealers).map((at) => seat.neighbours[at]);
  demandThreshold(seat, present.length + 1, `${where}: dealers`);
  const sent = present.filter(({ index }) => mustSend(seat.layout, index, seat.index)).length;
  demandBytes(delivered.sealed, sent * SEALED_BYTES, `${where}, shares`);
  return present;
}

/** Only who has dealt can be counted in, and never so few that anybody stands out. */
function checkCounted(seat: Seat, round: number, { dealers }: Delivered, counted: IndexSet): void {
  const { layout, neighbours } = seat;
  const where = `set of round ${round}`;
  checkSet(counted, layout.ids.length, where);
  const unheard = neighbours.find(({ index }, at) => has(counted, index) && !has(dealers, at));
  if (unheard)
    refuse(
      'SECURE_CONTRADICTION',
      `${where}: expected only neighbours that have dealt, got "${unheard?.id}"`,
    );
  if (!has(counted, seat.index))
    refuse('SECURE_OUT_OF_TURN', `${where}: expected ourselves in it, got it without`);
  const total = members(counted).length;
  if (total < layout.minimum)
    refuse('SECURE_TOO_FEW', `${where}: expected at least ${layout.minimum} participants, got ${total}`);
  demandThreshold(
    seat,
    1 + neighbours.filter(({ index }) => has(counted, index)).length,
    `${where}: holders`,
  );
}

function checkAttestations(
  seat: Seat,
  plan: RoundPlan,
  { attesters, tags }: Attestations,
  statement: string,
  counted: IndexSet,
): void {
  const where = `attestations of round ${plan.round}`;
  checkSet(attesters, seat.neighbours.length, where);
  const from = members(attesters).map((at) => seat.neighbours[at]);
  demandBytes(tags, from.length * TAG_BYTES, where);
  const agreeing = from.filter((neighbour, i) => {
    const expected = tagOf(neighbour, toMe(seat, neighbour, plan.round), statement);
    const given = tags.subarray(i * TAG_BYTES, (i + 1) * TAG_BYTES);
    return has(counted, neighbour.index) && equalBytes(expected, given);
  });
  demandThreshold(
    seat,
    agreeing.length + 1,
    `${where}: holders that were shown the same set and the same question`,
  );
}

function demandThreshold({ layout }: Seat, got: number, what: string): void {
  if (got < layout.threshold)
    refuse('SECURE_TOO_FEW', `${what}: expected at least ${layout.threshold} with ourselves, got ${got}`);
}
