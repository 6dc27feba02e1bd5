/**
 * Scaling that nothing is measured for. Moments of rows are functions of private data: under differential privacy nobody sends them, and the
 * scaling follows from what is public: nothing at all (`scale` none), or declared bounds of the features (`dp.bounds`), of which
 * `standard` and `center` take the middle as the mean and half the width as the deviation. A row within its bounds has norm 1 at the most.
 */
import type { Scaling } from '../math/scaling.ts';
import { measuredBy } from '../protocol/agreement.ts';
import { isPair } from '../settings/federation.ts';
import type { CoordinatorOptions } from './options.ts';

/** Undefined: it follows from the moments of everybody. */
export function publicScaling(
  options: Pick<CoordinatorOptions, 'objective' | 'scale' | 'scaleTarget' | 'dp'>,
  features: number,
): Scaling | undefined {
  if (measuredBy(options).features) return undefined;
  const { scale: mode, dp } = options;
  const bounds = dp?.bounds;
  if (mode === 'none' || !bounds) {
    return { mode: 'none', shift: new Float64Array(features), factor: new Float64Array(features).fill(1) };
  }
  const pairs = isPair(bounds) ? Array.from({ length: features }, () => bounds) : bounds;
  const half = pairs.map(([least, most]) => (most - least) / 2);
  const all = Math.hypot(...half);
  const inverse = (size: number) => (size === 0 ? 0 : 1 / size);
  return {
    mode,
    shift: Float64Array.from(pairs, ([least, most]) => (least + most) / 2),
    factor: Float64Array.from(half, (size) =>
      mode === 'center' ? inverse(all) : inverse(size * Math.sqrt(features)),
    ),
  };
}

/** How many features there must be where bounds are given for each; undefined: any number. */
export function featuresOfBounds({ dp }: Pick<CoordinatorOptions, 'dp'>): number | undefined {
  return dp?.bounds && !isPair(dp.bounds) ? dp.bounds.length : undefined;
}
