/** The kernel against plain JavaScript, and the cost of a pass against the size of the data. */
import { stream } from '../../base/random.ts';
import { Arena, createWasmKernels, JsKernels, type Kernels } from '../../math/index.ts';
import { powerLaw } from '../../reproduce/index.ts';
import { LocalSolve, Shard } from '../../solver/index.ts';
import { sideBySide } from './measure.ts';

const SETTINGS = { objective: 'classification', c1: 1, c2: Number.POSITIVE_INFINITY, epsilon: 0 } as const;

/** A pass from zero over random rows of norm 1: most rows move, every pass costs the same. */
export function passOver(kernels: Kernels, n: number, d: number): () => void {
  const shard = new Shard(new Arena(kernels), SETTINGS, randomRows(n, d), 'rows');
  const beta = shard.startingBeta();
  const z = new Float64Array(d);
  shard.load(beta, z);
  const margins = shard.margins.slice();
  return () => {
    shard.reset(beta, margins);
    new LocalSolve(shard, { sigma: 1, tolerance: 1e-9, seed: 1 }).pass();
  };
}

function randomRows(n: number, d: number) {
  const random = stream(1, 'bench');
  // A pool of values, read at random offsets: making n x d normal numbers would take longer than the bench.
  const pool = Float32Array.from({ length: 65_536 + d }, () => random.normal() / Math.sqrt(d));
  const offsets = Uint32Array.from({ length: n }, () => random.below(65_536));
  return {
    n,
    d,
    y: Float64Array.from({ length: n }, () => (random.uniform() < 0.5 ? 1 : -1)),
    write: (i: number, row: Float32Array) => row.set(pool.subarray(offsets[i], offsets[i] + d)),
  };
}

export interface KernelReport {
  readonly rows: number;
  readonly features: number;
  readonly simdMs: number;
  readonly javascriptMs: number;
  /** How many times as fast. */
  readonly ratio: number;
}

export function benchKernel(now: () => number, rows = 5000, features = 562): KernelReport {
  const times = sideBySide(now, 9, {
    simd: passOver(createWasmKernels(), rows, features),
    javascript: passOver(new JsKernels(), rows, features),
  });
  const { simd, javascript } = times;
  return { rows, features, simdMs: simd, javascriptMs: javascript, ratio: javascript / simd };
}

export interface ScalingReport {
  readonly points: readonly { readonly rows: number; readonly features: number; readonly passMs: number }[];
  readonly exponent: number;
}

/**
 * n x d over a range of 100, growing by rows and by features: the sizes that one participant has. (Past the processor's
 * caches the cost per value rises once, by about two, and stays there.)
 */
export function benchScaling(now: () => number): ScalingReport {
  const shapes = [
    [100, 400],
    [320, 400],
    [100, 1280],
    [1000, 400],
    [320, 1280],
    [3200, 400],
    [1000, 1280],
    [3200, 1280],
  ] as const;
  const points = shapes.map(([rows, features]) => {
    const pass = passOver(createWasmKernels(), rows, features);
    // Small passes take microseconds: many of them make one measurement.
    const many = Math.ceil(4_000_000 / (rows * features));
    const { passes } = sideBySide(now, 9, {
      passes: () => {
        for (let r = 0; r < many; r++) pass();
      },
    });
    return { rows, features, passMs: passes / many };
  });
  const { exponent } = powerLaw(
    points.map(({ rows, features, passMs }) => ({ x: rows * features, y: passMs })),
  );
  return { points, exponent };
}
