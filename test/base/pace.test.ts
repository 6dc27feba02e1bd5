import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newPace, nextSendMs, noteReply, noteSent } from '../../src/base/pace.ts';

/** Sends until `replyAfterMs` after the first time, and says how often. */
function exchange(pace: ReturnType<typeof newPace>, leastMs: number, replyAfterMs: number, now = 0): number {
  noteSent(pace, now);
  for (let next = nextSendMs(pace, leastMs); next < now + replyAfterMs; next = nextSendMs(pace, leastMs))
    noteSent(pace, next);
  noteReply(pace, now + replyAfterMs);
  return pace.transmissions;
}

test('what is answered in time is sent once', () => {
  const pace = newPace();
  for (let i = 0; i < 10; i++) expect(exchange(pace, 100, 99)).toBe(1);
});

test('without a reply the time between two copies doubles, up to 32 times the first', () => {
  const pace = newPace();
  const gaps: number[] = [];
  for (let i = 0, now = 0; i < 8; i++) {
    noteSent(pace, now);
    gaps.push(nextSendMs(pace, 10) - now);
    now += gaps[i];
  }
  expect(gaps).toEqual([10, 20, 40, 80, 160, 320, 320, 320]);
});

test('replies that always take longer than the least time are waited for, after a few of them', () => {
  fc.assert(
    fc.property(fc.double({ min: 101, max: 2000, noNaN: true }), (replyAfterMs) => {
      const pace = newPace();
      const copies = Array.from({ length: 12 }, () => exchange(pace, 100, replyAfterMs));
      expect(Math.max(...copies)).toBeLessThanOrEqual(5);
      expect(copies.slice(6)).toEqual(Array(6).fill(1));
    }),
  );
});

test('after a loss the next message is not sent much later than before', () => {
  const pace = newPace();
  for (let i = 0; i < 5; i++) exchange(pace, 100, 50);
  // The first copy is lost: the reply is to the second.
  expect(exchange(pace, 100, 150)).toBe(2);
  noteSent(pace, 0);
  expect(nextSendMs(pace, 100)).toBeLessThanOrEqual(150);
});
