import { describe, expect, test } from 'vitest';
import { encode } from '../../src/protocol/codec.ts';
import type { Message } from '../../src/protocol/messages.ts';

/** A participant costs at most 8d + 200 bytes up and 8d + 200 down a round. */
const ENVELOPE = 200;

function answer(d: number, previous?: Float64Array): Message {
  const scalars = { loss: 1, dualSum: 2, uNorm2: 3, wDotU: 4 };
  const u = new Float64Array(d).fill(0.1);
  const effort = { passes: 100, computeMs: 4 };
  return { kind: 'answer', session: 3, round: 4e9, base: 4e9 - 1, u, scalars, ...effort, previous };
}

function round(d: number, factor?: number): Message {
  return {
    kind: 'round',
    session: 3,
    round: 4e9,
    best: 3,
    purpose: 'train',
    w: new Float64Array(d).fill(0.1),
    sigma: 30,
    tolerance: 1e-3,
    waitMs: 1e4,
    accepted: { round: 4e9 - 1, factor },
    sendPrevious: true,
  };
}

describe('[SIZE-1] size of a round', () => {
  for (const d of [1, 562]) {
    test(`answer up, d = ${d}`, () => {
      const bytes = encode(answer(d), 'f64').length;
      expect(bytes).toBe(8 * d + 80);
      expect(bytes).toBeLessThanOrEqual(8 * d + ENVELOPE);
      expect(encode(answer(d), 'f32').length).toBe(4 * d + 80);
    });

    test(`answer that brings the one before along, d = ${d}`, () => {
      const before = new Float64Array(d);
      expect(encode(answer(d, before), 'f64').length).toBe(16 * d + 84);
      expect(encode(answer(d, before), 'f32').length).toBe(8 * d + 84);
    });

    for (const factor of [undefined, 0.25]) {
      test(`round down, d = ${d}, factor ${factor}`, () => {
        const bytes = encode(round(d, factor), 'f64').length;
        expect(bytes).toBe(8 * d + 70);
        expect(bytes).toBeLessThanOrEqual(8 * d + ENVELOPE);
        expect(encode(round(d, factor), 'f32').length).toBe(4 * d + 70);
      });
    }
  }
});
