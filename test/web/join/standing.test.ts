import { describe, expect, test } from 'vitest';
import type { Phase } from '../../../src/participant/state.ts';
import { type Circumstances, sleptMs, standingOf } from '../../../src/web/join/standing.ts';

function titleOf(
  phase: Phase,
  more: Partial<Circumstances['status']> = {},
  rest: Partial<Circumstances> = {},
) {
  const status = { phase, round: 4, isConnected: true, awaited: undefined, waitingFor: undefined, ...more };
  return standingOf({ status, role: 'leader', hasConnected: true, isOnline: true, ...rest });
}

describe('what is going on', () => {
  test('every phase has words', () => {
    const phases: Phase[] = [
      'joining',
      'measuring',
      'preparing',
      'idle',
      'solving',
      'sent',
      'personalising',
      'leaving',
      'finished',
    ];
    const titles = phases.map((phase) => titleOf(phase).title);
    expect(titles).toEqual([
      ...['Joining', 'Joining', 'Preparing', 'Waiting for the others', 'Learning, round 4'],
      ...['Waiting for the others, round 4', 'Last touches', 'Leaving', 'Your model is ready'],
    ]);
  });

  test('who is waited for', () => {
    expect(titleOf('measuring', { awaited: 1 }).text).toContain('one more person');
    expect(titleOf('measuring', { awaited: 3 }).text).toContain('3 more people');
    expect(titleOf('measuring', { awaited: 1, waitingFor: 'a second class' }).text).toContain(
      'a second class',
    );
  });

  test('offline: the device, or the server; before the first connection it is just connecting', () => {
    const lost = { isConnected: false };
    expect(titleOf('solving', lost).title).toBe('The server does not answer');
    expect(titleOf('solving', lost, { isOnline: false }).title).toBe('This device is offline');
    expect(titleOf('joining', lost, { hasConnected: false }).title).toBe('Connecting');
    expect(titleOf('finished', lost, { isOnline: false }).text).toContain('ready');
  });

  test('a second tab', () => {
    expect(titleOf('joining', {}, { role: 'follower' }).title).toBe('Open in another tab');
    expect(titleOf('solving', {}, { role: 'follower' }).title).toBe('Learning, round 4');
  });
});

test('a tick that comes much too late means that the page was asleep', () => {
  expect(sleptMs(0, 1000, 1000)).toBeUndefined();
  expect(sleptMs(0, 9000, 1000)).toBeUndefined();
  expect(sleptMs(0, 61_000, 1000)).toBe(60_000);
});
