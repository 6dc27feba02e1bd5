/** The frame that a participant is sent is that of its own message, whichever field makes it differ from the one before. */
import { expect, test } from 'vitest';
import { Frames } from '../../src/host/frames.ts';
import { encode } from '../../src/protocol/codec.ts';
import { haveSameBytes, record, u32 } from '../../src/protocol/fields.ts';
import type { RoundMessage } from '../../src/protocol/messages.ts';

/** Every field, with another value for it: what the type has, and the layout with it, must be here. */
const BOTH: { readonly [K in keyof RoundMessage]-?: readonly [RoundMessage[K], RoundMessage[K]] } = {
  kind: ['round', 'round'],
  session: [1, 2],
  round: [7, 8],
  best: [3, 4],
  purpose: ['train', 'certify'],
  sigma: [0, -0],
  tolerance: [1e-3, 1e-4],
  waitMs: [100, Number.POSITIVE_INFINITY],
  accepted: [{ round: 6 }, { round: 5 }],
  sendPrevious: [false, true],
  w: [Float64Array.of(1, 2), Float64Array.of(1, 3)],
};
const FIELDS = Object.keys(BOTH) as (keyof RoundMessage)[];
const MESSAGE = Object.fromEntries(FIELDS.map((field) => [field, BOTH[field][0]])) as unknown as RoundMessage;

test.each(FIELDS.filter((field) => field !== 'kind'))('another %s is another frame', (field) => {
  const frames = new Frames('f64');
  frames.of(MESSAGE);
  const other = { ...MESSAGE, [field]: BOTH[field][1] };
  expect(frames.of(other)).toEqual(encode(other, 'f64'));
  expect(frames.of(other)).not.toEqual(encode(MESSAGE, 'f64'));
});

test('another share of the accepted answer is another frame; all of it is none at all', () => {
  const frames = new Frames('f64');
  const withFactor = (factor?: number): RoundMessage => ({ ...MESSAGE, accepted: { round: 6, factor } });
  const whole = frames.of(withFactor());
  expect(frames.of(withFactor(1))).toBe(whole);
  expect(frames.of(withFactor(0.5))).toEqual(encode(withFactor(0.5), 'f64'));
  expect(frames.of(withFactor(0.25))).toEqual(encode(withFactor(0.25), 'f64'));
});

test('equal messages about the same w share a frame', () => {
  const frames = new Frames('f32');
  const first = frames.of(MESSAGE);
  expect(frames.of({ ...MESSAGE, accepted: { ...MESSAGE.accepted } })).toBe(first);
  // Vectors are not compared number by number.
  expect(frames.of({ ...MESSAGE, w: MESSAGE.w.slice() })).not.toBe(first);
});

test('a field that is added to a layout is compared from then on', () => {
  const before = record<{ a: number }>({ a: u32 });
  const after = record<{ a: number; b: number }>({ a: u32, b: u32 });
  const [x, y] = [
    { a: 1, b: 1 },
    { a: 1, b: 2 },
  ];
  expect(haveSameBytes(before, x, y)).toBe(true);
  expect(haveSameBytes(after, x, y)).toBe(false);
});
