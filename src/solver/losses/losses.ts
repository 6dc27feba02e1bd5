/** All losses by name; the names are those of the settings. */
import { defaultLoss, type LossName, type Objective } from '../../settings/losses.ts';
import { epsilonInsensitive } from './epsilon-insensitive.ts';
import { hinge } from './hinge.ts';
import { logistic } from './logistic.ts';
import type { Loss } from './loss.ts';
import { squaredHinge } from './squared-hinge.ts';

export const LOSSES = {
  hinge,
  'squared-hinge': squaredHinge,
  logistic,
  'epsilon-insensitive': epsilonInsensitive,
} as const satisfies Record<LossName, Loss>;

export interface LossSettings {
  readonly objective: Objective;
  /** Default: that of the objective. */
  readonly loss?: LossName | undefined;
  /** Width of the insensitive tube; only `epsilon-insensitive` has one. */
  readonly epsilon: number;
}

export function lossOf({ objective, loss }: Pick<LossSettings, 'objective' | 'loss'>): Loss {
  return LOSSES[loss ?? defaultLoss(objective)];
}
