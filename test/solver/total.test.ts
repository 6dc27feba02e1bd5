/** Where only sums are seen: steps on a grid are exact to the last bit, up to the limit of f64. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commitStep, dot, plusScaled, TotalAggregator } from '../../src/solver/index.ts';

const D = 3;
/** Multiples of 2^-bits below 2^12, with all the bits that there are. */
const grid = (bits: number) =>
  fc
    .array(fc.maxSafeInteger(), { minLength: D, maxLength: D })
    .map((whole) =>
      Float64Array.from(whole, (value) => Math.trunc(value / 2 ** (41 - bits)) * 2 ** -bits + 0),
    );

/** u and du of a participant. */
const member = fc.record({ u: grid(38), du: grid(30) });

test('w is the sum of all u after a step, bit for bit', () => {
  fc.assert(
    fc.property(
      fc.array(member, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 255 }),
      (members, t) => {
        const sum = (vectors: Float64Array[]) =>
          vectors.reduce((total, vector) => plusScaled(total, 1, vector), new Float64Array(D));
        const total = new TotalAggregator({ rule: 'line-search', d: D, c2: 0.5, stepBits: 8 });
        total.recall({
          sigma: undefined,
          relations: undefined,
          total: { w: sum(members.map(({ u }) => u)), s: 0, uNorm2: 0 },
        });
        const du = sum(members.map((one) => one.du));
        const uDotDu = members.reduce((all, one) => all + dot(one.u, one.du), 0);
        const duNorm2 = members.reduce((all, one) => all + dot(one.du, one.du), 0);
        // So that the best step is near t / 256.
        const ds = dot(total.w, du) + uDotDu / 0.5 + (t / 256) * (dot(du, du) + duNorm2 / 0.5);
        const { weights } = total.take({ du, ds, uDotDu, duNorm2, gained: 0 });
        const context = { y: new Float64Array(0), low: new Float64Array(0), high: new Float64Array(0) };
        const after = members.map(({ u, du: own }) => {
          const beta = new Float64Array(0);
          const state = { committed: { beta, u, s: 0 }, atoms: [{ beta, u: plusScaled(u, 1, own), s: 0 }] };
          return commitStep({ ...context, settings: { epsilon: 0 } }, state, weights).committed.u;
        });
        expect(weights[1] * 256).toBe(Math.round(weights[1] * 256));
        expect(sum(after).every((value, j) => value === total.w[j])).toBe(true);
      },
    ),
  );
});

test('the step is the best on the grid: no other gives a larger dual', () => {
  const total = new TotalAggregator({ rule: 'line-search', d: 1, c2: 1, stepBits: 3 });
  // D(theta) = theta ds - theta^2/2 (|du|^2 + sum |du_k|^2): its top is at ds / 2.
  for (const [ds, best] of [
    [1, 0.5],
    [0.7, 0.375],
    [0.11, 0],
    [0.13, 0.125],
    [5, 1],
    [-1, 0],
  ]) {
    const update = { du: Float64Array.of(1), ds, uDotDu: 0, duNorm2: 1, gained: 0 };
    expect(total.weigh(update).weights).toEqual([1 - best, best]);
  }
});
