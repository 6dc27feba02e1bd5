/** Settings of a training: what is learnt, and how long. Federations and scenarios take theirs from here. */
import {
  choice,
  either,
  type Input,
  number,
  type Output,
  object,
  pick,
  record,
  text,
  toggle,
  whole,
} from './kinds.ts';
import { LOSS_NAMES } from './losses.ts';

export const METHODS = ['mtl', 'local', 'global', 'mocha', 'fedavg'] as const;
export const AGGREGATIONS = ['answers', 'safe', 'sum'] as const;
export type Aggregation = (typeof AGGREGATIONS)[number];

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
  bias: toggle().default(true).about('append a constant feature'),
};

export const RUN = {
  seed: whole(0, Number.MAX_SAFE_INTEGER).default(1).about('seed of everything that is drawn'),
  passes: count.default(100).about('most local passes in a round'),
  rounds: count.default(200).about('most rounds'),
  gap: share.default(1e-3).about('relative duality gap to stop at'),
};

const aggregation = choice(...AGGREGATIONS)
  .flag('--aggregation <rule>')
  .about('how answers are combined');

/** Which rows are trained on. */
export const ROWS = {
  positive: text('a value of the target column')
    .optional()
    .about('target value that becomes +1, needed with more than two'),
  testFraction: share.default(0.3).about("share of every participant's rows to test on"),
  trainRows: either(count, record(count, 'one for each of some participants'))
    .optional('all')
    .about('train on at most this many rows of every participant'),
};

const { objective, ...problem } = PROBLEM;

/** What `train` learns, and how it runs. */
export const LEARNING = {
  method: choice(...METHODS)
    .default('mtl')
    .about('how the models of participants are related'),
  objective,
  positive: ROWS.positive,
  ...problem,
};
export const RUNNING = {
  testFraction: ROWS.testFraction,
  seed: RUN.seed,
  aggregation: aggregation.default('answers'),
  passes: RUN.passes,
  rounds: RUN.rounds,
  gap: RUN.gap,
  participants: count.optional('all').about('use the first participants only: this many'),
  trainRows: ROWS.trainRows,
};
export const TRAINING = { ...LEARNING, ...RUNNING };

/** In federations and scenarios the rule may depend on the protection. */
export const AGGREGATION = aggregation.optional('answers; safe with dp and with other methods than mtl');

const AS_IN_TRAINING = 'as in training';
const { c1, c2, epsilon, classWeight, loss } = PROBLEM;

/** `personalise`. What is not given is as the model records it. */
export const PERSONALISING = {
  c1: c1.optional(AS_IN_TRAINING),
  c2: c2.optional(AS_IN_TRAINING),
  epsilon: epsilon.optional(AS_IN_TRAINING),
  loss: loss.optional(AS_IN_TRAINING),
  classWeight: classWeight.optional(AS_IN_TRAINING),
  testFraction: ROWS.testFraction.default(0),
  seed: RUN.seed.optional(AS_IN_TRAINING).about('seed of the split and of the order of rows'),
  gap: RUN.gap.default(1e-6).about('relative duality gap of each personal part'),
  passes: RUN.passes.default(100_000).about('most passes over the rows of one participant'),
};

export const trainingKind = object(TRAINING);
export const personalisingKind = object(PERSONALISING);
/** What a model file records of them. */
export const recordedKind = object(
  pick(PERSONALISING, 'c1', 'c2', 'epsilon', 'loss', 'classWeight'),
  'ignored',
);

export type TrainOptions = Input<typeof TRAINING>;
export type PersonaliseOptions = Input<typeof PERSONALISING>;
export type TrainingValues = Output<typeof TRAINING>;
