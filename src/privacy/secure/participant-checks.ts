/** What a participant of secure aggregation asks of the coordinator's messages before it answers them. */
import { isAttestedBy, statementOf, TAG_BYTES } from './consistency.ts';
import { checkSet, has, type IndexSet, members } from './index-set.ts';
import type { Attestations, Delivered, RoundPlan } from './messages.ts';
import { mustSend } from './roster.ts';
import { SEALED_BYTES } from './sealed-share.ts';
import type { Neighbour, Seat } from './seat.ts';
import { demand, demandBytes } from './secure-error.ts';

/** The neighbours that have dealt, provided that enough did. */
export function dealersIn(seat: Seat, delivered: Delivered): Neighbour[] {
  const where = `delivery of round ${delivered.round}`;
  checkSet(delivered.dealers, seat.neighbours.length, `${where}, dealers`);
  const present = members(delivered.dealers).map((at) => seat.neighbours[at]);
  demandThreshold(seat, present.length + 1, `${where}: dealers`);
  const sent = present.filter(({ index }) => mustSend(seat.layout, index, seat.index)).length;
  demandBytes(delivered.sealed, sent * SEALED_BYTES, `${where}, shares`);
  return present;
}

/** Only who has dealt can be counted in, and never so few that anybody stands out. */
export function checkCounted(seat: Seat, round: number, { dealers }: Delivered, counted: IndexSet): void {
  const { layout, neighbours } = seat;
  const where = `set of round ${round}`;
  checkSet(counted, layout.ids.length, where);
  const unheard = neighbours.find(({ index }, at) => has(counted, index) && !has(dealers, at));
  demand(
    !unheard,
    'SECURE_CONTRADICTION',
    `${where}: expected only neighbours that have dealt, got "${unheard?.id}"`,
  );
  demand(
    has(counted, seat.index),
    'SECURE_OUT_OF_TURN',
    `${where}: expected ourselves in it, got it without`,
  );
  const total = members(counted).length;
  demand(
    total >= layout.minimum,
    'SECURE_TOO_FEW',
    `${where}: expected at least ${layout.minimum} participants, got ${total}`,
  );
  demandThreshold(
    seat,
    1 + neighbours.filter(({ index }) => has(counted, index)).length,
    `${where}: holders`,
  );
}

export function checkAttestations(
  seat: Seat,
  plan: RoundPlan,
  counted: IndexSet,
  { attesters, tags }: Attestations,
): void {
  const where = `attestations of round ${plan.round}`;
  checkSet(attesters, seat.neighbours.length, where);
  const from = members(attesters).map((at) => seat.neighbours[at]);
  demandBytes(tags, from.length * TAG_BYTES, where);
  const statement = statementOf(plan, counted);
  const agreeing = from.filter(
    (neighbour, i) =>
      has(counted, neighbour.index) &&
      isAttestedBy(seat, neighbour, plan.round, statement, tags.subarray(i * TAG_BYTES, (i + 1) * TAG_BYTES)),
  );
  demandThreshold(seat, agreeing.length + 1, `${where}: holders that were shown the same set`);
}

function demandThreshold({ layout }: Seat, got: number, what: string): void {
  demand(
    got >= layout.threshold,
    'SECURE_TOO_FEW',
    `${what}: expected at least ${layout.threshold} with ourselves, got ${got}`,
  );
}
