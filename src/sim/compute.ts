/**
 * How long a local solve takes in virtual time, as in the paper: Gaussian, cut off above zero, with mean and deviation that
 * depend on the rows n and columns d; divided by the hardware factor of the participant. `kindred calibrate` fits the
 * constants to real solves.
 */
import { stream } from '../base/random.ts';

/** A pass over n rows of d columns takes fixedMs + perRowMs n + perValueMs n d on average. */
export interface ComputeModel {
  readonly fixedMs: number;
  /** Default 0. */
  readonly perRowMs?: number;
  readonly perValueMs: number;
  /** Standard deviation, as a share of the mean. */
  readonly spread: number;
}

/** A phone-like device: about 25 million values per second, and a fifth of spread. */
export const DEFAULT_COMPUTE: ComputeModel = { fixedMs: 1, perValueMs: 4e-5, spread: 0.2 };

export function meanPassMs(model: ComputeModel, n: number, d: number): number {
  return model.fixedMs + (model.perRowMs ?? 0) * n + model.perValueMs * n * d;
}

/** One draw per participant and round: concurrent work on the device slows a whole round. */
export function drawPassMs(
  model: ComputeModel,
  n: number,
  d: number,
  hardware: number,
  draw: { readonly seed: number; readonly round: number; readonly id: string },
): number {
  const mean = meanPassMs(model, n, d);
  const random = stream(draw.seed, 'compute', draw.round, draw.id);
  for (;;) {
    const time = mean * (1 + model.spread * random.normal());
    if (time > 0) return time / hardware;
  }
}
