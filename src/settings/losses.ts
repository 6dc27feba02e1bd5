/** The losses there are, each with the objective that it is for. `solver/losses` implements them. */
export const LOSSES = {
  hinge: 'classification',
  'squared-hinge': 'classification',
  logistic: 'classification',
  'epsilon-insensitive': 'regression',
  quantile: 'regression',
} as const;

export type LossName = keyof typeof LOSSES;
/** What is learnt: which of two classes, or a number. */
export type Objective = (typeof LOSSES)[LossName];

/** What `quantile` learns unless another quantile is given. */
export const MEDIAN = 0.5;

export const LOSS_NAMES = Object.keys(LOSSES) as LossName[];

export function defaultLoss(objective: Objective): LossName {
  return objective === 'regression' ? 'epsilon-insensitive' : 'hinge';
}

/** Why a loss cannot be used: what else was expected; undefined: it can. */
export function unfitLoss(objective: Objective, loss: LossName): string | undefined {
  if (LOSSES[loss] === objective) return undefined;
  const fitting = LOSS_NAMES.filter((name) => LOSSES[name] === objective);
  return `${fitting.join(', ')} for ${objective}`;
}
