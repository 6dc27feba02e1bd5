import { describe, expect, test } from 'vitest';
import { encode, type Message } from '../../src/protocol/index.ts';

/** A participant costs at most 8d + 200 bytes up and 8d + 200 down a round, plus the weights of its atoms. */
const ENVELOPE = 200;

function update(d: number): Message {
  const scalars = { loss: 1, dualSum: 2, uNorm2: 3 };
  const du = new Float64Array(d).fill(0.1);
  const numbers = { ds: 1, uDotDu: 2, duNorm2: 3, passes: 100, computeMs: 4 };
  return { kind: 'update', session: 3, round: 4e9, base: 4e9 - 1, du, scalars, ...numbers };
}

function round(d: number, weights: number): Message {
  const accepted = { round: 4e9 - 1, weights: new Array<number>(weights).fill(1 / weights) };
  const w = new Float64Array(d).fill(0.1);
  return {
    kind: 'round',
    session: 3,
    round: 4e9,
    best: 3,
    purpose: 'train',
    w,
    sigma: 30,
    tolerance: 1e-3,
    waitMs: 1e4,
    accepted,
  };
}

describe('size of a round', () => {
  for (const d of [1, 562]) {
    test(`update up, d = ${d}`, () => {
      const bytes = encode(update(d), 'f64').length;
      expect(bytes).toBe(8 * d + 92);
      expect(bytes).toBeLessThanOrEqual(8 * d + ENVELOPE);
      expect(encode(update(d), 'f32').length).toBe(4 * d + 92);
    });

    for (const weights of [0, 7, 64]) {
      test(`round down, d = ${d}, ${weights} weights`, () => {
        const bytes = encode(round(d, weights), 'f64').length;
        expect(bytes).toBe(8 * d + 8 * weights + 65);
        expect(bytes).toBeLessThanOrEqual(8 * d + 8 * weights + ENVELOPE);
        expect(encode(round(d, weights), 'f32').length).toBe(4 * d + 8 * weights + 65);
      });
    }
  }
});
