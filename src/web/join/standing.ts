/** What is going on, in one line for people: from the state of the machine and of the connection. */
import type { JoinStatus } from '../../client/participation-options.ts';

export interface Standing {
  readonly tone: 'plain' | 'accent' | 'ok' | 'warn';
  /** Something is going on. */
  readonly isLive: boolean;
  readonly title: string;
  readonly text: string;
}

export interface Circumstances {
  readonly status: Pick<JoinStatus, 'phase' | 'round' | 'isConnected' | 'awaited' | 'waitingFor'>;
  readonly role: 'leader' | 'follower' | undefined;
  /** Whether it has been connected since the page was opened. */
  readonly hasConnected: boolean;
  /** The browser's own opinion. */
  readonly isOnline: boolean;
}

export function standingOf({ status, role, hasConnected, isOnline }: Circumstances): Standing {
  const { phase, isConnected } = status;
  if (phase === 'leaving' || phase === 'gone')
    return standing('plain', 'Leaving', 'Saying goodbye to the server.');
  if (!isConnected && phase === 'finished' && isOnline && hasConnected) return READY_ALONE;
  if (!isConnected) return offline(isOnline, hasConnected, modelNote(status));
  if (role === 'follower' && phase === 'joining')
    return standing('plain', 'Open in another tab', 'This tab shows what the other one does.');
  return working(status);
}

const READY_ALONE = standing(
  'ok',
  'Your model is ready',
  'The server does not answer at the moment. Your model works without it.',
);

/** With a space before it; empty: there is no model yet. */
function modelNote({ phase, round }: Pick<JoinStatus, 'phase' | 'round'>): string {
  if (phase === 'finished') return ' Your model is ready and works without the server.';
  return round > 0 ? ' Your model so far works without the server.' : '';
}

function offline(isOnline: boolean, hasConnected: boolean, note: string): Standing {
  if (!hasConnected && isOnline)
    return { ...standing('plain', 'Connecting', 'Looking for the server.'), isLive: true };
  return isOnline
    ? standing('warn', 'The server does not answer', `The page tries again by itself.${note}`)
    : standing('warn', 'This device is offline', `It goes on by itself when the connection is back.${note}`);
}

function working({ phase, round, awaited, waitingFor }: Circumstances['status']): Standing {
  switch (phase) {
    case 'joining':
    case 'measuring':
      if (waitingFor !== undefined) return waiting(`Training has not started: ${waitingFor}.`);
      if (awaited !== undefined && awaited > 0)
        return waiting(
          `Training starts when ${awaited === 1 ? 'one more person has' : `${awaited} more people have`} joined.`,
        );
      return {
        ...standing('accent', 'Joining', 'Agreeing with the others on scales and classes.'),
        isLive: true,
      };
    case 'preparing':
      return {
        ...standing('accent', 'Preparing', 'Bringing your rows to the common scale, on this device.'),
        isLive: true,
      };
    case 'solving':
      return {
        ...standing('accent', `Learning, round ${round}`, 'Your device learns from your rows.'),
        isLive: true,
      };
    case 'sent':
      return {
        ...standing('accent', `Waiting for the others, round ${round}`, 'Your update is sent.'),
        isLive: true,
      };
    case 'personalising':
      return {
        ...standing('accent', 'Last touches', 'Training is over; your personal part is fitted once more.'),
        isLive: true,
      };
    case 'finished':
      return standing(
        'ok',
        'Your model is ready',
        'Training rests. It goes on by itself when somebody new joins; you can stay or close this page.',
      );
    default:
      return waiting('The next round has not started.');
  }
}

function waiting(text: string): Standing {
  return { ...standing('plain', 'Waiting for the others', text), isLive: true };
}

function standing(tone: Standing['tone'], title: string, text: string): Standing {
  return { tone, isLive: false, title, text };
}

/** Timers of a page that sleeps stand still: a tick that comes this much late means that it did. */
const ASLEEP_MS = 15_000;

/** How long the page was asleep before this tick; undefined: it was not. */
export function sleptMs(lastTickMs: number, nowMs: number, intervalMs: number): number | undefined {
  const late = nowMs - lastTickMs - intervalMs;
  return late > ASLEEP_MS ? late : undefined;
}
