/** All losses by name. */
import { epsilonInsensitive } from './epsilon-insensitive.ts';
import { hinge } from './hinge.ts';
import { logistic } from './logistic.ts';
import type { Loss, Objective } from './loss.ts';
import { squaredHinge } from './squared-hinge.ts';

export const LOSSES = {
  hinge,
  'squared-hinge': squaredHinge,
  logistic,
  'epsilon-insensitive': epsilonInsensitive,
} as const satisfies Record<string, Loss>;

export type LossName = keyof typeof LOSSES;

export const LOSS_NAMES = Object.keys(LOSSES) as LossName[];

/** The loss of those who name none. */
export const DEFAULT_LOSS: Readonly<Record<Objective, LossName>> = {
  classification: 'hinge',
  regression: 'epsilon-insensitive',
};

export interface LossSettings {
  readonly objective: Objective;
  /** Default: that of the objective. */
  readonly loss?: LossName | undefined;
  /** Width of the insensitive tube; only `epsilon-insensitive` has one. */
  readonly epsilon: number;
}

export function lossOf({ objective, loss }: Pick<LossSettings, 'objective' | 'loss'>): Loss {
  return LOSSES[loss ?? DEFAULT_LOSS[objective]];
}
