/** All losses by name; the names are those of the settings. */
import { defaultLoss, type LossName, type Objective } from '../../settings/losses.ts';
import { epsilonInsensitive } from './epsilon-insensitive.ts';
import { hinge } from './hinge.ts';
import { logistic } from './logistic.ts';
import type { Loss, LossShape } from './loss.ts';
import { quantile } from './quantile.ts';
import { squaredHinge } from './squared-hinge.ts';

export const LOSSES = {
  hinge,
  'squared-hinge': squaredHinge,
  logistic,
  'epsilon-insensitive': epsilonInsensitive,
  quantile,
} as const satisfies Record<LossName, Loss>;

export interface LossSettings extends LossShape {
  readonly objective: Objective;
  /** Default: that of the objective. */
  readonly loss?: LossName | undefined;
}

export function lossOf({ objective, loss }: Pick<LossSettings, 'objective' | 'loss'>): Loss {
  return LOSSES[loss ?? defaultLoss(objective)];
}
