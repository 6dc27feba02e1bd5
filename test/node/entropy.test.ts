import { expect, test } from 'vitest';
import { entropyStream } from '../../src/node/crypto.ts';
import { drawNoise } from '../../src/privacy/dp/grid.ts';

test('noise from the system: of the deviation that was asked for, and never the same twice', () => {
  const [a, b] = [0, 1].map(() =>
    drawNoise({ length: 20_000, deviation: 3 * 2 ** 30, bits: 30 }, entropyStream()),
  );
  const deviation = Math.sqrt(a.reduce((sum, value) => sum + value * value, 0) / a.length);
  expect(deviation).toBeGreaterThan(2.85);
  expect(deviation).toBeLessThan(3.15);
  expect(new Set([...a, ...b]).size).toBeGreaterThan(39_990);
});
