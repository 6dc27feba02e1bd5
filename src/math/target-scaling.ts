/**
 * Targets of a regression in units of their own spread: y' = (y - shift) / scale, with the mean and the population standard deviation over
 * everybody's training rows, merged from per-participant moments as those of the features are (scaling.ts). The bias is regularised: targets far
 * from 0 cost accuracy otherwise. What users see stays in the units of the target, epsilon included: the solver is given epsilon / scale.
 */
import { featureMoments, isRounding, type Moments } from './scaling.ts';

export interface TargetScaling {
  readonly shift: number;
  /** Above 0. */
  readonly scale: number;
}

/** Moments of the targets of some rows: one column. */
export function targetMoments(y: Float64Array, rows: Uint32Array): Moments {
  return featureMoments(y, 1, rows);
}

/** Constant targets are centred only: there is no spread to divide by. */
export function targetScalingFrom({ count, mean: [mean], m2: [m2] }: Moments): TargetScaling {
  const std = Math.sqrt(m2 / count);
  return { shift: mean, scale: isRounding(std, mean) ? 1 : std };
}

/** As the solver sees them; undefined: as they are. */
export function scaledTargets(y: Float64Array, target: TargetScaling | undefined): Float64Array {
  return target ? y.map((value) => (value - target.shift) / target.scale) : y;
}

/** A decision of the scaled problem in the units of the target. */
export function inTargetUnits(decision: number, target: TargetScaling | undefined): number {
  return target ? target.shift + target.scale * decision : decision;
}

/** The same settings for the scaled problem. */
export function withScaledEpsilon<S extends { readonly epsilon: number }>(
  settings: S,
  target: TargetScaling | undefined,
): S {
  return target ? { ...settings, epsilon: settings.epsilon / target.scale } : settings;
}
