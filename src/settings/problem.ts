/** The problem that is solved, and how long: settings that trainings, federations, scenarios and the wire have in common. */
import { features } from './feature-map.ts';
import { choice, number, toggle, whole } from './kinds.ts';
import { LOSS_NAMES, MEDIAN } from './losses.ts';

const above0 = number({ above: 0 });
export const count = whole(1);
export const share = number({ min: 0, below: 1 });

/** The problem that is solved. */
export const PROBLEM = {
  objective: choice('classification', 'regression').default('classification').about('type of problem'),
  loss: choice(...LOSS_NAMES)
    .optional('hinge; epsilon-insensitive for regression')
    .about('loss function'),
  c1: above0.default(1).about('weight of the loss'),
  c2: above0.default(1).about('regularisation of personal parts: large values favour one shared model'),
  epsilon: number({ min: 0 }).default(0.1).about('regression errors below this cost nothing'),
  quantile: number({ above: 0, below: 1 })
    .default(MEDIAN)
    .about('quantile that --loss quantile learns: this share of the targets is below the prediction'),
  lambda: above0.default(0.001).about('regularisation of mocha, in place of C1 and C2'),
  classWeight: choice('none', 'balanced').default('none').about('class weights of each participant'),
  scale: choice('standard', 'center', 'none')
    .default('standard')
    .about('feature scaling, common to all participants'),
  scaleTarget: choice('standard', 'none')
    .default('standard')
    .about('scaling of regression targets, common to all participants'),
  features,
  bias: toggle().default(true).about('append a constant feature'),
};

export const RUN = {
  seed: whole(0, Number.MAX_SAFE_INTEGER).default(1).about('random seed'),
  passes: count.default(100).about('maximum number of local passes per round'),
};
