import fc from 'fast-check';
import { expect, test } from 'vitest';
import { logPortable } from '../../src/base/random.ts';
import { expNegative } from '../../src/math/exp.ts';

const UNIT = 2 ** -52;

test('e^x is that of Math within 2 units in the last place, and 0 where it would lose bits', () => {
  fc.assert(
    fc.property(fc.double({ min: -708, max: 0, noNaN: true }), (x) => {
      const expected = Math.exp(x);
      expect(Math.abs(expNegative(x) - expected)).toBeLessThanOrEqual(2 * UNIT * expected);
    }),
    { numRuns: 20_000 },
  );
  expect(expNegative(0)).toBe(1);
  expect(expNegative(-0)).toBe(1);
  expect(expNegative(-708.0001)).toBe(0);
  expect(expNegative(Number.NEGATIVE_INFINITY)).toBe(0);
});

test('e^x rises with x', () => {
  fc.assert(
    fc.property(fc.double({ min: -700, max: 0, noNaN: true }), (x) => {
      expect(expNegative(x)).toBeGreaterThan(expNegative(x - 1e-12 * (1 - x)));
    }),
  );
});

test('log x is that of Math within 4 units in the last place', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-300, max: 1e300, noNaN: true }), (x) => {
      const expected = Math.log(x);
      expect(Math.abs(logPortable(x) - expected)).toBeLessThanOrEqual(4 * UNIT * Math.abs(expected));
    }),
    { numRuns: 20_000 },
  );
});
