import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stream } from '../../src/base/random.ts';
import { Arena } from '../../src/math/arena.ts';
import { padded } from '../../src/math/kernels.ts';
import { JsKernels } from '../../src/math/kernels-js.ts';
import { createWasmKernels } from '../../src/math/kernels-wasm.ts';
import { scaleRow } from '../../src/math/scaling.ts';
import { LocalSolve } from '../../src/solver/local-solve.ts';
import { placeTableRows } from '../../src/solver/table-rows.ts';
import { makeProblem, plainArena, problemShape, shardsOf } from '../helpers/problems.ts';

/** The same random rows in the memory of both versions. */
function twoArenas(n: number, d: number, seed: number) {
  const stride = padded(d);
  return [new JsKernels(), createWasmKernels()].map((kernels) => {
    const arena = new Arena(kernels);
    const rows = arena.allocate(4 * n * stride);
    const random = stream(seed, 'rows');
    for (let i = 0; i < n; i++) {
      const row = arena.f32(rows + 4 * i * stride, d);
      for (let j = 0; j < d; j++) row[j] = random.normal() * 10 ** (random.below(7) - 3);
    }
    return { arena, kernels, rows, stride };
  });
}

const shape = fc.record({
  n: fc.integer({ min: 1, max: 13 }),
  d: fc.integer({ min: 1, max: 70 }),
  seed: fc.integer({ min: 0, max: 1e9 }),
});

function sameBits(a: Float32Array | Float64Array, b: Float32Array | Float64Array): void {
  expect(a.length).toBe(b.length);
  for (let i = 0; i < a.length; i++)
    if (!Object.is(a[i], b[i])) throw new Error(`bits differ at ${i}: ${a[i]} ${b[i]}`);
}

function sumOfSquares(row: Float32Array): number {
  return row.reduce((sum, value) => sum + value * value, 0);
}

test('margins are the same bits in SIMD and in plain JavaScript', () => {
  fc.assert(
    fc.property(shape, ({ n, d, seed }) => {
      const [js, wasm] = twoArenas(n, d, seed).map(({ arena, kernels, rows, stride }) => {
        const z = arena.allocate(8 * stride);
        const random = stream(seed, 'z');
        const view = arena.f64(z, d);
        for (let j = 0; j < d; j++) view[j] = random.normal();
        const out = arena.allocate(8 * n);
        kernels.margins(rows, n, stride, z, out);
        const one = kernels.rowDot(rows, stride, z);
        kernels.rowAdd(rows, stride, 0.37, z);
        return [...arena.f64(out, n), one, ...arena.f64(z, d)];
      });
      sameBits(Float64Array.from(js), Float64Array.from(wasm));
    }),
  );
});

test('margins agree with a plain f64 sum', () => {
  const [, { arena, kernels, rows, stride }] = twoArenas(5, 37, 3);
  const z = arena.allocate(8 * stride);
  arena.f64(z, 37).set(Float64Array.from({ length: 37 }, (_, j) => j - 20));
  const out = arena.allocate(8 * 5);
  kernels.margins(rows, 5, stride, z, out);
  for (let i = 0; i < 5; i++) {
    const row = arena.f32(rows + 4 * i * stride, 37);
    let sum = 0;
    let size = 0;
    for (let j = 0; j < 37; j++) {
      sum += row[j] * (j - 20);
      size += Math.abs(row[j] * (j - 20));
    }
    expect(Math.abs(arena.f64(out, 5)[i] - sum)).toBeLessThan(1e-14 * size);
  }
});

test('combinations of rows are the same bits', () => {
  fc.assert(
    fc.property(shape, ({ n, d, seed }) => {
      const [js, wasm] = twoArenas(n, d, seed).map(({ arena, kernels, rows, stride }) => {
        const c = arena.allocate(8 * n);
        const random = stream(seed, 'c');
        for (let i = 0; i < n; i++) arena.f64(c, n)[i] = random.uniform() < 0.3 ? 0 : random.normal();
        const out = arena.allocate(8 * stride);
        kernels.combine(rows, n, stride, c, out);
        return arena.f64(out, stride).slice();
      });
      sameBits(js, wasm);
    }),
  );
});

