/** Random Fourier features: how well they stand for their kernel, and that they are the same bits everywhere. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stream } from '../../src/base/random.ts';
import { Arena } from '../../src/math/arena.ts';
import { JsKernels } from '../../src/math/kernels-js.ts';
import { createWasmKernels } from '../../src/math/kernels-wasm.ts';
import type { FeatureMap } from '../../src/settings/feature-map.ts';
import { RandomFeatures, randomFeatures } from '../../src/solver/feature-map.ts';
import { frequenciesOf } from '../../src/solver/frequencies.ts';
import { dot, norm } from '../../src/solver/vector.ts';

function mapOf(count: number, seed = 1, gamma = 1): FeatureMap {
  return { kind: 'rff', count, gamma, seed };
}

/** About as large as standard scaling makes them. */
function points(d: number, seed: number, n = 30): Float64Array[] {
  const random = stream(seed, 'points', d);
  return Array.from({ length: n }, () =>
    Float64Array.from({ length: d }, () => random.normal() / Math.sqrt(d)),
  );
}

function mapped(features: RandomFeatures, x: Float64Array, count: number): Float64Array {
  const out = new Float64Array(count);
  features.input.set(x);
  features.put(out, 0);
  return out;
}

/** Root mean square of phi(x).phi(y) - exp(-gamma |x - y|^2) over pairs and seeds. */
function kernelError(d: number, count: number, gamma: number): number {
  let squares = 0;
  let pairs = 0;
  for (let seed = 1; seed <= 12; seed++) {
    const features = randomFeatures(mapOf(count, seed, gamma), d);
    const x = points(d, seed);
    const phi = x.map((one) => mapped(features, one, count));
    for (let i = 0; i < x.length; i++)
      for (let j = 0; j < i; j++, pairs++) {
        const distance = x[i].reduce((sum, value, c) => sum + (value - x[j][c]) ** 2, 0);
        squares += (dot(phi[i], phi[j]) - Math.exp(-gamma * distance)) ** 2;
      }
  }
  return Math.sqrt(squares / pairs);
}

describe('the kernel', () => {
  test.each([2, 7, 60])('is met ever better, as 1 / sqrt(count), with %d features', (d) => {
    for (const gamma of [0.3, 1, 3]) {
      const errors = [32, 128, 512].map((count) => kernelError(d, count, gamma));
      for (const [i, count] of [32, 128, 512].entries()) {
        // The variance of cos(omega.x) is at most 1, and 1/2 for far points.
        expect(errors[i]).toBeLessThan(1.1 * Math.sqrt(1 / count));
        if (i > 0) expect(errors[i] / errors[i - 1]).toBeLessThan(0.65);
      }
    }
  });

  test('rows have length 1 whatever they are', () => {
    const count = 64;
    const features = new RandomFeatures(mapOf(count), 3);
    const numbers = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(numbers, (x) => {
        expect(Math.abs(norm(mapped(features, Float64Array.from(x), count)) - 1)).toBeLessThan(1e-14);
      }),
    );
  });
});

describe('frequencies', () => {
  test('are orthogonal in blocks of as many as there are features, and as long as normal vectors', () => {
    const [d, gamma] = [12, 0.7];
    const rows = frequenciesOf(mapOf(2 * 40, 3, gamma), d);
    for (const [i, row] of rows.entries())
      for (let j = i - (i % d); j < i; j++) {
        expect(Math.abs(dot(row, rows[j]))).toBeLessThan(1e-12 * norm(row) * norm(rows[j]));
      }
    const many = frequenciesOf(mapOf(2 * 4000, 3, gamma), d);
    const mean = many.reduce((sum, row) => sum + dot(row, row), 0) / many.length;
    expect(Math.abs(mean / (2 * gamma * d) - 1)).toBeLessThan(0.02);
  });

  test('of more features start with those of fewer', () => {
    expect(frequenciesOf(mapOf(64, 5), 9).slice(0, 8)).toEqual(frequenciesOf(mapOf(16, 5), 9));
  });
});

describe('bits', () => {
  const [d, count] = [21, 96];

  test('of plain JavaScript and of WebAssembly are the same', () => {
    const [js, wasm] = [new JsKernels(), createWasmKernels()].map(
      (kernels) => new RandomFeatures(mapOf(count, 4), d, new Arena(kernels)),
    );
    for (const x of points(d, 2)) expect(mapped(js, x, count)).toEqual(mapped(wasm, x, count));
  });

  test('follow from the seed, and never change', () => {
    const bitsOf = (seed: number) => {
      const hash = createHash('sha256');
      const features = new RandomFeatures(mapOf(count, seed), d);
      for (const x of points(d, 1)) hash.update(new Uint8Array(mapped(features, x, count).buffer));
      return hash.digest('hex').slice(0, 16);
    };
    expect(bitsOf(1)).toBe('144b76fa88b95f13');
    expect(bitsOf(1)).toBe(bitsOf(1));
    expect(bitsOf(2)).not.toBe(bitsOf(1));
  });

  test('do not depend on which maps were used before', () => {
    const [x] = points(d, 7);
    const expected = [1, 2, 3, 4].map((seed) => mapped(new RandomFeatures(mapOf(count, seed), d), x, count));
    for (const seed of [1, 2, 3, 4, 1, 3, 2, 2, 4])
      expect(mapped(randomFeatures(mapOf(count, seed), d), x, count)).toEqual(expected[seed - 1]);
  });
});
