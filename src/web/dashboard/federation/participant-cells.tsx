/** What is shown of a participant in the table and in its sheet alike. */
import type { LiveParticipant, ParticipantStatus } from '../../../node/server/live.ts';
import { Badge, type Tone } from '../../shared/badge.tsx';
import { ago, count, UNKNOWN } from '../../shared/format.ts';

const TONES: Readonly<Record<ParticipantStatus, Tone>> = {
  solving: 'accent',
  answered: 'ok',
  late: 'warn',
  away: 'plain',
  left: 'plain',
  waiting: 'plain',
  expelled: 'bad',
};

export function StatusBadge({ status }: Pick<LiveParticipant, 'status'>) {
  return (
    <Badge tone={TONES[status]} live={status === 'solving'}>
      {status}
    </Badge>
  );
}

export function seenText({ connected, lastSeenMs }: LiveParticipant, now: number): string {
  if (lastSeenMs === null) return connected ? 'now' : UNKNOWN;
  return ago(Math.max(0, now - lastSeenMs));
}

export function rowsText({ rows }: LiveParticipant): string {
  return rows === null ? UNKNOWN : count(rows);
}
