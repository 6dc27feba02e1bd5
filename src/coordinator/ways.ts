/**
 * How long the way to a participant and back takes: from sending a round to having its answer, but for the time that it computed. What a
 * participant claims to have computed for changes its own way alone; what follows for others is a quantile, within `maxWaitMs`.
 */

/** When a round was sent. */
interface Sent {
  readonly round: number;
  readonly atMs: number;
  /** Sent again: which copy an answer is to is not known. */
  isRepeated: boolean;
}

export interface Ways {
  /** The last rounds: a late answer shows best that the way is long. */
  readonly sent: Sent[];
  /** The last ways, in milliseconds. */
  readonly observed: number[];
}

const MOST_SENT = 4;
const MOST_OBSERVED = 8;
/** Before the first round: what is measured is the welcome and its reply. */
export const WELCOMED = 0;

export function newWays(): Ways {
  return { sent: [], observed: [] };
}

export function noteDeparture({ sent }: Ways, round: number, atMs: number): void {
  const last = sent.at(-1);
  if (last?.round === round) {
    last.isRepeated = true;
    return;
  }
  sent.push({ round, atMs, isRepeated: false });
  if (sent.length > MOST_SENT) sent.shift();
}

/** The reply to a round is there, late or not. */
export function noteArrival({ sent, observed }: Ways, round: number, atMs: number, computeMs = 0): void {
  const place = sent.findIndex((one) => one.round === round);
  if (place < 0) return;
  const [departure] = sent.splice(place, 1);
  if (departure.isRepeated) return;
  observed.push(Math.max(0, atMs - departure.atMs - computeMs));
  if (observed.length > MOST_OBSERVED) observed.shift();
}

/** From so many on, the longest may have been a single hiccup. */
const SEVERAL = 4;
/** The next one may be longer. */
const MARGIN = 1.1;

/** A little more than the longest of the last ways, or than the second longest of several. Undefined: none is known. */
export function wayMs({ observed }: Ways): number | undefined {
  if (observed.length === 0) return undefined;
  const longest = [...observed].sort((a, b) => b - a);
  return MARGIN * longest[longest.length < SEVERAL ? 0 : 1];
}
