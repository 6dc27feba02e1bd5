/** How it stands, in one line, for eyes and ears. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Badge } from '../shared/badge.tsx';
import { count } from '../shared/format.ts';
import { useOnline } from './online.ts';
import type { Run, RunState } from './run.ts';
import { type Standing, standingOf } from './standing.ts';

interface StandingPanelProps {
  readonly run: Run;
  readonly state: RunState;
}

const LEFT: Standing = {
  tone: 'plain',
  isLive: false,
  title: 'You have left',
  text: 'Nothing more is sent. Your model of then is still here: use it, download it, or delete it.',
};

export function StandingPanel({ run, state }: StandingPanelProps) {
  const { status, role, hasConnected, end } = state;
  const isOnline = useOnline();
  const standing = end?.type === 'left' ? LEFT : standingOf({ status, role, hasConnected, isOnline });
  const { tone, isLive, title, text } = standing;
  return (
    <section class="standing" data-tone={tone} aria-labelledby="standing-title">
      <span class="standing-light" data-live={isLive || undefined} aria-hidden="true" />
      <div class="standing-text">
        <h1 id="standing-title" tabIndex={-1}>
          {title}
        </h1>
        <p>{text}</p>
      </div>
      <p class="badges">
        <Badge>{run.participant}</Badge>
        {status.round > 0 && !end && <Badge>Round {count(status.round)}</Badge>}
        {role === 'follower' && !end && (
          <Badge
            tone="accent"
            title="This tab shows what the other one does. Close either: the other goes on."
          >
            Runs in another tab
          </Badge>
        )}
        {!end && (
          <Badge tone={status.isConnected ? 'ok' : 'warn'}>
            {status.isConnected ? 'Connected' : 'Not connected'}
          </Badge>
        )}
      </p>
      <Announcer standing={standing} />
    </section>
  );
}

/** Rounds may take a tenth of a second: what is read aloud changes only so often. */
const ANNOUNCED_MS = 8000;

function Announcer({ standing: { title, text, tone } }: { readonly standing: Standing }) {
  const [said, setSaid] = useState('');
  const last = useRef({ atMs: Number.NEGATIVE_INFINITY, tone: '' });
  const sentence = `${title}. ${text}`;
  useEffect(() => {
    const isOther = tone !== last.current.tone;
    const waitMs = isOther ? 0 : Math.max(0, last.current.atMs + ANNOUNCED_MS - performance.now());
    const timer = setTimeout(() => {
      last.current = { atMs: performance.now(), tone };
      setSaid(sentence);
    }, waitMs);
    return () => clearTimeout(timer);
  }, [sentence, tone]);
  return (
    <p class="visually-hidden" role="status" aria-live="polite">
      {said}
    </p>
  );
}
