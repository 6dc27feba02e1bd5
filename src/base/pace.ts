/**
 * When to retransmit what has not been answered, as TCP decides it (RFC 6298): not before a reply can be there, judged by the replies so far,
 * and after twice the time whenever none has come. A line that is slower than expected is not filled with copies.
 */
export interface Pace {
  /** When what is waiting for a reply was first sent; undefined: nothing is. */
  sinceMs: number | undefined;
  /** When it was last sent, and how often. */
  lastMs: number;
  transmissions: number;
  /** The slowest reply of late. */
  slowestMs: number;
}

const MOST_DOUBLINGS = 5;
/** Of the slowest reply: a duplicate does no harm, but costs a message. */
const MARGIN = 1.5;

export function newPace(): Pace {
  return { sinceMs: undefined, lastMs: 0, transmissions: 0, slowestMs: 0 };
}

/** Sent for the first time, or once more. */
export function noteSent(pace: Pace, now: number): void {
  if (pace.sinceMs === undefined) {
    pace.sinceMs = now;
    pace.transmissions = 0;
  }
  pace.transmissions++;
  pace.lastMs = now;
}

/** Which of several copies it is to is not known: it may be slow, or the first ones lost. Then the estimate goes part of the way. */
export function noteReply(pace: Pace, now: number): void {
  if (pace.sinceMs === undefined) return;
  const late = now - pace.sinceMs - pace.slowestMs;
  pace.slowestMs += late > 0 && pace.transmissions === 1 ? late : late / 4;
  pace.sinceMs = undefined;
}

/** There is no reply any more that is waited for: it would have taken longer than this. */
export function noteNoReply(pace: Pace, now: number): void {
  if (pace.sinceMs === undefined) return;
  pace.slowestMs += Math.max(0, now - pace.sinceMs - pace.slowestMs) / 4;
  pace.sinceMs = undefined;
}

/** When it is sent again, `leastMs` after the last time at the soonest. */
export function nextSendMs({ lastMs, transmissions, slowestMs }: Pace, leastMs: number): number {
  const timeoutMs = Math.max(leastMs, MARGIN * slowestMs) * 2 ** (transmissions - 1);
  return lastMs + Math.min(timeoutMs, leastMs * 2 ** MOST_DOUBLINGS);
}
