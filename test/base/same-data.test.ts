import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pack } from '../../src/base/packed.ts';
import { sameData } from '../../src/base/same-data.ts';

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(0, -0, 1, Number.NaN, '', 'a', true, false, undefined, null),
    fc.float64Array({ maxLength: 3 }),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('any'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).any;

test('two values are the same exactly when they pack to the same bytes', () => {
  fc.assert(
    fc.property(value, value, (a, b) => {
      const [one, other] = [pack({ a }), pack({ a: b })];
      expect(sameData({ a }, { a: b })).toBe(Buffer.compare(one, other) === 0);
      expect(sameData(a, structuredClone(a))).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('a typed array differs from another by one bit, by its length and by its kind', () => {
  const a = Float64Array.of(1, 2, 3);
  expect(sameData(a, a.slice())).toBe(true);
  for (const b of [Float64Array.of(1, 2, 3 + 2 ** -51), a.slice(1), [1, 2, 3], Float32Array.from(a)])
    expect(sameData(a, b)).toBe(false);
});