test('squared norms are the same bits, and those of a plain sum in f64', () => {
  fc.assert(
    fc.property(shape, ({ n, d, seed }) => {
      for (const { arena, kernels, rows, stride } of twoArenas(n, d, seed)) {
        const out = arena.allocate(8 * n);
        kernels.squaredNorms(rows, n, stride, out);
        const plain = Array.from({ length: n }, (_, i) => sumOfSquares(arena.f32(rows + 4 * i * stride, d)));
        sameBits(arena.f64(out, n), Float64Array.from(plain));
      }
    }),
  );
});

test('scaled rows are the same bits, and those that scaleRow writes', () => {
  fc.assert(
    fc.property(shape, fc.boolean(), ({ n, d, seed }, bias) => {
      const random = stream(seed, 'table');
      const draw = (length: number) =>
        Float64Array.from({ length }, () => random.normal() * 10 ** random.below(4));
      const x = draw(2 * n * d);
      const scaling = { mode: 'standard' as const, shift: draw(d), factor: draw(d) };
      const index = Uint32Array.from({ length: n }, () => random.below(2 * n));
      const columns = d + (bias ? 1 : 0);
      const stride = padded(columns);
      const expected = new Float32Array(n * stride);
      for (const [i, from] of index.entries()) {
        scaleRow(x, from, scaling, expected, i * stride);
        if (bias) expected[i * stride + d] = 1;
      }
      for (const kernels of [new JsKernels(), createWasmKernels()]) {
        const arena = new Arena(kernels);
        const address = arena.allocate(4 * n * stride);
        placeTableRows(arena, { x, index, scaling, map: undefined }, { address, d: columns, stride });
        sameBits(arena.f32(address, n * stride), expected);
        expect(arena.usedBytes).toBe(4 * n * stride);
      }
    }),
  );
});

test('Gram matrices are the same bits, symmetric, and zero in the padding', () => {
  fc.assert(
    fc.property(shape, ({ n, d, seed }) => {
      const stride = padded(n);
      const [js, wasm] = twoArenas(n, d, seed).map((side) => {
        const out = side.arena.allocate(4 * n * stride);
        side.kernels.gram(side.rows, n, side.stride, out, stride);
        return side.arena.f32(out, n * stride).slice();
      });
      sameBits(js, wasm);
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < n; j++) expect(wasm[i * stride + j]).toBe(wasm[j * stride + i]);
        for (let j = n; j < stride; j++) expect(wasm[i * stride + j]).toBe(0);
      }
    }),
  );
});

test('a shuffle is the same in both and a permutation', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 0, max: 0xffffffff }), (n, seed) => {
      const [js, wasm] = [new JsKernels(), createWasmKernels()].map((kernels) => {
        const arena = new Arena(kernels);
        const order = arena.allocate(4 * n);
        arena.u32(order, n).set(Uint32Array.from({ length: n }, (_, i) => i));
        kernels.shuffle(order, n, seed);
        return [...arena.u32(order, n)];
      });
      expect(wasm).toEqual(js);
      expect([...wasm].sort((a, b) => a - b)).toEqual(Array.from({ length: n }, (_, i) => i));
    }),
  );
});

test('a shuffle puts every row in the first place about equally often', () => {
  const arena = new Arena();
  const order = arena.allocate(4 * 10);
  const first = new Array(10).fill(0);
  for (let seed = 1; seed <= 5000; seed++) {
    arena.u32(order, 10).set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    arena.kernels.shuffle(order, 10, Math.imul(seed, 0x9e3779b1) >>> 0);
    first[arena.u32(order, 10)[0]]++;
  }
  for (const count of first) expect(Math.abs(count - 500)).toBeLessThan(110);
});

for (const form of ['rows', 'gram'] as const) {
  test(`solves in ${form} form leave the same bits in SIMD and in plain JavaScript`, () => {
    fc.assert(
      // With the largest tolerance most moves are skipped but for those that end at a bound.
      fc.property(problemShape, fc.constantFrom(1e-6, 0.01, 3), (random, tolerance) => {
        const problem = makeProblem(random);
        const betas = [shardsOf(problem, form, plainArena()), shardsOf(problem, form, new Arena())].map(
          (shards) =>
            shards.map((shard) => {
              shard.load(shard.startingBeta(), new Float64Array(shard.d).fill(0.01));
              new LocalSolve(shard, { sigma: 2, tolerance, seed: random.seed }).runPasses(7);
              return shard.beta;
            }),
        );
        for (const [k, beta] of betas[0].entries()) sameBits(beta, betas[1][k]);
      }),
      { numRuns: 60 },
    );
  });
}
