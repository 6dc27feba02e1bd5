/** Every experiment, in the order of the report. */
import { clsAll } from './cls-all.ts';
import { complexity } from './complexity.ts';
import { dataDeficit } from './data-deficit.ts';
import { loss } from './loss.ts';
import { maskBernoulli, maskBeta } from './masking.ts';
import { maskingGeometry } from './masking-geometry.ts';
import { newcomer } from './newcomer.ts';
import { sequence } from './sequence.ts';
import { timing } from './timing.ts';
import { clsHardware, clsStragglers, regBoth, regData, regSame } from './waiting-experiments.ts';

export const EXPERIMENTS = {
  'cls-all': clsAll,
  'cls-stragglers': clsStragglers,
  'cls-hardware': clsHardware,
  'reg-same': regSame,
  'reg-data': regData,
  'reg-both': regBoth,
  'mask-bernoulli': maskBernoulli,
  'mask-beta': maskBeta,
  'data-deficit': dataDeficit,
  newcomer,
  timing,
  complexity,
  sequence,
  'masking-geometry': maskingGeometry,
  loss,
} as const;

export type ExperimentId = keyof typeof EXPERIMENTS;
export const EXPERIMENT_IDS = Object.keys(EXPERIMENTS) as readonly ExperimentId[];
