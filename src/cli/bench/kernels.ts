/** The kernel against plain JavaScript, and the cost of a pass against the size of the data. */
import { JsKernels } from '../../math/kernels-js.ts';
import { createWasmKernels } from '../../math/kernels-wasm.ts';
import { passOver } from '../../reproduce/measured-pass.ts';
import { powerLaw } from '../../reproduce/statistics.ts';
import { ms, part, sideBySide, times } from './part.ts';

/** Plain classification rows. */
const shape = (n: number, d: number) => ({ objective: 'classification', n, d }) as const;

export const kernel = part(
  ({ now }) => {
    const [rows, features] = [5000, 562];
    const { simd, javascript } = sideBySide(now, 9, {
      simd: passOver(shape(rows, features), createWasmKernels()),
      javascript: passOver(shape(rows, features), new JsKernels()),
    });
    return { rows, features, simdMs: simd, javascriptMs: javascript, ratio: javascript / simd };
  },
  ({ rows, features, simdMs, javascriptMs, ratio }) => [
    'Kernel: one pass over the rows, SIMD against plain JavaScript',
    `  ${rows} x ${features}: ${ms(simdMs)} against ${ms(javascriptMs)}, ${times(ratio)} as fast`,
  ],
);

/**
 * n x d over a range of 100, growing by rows and by features: the sizes that one participant has. (Past the processor's
 * caches the cost per value rises once, by about two, and stays there.)
 */
const SHAPES = [
  [100, 400],
  [320, 400],
  [100, 1280],
  [1000, 400],
  [320, 1280],
  [3200, 400],
  [1000, 1280],
  [3200, 1280],
] as const;

export const scaling = part(
  ({ now }) => {
    const points = SHAPES.map(([rows, features]) => {
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
    const curve = points.map(({ rows, features, passMs }) => ({ x: rows * features, y: passMs }));
    return { points, exponent: powerLaw(curve).exponent };
  },
  ({ points, exponent }, { table }) => {
    const rows = points.map(({ rows, features, passMs }) => [
      String(rows),
      String(features),
      ms(passMs),
      ((1e6 * passMs) / (rows * features)).toFixed(3),
    ]);
    return [
      'Scaling: cost of a pass',
      ...table(['rows', 'features', 'pass', 'ns per value'], rows),
      `  time grows as (rows x features)^${exponent.toFixed(3)}`,
    ];
  },
);
