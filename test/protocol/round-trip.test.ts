import { crc32 as referenceCrc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { crc32, portableCrc32, useCrc32 } from '../../src/base/crc32.ts';
import { decodeFrom, encode } from '../../src/protocol/codec.ts';
import type { Message } from '../../src/protocol/messages.ts';
import { firstNotFinite } from '../../src/protocol/payload.ts';
import { ProtocolError } from '../../src/protocol/protocol-error.ts';
import { USUAL_CLASSES } from '../helpers/moments.ts';
import { arbitraryOf, KINDS } from './arbitrary.ts';
import { decode } from './frames.ts';
import { SAMPLES } from './samples.ts';

const precision = fc.constantFrom('f64' as const, 'f32' as const);

describe('what is encoded is decoded', () => {
  for (const kind of KINDS) {
    test(`${kind}, in both precisions`, () => {
      fc.assert(
        fc.property(arbitraryOf(kind), precision, (message, width) => {
          expect(decode(encode(message, width))).toEqual(message);
        }),
      );
    });
  }

  test('wherever the frame starts in its buffer', () => {
    for (const { message, precision: width } of SAMPLES) {
      const frame = encode(message, width);
      for (let offset = 0; offset < 9; offset++) {
        const buffer = new Uint8Array(offset + frame.length + 3);
        buffer.set(frame, offset);
        expect(decode(buffer.subarray(offset, offset + frame.length))).toEqual(message);
      }
    }
  });

  test('the message shares no memory with the frame', () => {
    for (const { message, precision: width } of SAMPLES) {
      const frame = encode(message, width);
      const decoded = decode(frame);
      frame.fill(0xff);
      expect(decoded).toEqual(message);
    }
  });

  test('[TYPE-9] f32 rounds the vectors of a round, and nothing else', () => {
    const accepted = { round: 1, factor: 0.1 };
    const message: Message = {
      kind: 'finish',
      participants: 3,
      missing: 1,
      session: 1,
      round: 2,
      best: 3,
      reason: 'time',
      w: Float64Array.of(0.1, 1 / 3),
      accepted,
    };
    const w = Float64Array.of(Math.fround(0.1), Math.fround(1 / 3));
    expect(decode(encode(message, 'f32'))).toEqual({ ...message, w });
    // Fine in f64; in f32 the mean would lose what tells rows apart, and m2 would be infinite.
    const [mean, m2] = [Float64Array.of(1e9 + 0.125), Float64Array.of(1e60)];
    const moments: Message = { kind: 'moments', count: 3, mean, m2, ...USUAL_CLASSES };
    expect(decode(encode(moments, 'f32'))).toEqual(moments);
  });

  test('a frame is exactly as long as its bytes, with a buffer of its own', () => {
    const frame = encode(SAMPLES[0].message, 'f64');
    expect(frame.buffer.byteLength).toBe(frame.length);
  });
});

describe('[FRAME-8] each side takes only what the other may send', () => {
  const PARTICIPANTS = new Set(
    'join moments answer leave decline fault enlist partial advertise dealt masked attested revealed'.split(
      ' ',
    ),
  );

  for (const { name, message, precision: width } of SAMPLES) {
    test(name, () => {
      const frame = encode(message, width);
      const [right, wrong] = PARTICIPANTS.has(message.kind)
        ? (['participant', 'coordinator'] as const)
        : (['coordinator', 'participant'] as const);
      expect(decodeFrom(right, frame)).toEqual(message);
      const refusal = new ProtocolError('BAD_FRAME', `${message.kind}: a ${wrong} may not send this message`);
      expect(() => decodeFrom(wrong, frame)).toThrow(refusal);
    });
  }
});

describe('[TYPE-11] what a peer would refuse is not encoded', () => {
  const join = {
    kind: 'join',
    id: 'a',
    rows: 1,
    features: 1,
    benchmarkMs: 1,
    session: 1,
    base: 0,
    pending: 0,
    edition: 0,
  } as const;
  const finish = {
    kind: 'finish',
    participants: 3,
    missing: 1,
    session: 1,
    round: 1,
    best: 3,
    reason: 'gap',
    accepted: { round: 0 },
  } as const;
  const cases: readonly (readonly [string, Message, RegExp])[] = [
    ['a fraction for a count', { ...join, rows: 1.5 }, /join: rows: expected a whole number/],
    ['a negative count', { ...join, base: -1 }, /join: base: expected a whole number/],
    ['a count past u32', { ...join, pending: 2 ** 32 }, /join: pending: expected a whole number/],
    ['a time that is not a number', { ...join, benchmarkMs: Number.NaN }, /benchmarkMs: expected a finite/],
    ['an edition past u32', { ...join, edition: 2 ** 32 }, /join: edition: expected a whole number/],
    ['an empty id', { ...join, id: '' }, /join: id/],
    ['an id that UTF-8 would change', { ...join, id: 'a\ud800' }, /join: id/],
    [
      'a vector with a NaN',
      { ...finish, w: Float64Array.of(0, Number.NaN) },
      /finish: w\[1\]: expected a finite f32/,
    ],
    [
      'a number too large for f32',
      { ...finish, w: Float64Array.of(1e300) },
      /finish: w\[0\]: expected a finite f32/,
    ],
    [
      'an acceptance of nothing',
      { ...finish, w: new Float64Array(1), accepted: { round: 3, factor: 0 } },
      /finish: accepted.factor: expected a number above 0 and at most 1, got 0/,
    ],
    ['an unknown word', { ...finish, reason: 'toString' as 'gap', w: new Float64Array(1) }, /finish: reason/],
    [
      'vectors of different lengths',
      { kind: 'moments', count: 1, mean: new Float64Array(2), m2: new Float64Array(3), ...USUAL_CLASSES },
      /expected as many numbers in m2 as in mean \(2\), got 3/,
    ],
    [
      'keys that are too short',
      { kind: 'plan', session: 1, round: 1, purpose: 'train', roster: new Uint8Array(31), bases: [] },
      /plan: roster: expected 32 bytes, got 31/,
    ],
    [
      'a place past u16',
      { kind: 'attested', session: 1, round: 1, from: 65_536, tags: new Uint8Array(0) },
      /attested: from: expected a whole number from 0 to 65535/,
    ],
    [
      'a text past u16',
      { kind: 'reject', code: 'BAD_FRAME', session: 0, message: 'x'.repeat(70_000) },
      /at most 65535 bytes/,
    ],
  ];
  for (const [what, message, sentence] of cases) {
    test(what, () => {
      expect(() => encode(message, 'f32')).toThrow(sentence);
      expect(() => encode(message, 'f32')).not.toThrow(ProtocolError);
    });
  }
});

describe('the parts', () => {
  test('crc32 is that of zlib', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(20), (bytes, skip) => {
        const part = bytes.subarray(Math.min(skip, bytes.length));
        const view = new DataView(part.buffer, part.byteOffset, part.length);
        expect(portableCrc32(view, part.length)).toBe(referenceCrc32(part));
      }),
    );
  });

  test('the checksum of the platform is the portable one', () => {
    useCrc32(referenceCrc32);
    for (const length of [0, 4, 511, 512, 5000]) {
      const bytes = Uint8Array.from({ length: length + 3 }, (_, i) => (i * 31) % 251);
      const view = new DataView(bytes.buffer, 3);
      expect(crc32(view, length)).toBe(portableCrc32(view, length));
    }
  });

  test('the first number that is not finite is found wherever it is', () => {
    const numbers = Float64Array.from({ length: 11 }, (_, i) => (i % 2 === 0 ? 1 : -1) * Number.MAX_VALUE);
    expect(firstNotFinite(numbers, 'f64')).toBe(-1);
    expect(firstNotFinite(numbers, 'f32')).toBe(0);
    for (const bad of [Number.NaN, Infinity, -Infinity]) {
      for (const at of numbers.keys()) expect(firstNotFinite(numbers.with(at, bad), 'f64')).toBe(at);
    }
  });

  test('a frame too large for the shared memory is no different', () => {
    const w = Float64Array.from({ length: 20_000 }, (_, i) => Math.fround(Math.sin(i)));
    const message: Message = {
      kind: 'finish',
      participants: 3,
      missing: 1,
      session: 1,
      round: 1,
      best: 3,
      reason: 'gap',
      w,
      accepted: { round: 1 },
    };
    for (const width of ['f64', 'f32'] as const) expect(decode(encode(message, width))).toEqual(message);
  });

  test('the first NaN or infinity is found at every place', () => {
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      for (let at = 0; at < 11; at++) {
        const values = new Float64Array(11).fill(Number.MAX_VALUE);
        expect(firstNotFinite(values, 'f64')).toBe(-1);
        values.fill(bad, at, at + 1 + (at % 3));
        expect(firstNotFinite(values, 'f64')).toBe(at);
      }
    }
  });

  test('what rounds to a finite f32 is finite, and the next number is not', () => {
    const largest = 3.4028235677973362e38;
    const next = 3.4028235677973366e38;
    expect([Math.fround(largest), Math.fround(next)]).toEqual([
      3.4028234663852886e38,
      Number.POSITIVE_INFINITY,
    ]);
    expect(firstNotFinite(Float64Array.of(largest, -largest, next), 'f32')).toBe(2);
    expect(firstNotFinite(Float64Array.of(-next), 'f32')).toBe(0);
  });
});
