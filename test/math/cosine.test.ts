import fc from 'fast-check';
import { expect, test } from 'vitest';
import { putCosineSine } from '../../src/math/cosine.ts';

function cosineSine(t: number): [number, number] {
  const out = new Float64Array(2);
  putCosineSine(t, 1, out, 0);
  return [out[0], out[1]];
}

test.each([2, 100, 1e6])('cosine and sine are those of Math within 3e-16 up to %d', (most) => {
  fc.assert(
    fc.property(fc.double({ min: -most, max: most, noNaN: true }), (t) => {
      const [cosine, sine] = cosineSine(t);
      expect(Math.abs(cosine - Math.cos(t))).toBeLessThanOrEqual(3e-16);
      expect(Math.abs(sine - Math.sin(t))).toBeLessThanOrEqual(3e-16);
    }),
    { numRuns: 20_000 },
  );
});

test('large angles lose no more than their own rounding, and none gives more than 1', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true }), (t) => {
      const [cosine, sine] = cosineSine(t);
      expect(Math.abs(cosine ** 2 + sine ** 2 - 1)).toBeLessThanOrEqual(1e-15);
      const error = 1e-15 + 2 ** -52 * Math.abs(t);
      if (error < 0.1) expect(Math.abs(cosine - Math.cos(t))).toBeLessThanOrEqual(error);
    }),
    { numRuns: 5000 },
  );
  expect(cosineSine(2 ** 53)).toEqual([1, 0]);
  expect(cosineSine(Number.NaN)).toEqual([1, 0]);
  expect(cosineSine(Number.POSITIVE_INFINITY)).toEqual([1, 0]);
});

/** Bits that every engine must give: written down once. */
const GOLDEN: readonly (readonly [number, string, string])[] = [
  [0.5, '3fec1528065b7d50', '3fdeaee8744b05f0'],
  [-1, '3fe14a280fb5068c', 'bfeaed548f090cee'],
  [2, 'bfdaa22657537205', '3fed18f6ead1b446'],
  [4.25, 'bfdc8cb28b1567f4', 'bfeca3c0b8fb8370'],
  [-100.125, '3fed662b351b6a32', '3fd946216f45105c'],
  [12345.678, '3fe6b94c3bbe24b8', 'bfe687d5890974a5'],
  [-1000000, '3fedf9df9906d32c', '3fd6664b2568d867'],
  [3000000000, 'bfc491806c4f7336', '3fef958b3b760a12'],
];

test.each(GOLDEN)('the bits of cosine and sine of %d do not change', (t, cosine, sine) => {
  expect(cosineSine(t).map(bits)).toEqual([cosine, sine]);
});

function bits(value: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return view.getBigUint64(0).toString(16).padStart(16, '0');
}
