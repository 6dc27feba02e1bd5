/** The open round as lanes, one for each participant that it asks: those who have answered by their time, then those who still solve, then the late ones. */
import type { LiveParticipant } from '../../../node/server/live.ts';

export type LaneKind = 'answered' | 'solving' | 'late' | 'before';

export interface Lane {
  readonly id: string;
  readonly kind: LaneKind;
  /** From the opening of the round; null: it goes on. */
  readonly endMs: number | null;
}

export interface Lanes {
  readonly lanes: readonly Lane[];
  readonly counts: Readonly<Record<'answered' | 'solving' | 'late' | 'away' | 'waiting', number>>;
  /** The longest that anybody is known to have taken. */
  readonly longestMs: number;
}

const ORDER: Readonly<Record<LaneKind, number>> = { answered: 0, before: 0, solving: 1, late: 2 };

/** `isOpen`: false while training rests; then the lanes are of the last answers. */
export function lanesOf(participants: Iterable<LiveParticipant>, isOpen: boolean): Lanes {
  const lanes: Lane[] = [];
  const counts = { answered: 0, solving: 0, late: 0, away: 0, waiting: 0 };
  let longestMs = 0;
  for (const { id, status, responseMs } of participants) {
    if (status in counts) counts[status as keyof typeof counts]++;
    longestMs = Math.max(longestMs, responseMs ?? 0);
    const lane = laneOf(id, status, responseMs, isOpen);
    if (lane) lanes.push(lane);
  }
  lanes.sort(
    (a, b) => ORDER[a.kind] - ORDER[b.kind] || (a.endMs ?? 0) - (b.endMs ?? 0) || (a.id < b.id ? -1 : 1),
  );
  return { lanes, counts, longestMs };
}

function laneOf(
  id: string,
  status: LiveParticipant['status'],
  responseMs: number | null,
  isOpen: boolean,
): Lane | undefined {
  if (!isOpen)
    return responseMs === null || status === 'left' ? undefined : { id, kind: 'before', endMs: responseMs };
  if (status === 'answered') return { id, kind: 'answered', endMs: responseMs ?? 0 };
  return status === 'solving' || status === 'late' ? { id, kind: status, endMs: null } : undefined;
}

/** What the axis shows, in milliseconds: up to the deadline, or somewhat beyond what has passed. */
export function spanOf(passedMs: number, untilDeadlineMs: number | null, longestMs: number): number {
  if (untilDeadlineMs !== null && untilDeadlineMs < 20 * Math.max(longestMs, passedMs, 50)) {
    return Math.max(untilDeadlineMs, passedMs);
  }
  return Math.max(1.15 * passedMs, 1.15 * longestMs, 50);
}
