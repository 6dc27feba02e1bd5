/** Settings of a training and of personalising: the problem, the rows, the run. */

import { COLUMNS } from './columns.ts';
import type { Input, Output } from './kind.ts';
import { choice, either, record, text, toggle } from './kinds.ts';
import { object } from './objects.ts';
import { count, PROBLEM, RUN, share } from './problem.ts';

export const METHODS = ['mtl', 'local', 'global', 'mocha', 'fedavg'] as const;
export const AGGREGATIONS = ['answers', 'safe', 'sum'] as const;
export type Aggregation = (typeof AGGREGATIONS)[number];

const aggregation = choice(...AGGREGATIONS)
  .flag('--aggregation <rule>')
  .about('aggregation rule');

/** When a training ends. */
export const END = {
  rounds: count.default(200).about('maximum number of rounds'),
  gap: share.default(1e-3).about('relative duality gap at which training stops'),
};

/** Which rows are trained on. */
export const ROWS = {
  positive: text('a value of the target column')
    .optional()
    .about('target value of the positive class (+1); without it, more than two classes are one head each'),
  testFraction: share.default(0.3).about("share of each participant's rows kept for testing"),
  trainRows: either(count, record(count, 'an object of such numbers by participant'))
    .optional('all')
    .about('maximum number of training rows per participant'),
};

const { objective, ...problem } = PROBLEM;

/** Of classification. */
export const probabilities = toggle()
  .default(false)
  .about('calibrate probabilities for predict --probabilities, inside each participant');

/** What `train` learns, and how it runs. */
export const LEARNING = {
  method: choice(...METHODS)
    .default('mtl')
    .about('training method'),
  objective: objective.optional('regression for more than 20 different numbers, classification otherwise'),
  positive: ROWS.positive,
  ...problem,
  ...COLUMNS,
  probabilities,
};
export const RUNNING = {
  testFraction: ROWS.testFraction,
  seed: RUN.seed,
  aggregation: aggregation.default('answers'),
  passes: RUN.passes,
  rounds: END.rounds,
  gap: END.gap,
  participants: count.optional('all').about('use only the first N participants'),
  trainRows: ROWS.trainRows,
};
export const TRAINING = { ...LEARNING, ...RUNNING };

/** In federations and scenarios the rule may depend on the protection. */
export const AGGREGATION = aggregation.optional('answers; safe with dp or a method other than mtl');

const AS_IN_TRAINING = 'as in training';
const { c1, c2, epsilon, quantile, classWeight, loss } = PROBLEM;

/** `personalise`. What is not given is as the model records it. */
export const PERSONALISING = {
  c1: c1.optional(AS_IN_TRAINING),
  c2: c2.optional(AS_IN_TRAINING),
  epsilon: epsilon.optional(AS_IN_TRAINING),
  quantile: quantile.optional(AS_IN_TRAINING),
  loss: loss.optional(AS_IN_TRAINING),
  classWeight: classWeight.optional(AS_IN_TRAINING),
  probabilities: probabilities.optional(AS_IN_TRAINING),
  testFraction: ROWS.testFraction.default(0),
  seed: RUN.seed.optional(AS_IN_TRAINING).about('random seed of the split and the row order'),
  gap: END.gap.default(1e-6).about('relative duality gap of each personal part'),
  passes: RUN.passes.default(100_000).about('maximum number of passes over the rows of a participant'),
};

export const trainingKind = object(TRAINING);
export const personalisingKind = object(PERSONALISING);

export type TrainOptions = Input<typeof TRAINING>;
export type PersonaliseOptions = Input<typeof PERSONALISING>;
export type TrainingValues = Output<typeof TRAINING>;
