/** Which participants a table shows, and in which order. */
import type { LiveParticipant } from '../../../node/server/live.ts';
import type { Sort } from '../../shared/table.tsx';

export type Filter = 'all' | 'connected' | 'late' | 'faults';

type Value = string | number | null;

const STATUS_ORDER: readonly LiveParticipant['status'][] = [
  ...(['expelled', 'late', 'solving', 'answered', 'waiting', 'away', 'left'] as const),
];

const VALUES: Readonly<Record<string, (participant: LiveParticipant) => Value>> = {
  id: ({ id }) => id,
  status: ({ status }) => STATUS_ORDER.indexOf(status),
  seen: ({ lastSeenMs }) => lastSeenMs,
  agent: ({ agent }) => agent,
  rows: ({ rows }) => rows,
  speed: ({ responseMs }) => responseMs,
  share: shareOf,
  own: ({ metric }) => metric?.own ?? null,
  shared: ({ metric }) => metric?.shared ?? null,
  fault: ({ fault }) => fault,
};

/** Of the rounds that it was asked in; null: none. */
export function shareOf({ answeredRounds, askedRounds }: LiveParticipant): number | null {
  return askedRounds === 0 ? null : answeredRounds / askedRounds;
}

export function listed(
  participants: Iterable<LiveParticipant>,
  { filter, text, sort }: { readonly filter: Filter; readonly text: string; readonly sort: Sort },
): LiveParticipant[] {
  const wanted = text.trim().toLowerCase();
  const found: LiveParticipant[] = [];
  for (const participant of participants) {
    if (isIn(filter, participant) && participant.id.toLowerCase().includes(wanted)) found.push(participant);
  }
  const value = VALUES[sort.key];
  const sign = sort.direction === 'ascending' ? 1 : -1;
  return found.sort((a, b) => sign * compare(value(a), value(b), sign) || byName(a.id, b.id));
}

function isIn(filter: Filter, { connected, status, fault }: LiveParticipant): boolean {
  if (filter === 'connected') return connected;
  if (filter === 'late') return status === 'late' || status === 'expelled';
  return filter === 'all' || fault !== null;
}

/** What is not known comes last, either way. */
function compare(a: Value, b: Value, sign: number): number {
  if (a === null || b === null) return a === b ? 0 : sign * (a === null ? 1 : -1);
  return typeof a === 'string' ? byName(a, String(b)) : a - Number(b);
}

const NAMES = new Intl.Collator('en', { numeric: true });

/** p2 before p10. */
function byName(a: string, b: string): number {
  return NAMES.compare(a, b);
}
