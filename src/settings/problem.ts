/** The problem that is solved, and how long: settings that trainings, federations, scenarios and the wire have in common. */
import { choice, number, toggle, whole } from './kinds.ts';
import { LOSS_NAMES } from './losses.ts';

const above0 = number({ above: 0 });
export const count = whole(1);
export const share = number({ min: 0, below: 1 });

/** The problem that is solved. */
export const PROBLEM = {
  objective: choice('classification', 'regression').default('classification').about('what is learnt'),
  loss: choice(...LOSS_NAMES)
    .optional('hinge; epsilon-insensitive for regression')
    .about('loss of a row'),
  c1: above0.default(1).about('weight of the losses'),
  c2: above0.default(1).about('cost of personal parts: large for one model, small for many'),
  epsilon: number({ min: 0 }).default(0.1).about('regression errors up to this cost nothing'),
  lambda: above0.default(0.001).about("mocha's regularisation; mocha takes no C1 and no C2"),
  classWeight: choice('none', 'balanced').default('none').about("weights of a participant's two classes"),
  scale: choice('standard', 'center', 'none')
    .default('standard')
    .about('how features are scaled, the same for all'),
  scaleTarget: choice('standard', 'none')
    .default('standard')
    .about('how regression targets are scaled, the same for all'),
  bias: toggle().default(true).about('append a constant feature'),
};

export const RUN = {
  seed: whole(0, Number.MAX_SAFE_INTEGER).default(1).about('seed of everything that is drawn'),
  passes: count.default(100).about('most local passes in a round'),
};
