import { describe, expect, test } from 'vitest';
import { LAYOUTS, senderOf } from '../../../src/protocol/layouts.ts';
import { seenBy } from '../../../src/web/join/seen.ts';
import { sentLines } from '../../../src/web/join/traffic-notes.ts';

describe('what the server sees', () => {
  const plain = { secure: false, dp: null, objective: 'classification' } as const;

  test('in the clear: updates, and what follows from them', () => {
    const seen = seenBy(plain);
    expect(seen.sees.join()).toContain('update in each round');
    expect(seen.sees.join()).toContain('classes');
    expect(seen.caution).toContain('personal model');
  });

  test('in secure sums: never one alone, nor how many rows', () => {
    const seen = seenBy({ ...plain, secure: true });
    expect(seen.title).toBe('The server sees only sums');
    expect(seen.never).toContain('How many rows you have');
    expect(seen.caution).toBeUndefined();
  });

  test('with noise: how much', () => {
    const dp = { epsilon: 3.999, delta: 1e-5 };
    expect(seenBy({ ...plain, dp }).sees.join()).toContain('epsilon 4, delta 0.00001');
    expect(seenBy({ ...plain, dp }).caution).toContain('trust');
    expect(seenBy({ ...plain, dp, secure: true }).title).toContain('with noise');
  });

  test('rows never', () => {
    for (const secure of [false, true])
      for (const dp of [null, { epsilon: 1, delta: 1e-5 }])
        expect(seenBy({ secure, dp, objective: 'regression' }).never).toContain('Your rows');
  });
});

describe('what is sent', () => {
  test('every message that a participant can send has words', () => {
    const kinds = Object.entries(LAYOUTS).flatMap(([kind, layout]) =>
      senderOf(layout as never) === 'participant' ? [kind] : [],
    );
    const sent = Object.fromEntries(
      [...kinds, 'challenge', 'session'].map((kind) => [kind, { count: 1, bytes: 1 }]),
    );
    for (const { kind, what } of sentLines(sent)) expect(what, kind).not.toBe(kind);
  });

  test('the largest first', () => {
    const lines = sentLines({ join: { count: 1, bytes: 50 }, answer: { count: 9, bytes: 900 } });
    expect(lines.map(({ kind }) => kind)).toEqual(['answer', 'join']);
  });
});
