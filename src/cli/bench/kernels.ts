/** The kernel against plain JavaScript, and the cost of a pass against the size of the data. */

import { JsKernels } from '../../math/kernels-js.ts';
import { createWasmKernels } from '../../math/kernels-wasm.ts';
import { passOver } from '../../reproduce/measured-pass.ts';
import { powerLaw } from '../../reproduce/statistics.ts';
import { sideBySide } from './measure.ts';

/** Plain classification rows. */
const shape = (n: number, d: number) => ({ objective: 'classification', n, d }) as const;

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
    simd: passOver(shape(rows, features), createWasmKernels()),
    javascript: passOver(shape(rows, features), new JsKernels()),
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
    const pass = passOver(shape(rows, features), createWasmKernels());
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
