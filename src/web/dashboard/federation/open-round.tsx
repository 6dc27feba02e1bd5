/** The open round: who solves, who has answered, who is late, and the time that is left. */
import type { OpenRound } from '../../../node/server/live.ts';
import { Card } from '../../shared/card.tsx';
import { useCell } from '../../shared/cell.ts';
import { Empty } from '../../shared/empty.tsx';
import { count, counted, duration } from '../../shared/format.ts';
import { Meter } from '../../shared/meter.tsx';
import { useNow } from '../../shared/now.ts';
import { type Lanes, lanesOf } from '../data/lanes.ts';
import type { LiveFederation } from '../data/live-federation.ts';
import { optionsOf, waitingText } from '../data/settings-view.ts';
import { Timeline } from './timeline.tsx';

export function OpenRoundCard({ live }: { readonly live: LiveFederation }) {
  const open = useCell(live.open);
  const state = useCell(live.state)!;
  const participants = useCell(live.participants);
  useNow();
  const isOpen = open !== undefined && open.openedMs !== null && open.phase !== 'finished';
  const lanes = lanesOf(participants.values(), isOpen);
  if (!open || (!isOpen && lanes.lanes.length === 0)) {
    return (
      <Card title="Open round">
        <Empty title="No round is open" icon="people" compact>
          <p>The first one opens when enough participants have joined.</p>
        </Empty>
      </Card>
    );
  }
  return (
    <Card title={titleOf(open, isOpen)} note={isOpen ? phaseNote(open) : 'training rests'}>
      {isOpen && (
        <>
          <p class="round-line">
            <b>{count(open.answered)}</b> of {counted(open.asked, 'participant')} answered
            <span class="round-left">{leftText(open, live.serverNow())}</span>
          </p>
          <Meter share={open.asked === 0 ? 0 : open.answered / open.asked} tone="ok" />
        </>
      )}
      <Timeline
        live={live}
        open={open}
        lanes={lanes}
        label={describe(open, isOpen, lanes, live.serverNow())}
      />
      {isOpen ? <Key lanes={lanes} /> : <p class="small">Times of the last answers.</p>}
      <p class="small">A round stays open {waitingText(optionsOf(state))}.</p>
    </Card>
  );
}

function titleOf({ round }: OpenRound, isOpen: boolean): string {
  return isOpen ? `Round ${count(round)}` : `After round ${count(round)}`;
}

function phaseNote({ purpose, phase, paused }: OpenRound): string {
  if (paused) return 'paused';
  if (phase === 'summing') return 'adding up answers';
  return purpose === 'certify' ? 'certifying: everybody is asked' : 'training';
}

function leftText({ deadlineMs, openedMs, paused }: OpenRound, nowMs: number): string {
  if (paused) return 'paused';
  if (deadlineMs === null) return `open for ${duration(Math.max(0, nowMs - openedMs!))}`;
  const left = deadlineMs - nowMs;
  return left > 0 ? `${duration(left)} left` : 'deadline passed';
}

function describe(open: OpenRound, isOpen: boolean, { counts, longestMs }: Lanes, nowMs: number): string {
  if (!isOpen)
    return `Training rests after round ${open.round}; the slowest answer took ${duration(longestMs)}`;
  const { answered, solving, late } = counts;
  return `Round ${open.round}: ${answered} answered, ${solving} solving, ${late} late; ${leftText(open, nowMs)}`;
}

const SHOWN = [
  ['answered', 'answered', 'ok'],
  ['solving', 'solving', 'accent'],
  ['late', 'late', 'warn'],
  ['waiting', 'waiting', 'plain'],
  ['away', 'away', 'plain'],
] as const;

function Key({ lanes: { counts } }: { readonly lanes: Lanes }) {
  return (
    <ul class="lane-key">
      {SHOWN.filter(([kind], i) => i < 3 || counts[kind] > 0).map(([kind, label, tone]) => (
        <li key={kind} data-tone={tone}>
          <span class="dot" aria-hidden="true" />
          {count(counts[kind])} {label}
        </li>
      ))}
    </ul>
  );
}
