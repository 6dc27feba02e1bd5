/** Settings of a scenario: those of a federation, and of the virtual world that it runs in. Every field has a default: {} is a scenario. */
import { COLUMN_RULES, COLUMNS } from './columns.ts';
import { part, ROUNDS, SECURE_OPTIONS, STOP, securely, TIMING } from './federation.ts';
import { type Input, isObject, type Output } from './kind.ts';
import { choice, either, list, number, record, text, toggle, whole } from './kinds.ts';
import { object, partial, variants } from './objects.ts';
import { POLICY } from './policy.ts';
import { count, PROBLEM, RUN } from './problem.ts';
import { AGGREGATION, ROWS } from './training.ts';

/** Virtual time is counted in milliseconds up to this many (11 days): what comes later never comes. */
export const LONGEST_MS = 1e9;
export const MISBEHAVIOURS = ['free-rider', 'noise', 'echo', 'poison'] as const;

const duration = number({ min: 0, max: LONGEST_MS });
const above0 = number({ above: 0 });
const name = text('the name of a participant');
const file = text('the name of a file');
const column = text('the name of a column');

const generated = {
  participants: count.default(20).about('number of participants'),
  seed: RUN.seed.about('random seed of the generator'),
};

const data = variants('generator', {
  har: {
    ...generated,
    rows: count.default(345).about('mean number of rows per participant; varies by up to 19%'),
    features: count.default(561).about('number of features'),
  },
  regression: {
    ...generated,
    rows: count.default(200).about('number of rows per participant'),
    features: count.default(200).about('number of features'),
    heterogeneity: choice('same', 'diverse')
      .default('diverse')
      .about('whether participants have the same or diverse data'),
  },
  rings: {
    ...generated,
    rows: count.default(200).about('number of rows per participant'),
    features: count.default(2).about('number of features'),
  },
  file: {
    file: file.about('data file, relative to the folder of the scenario'),
    task: column.default('task').about('participant column'),
    label: column.default('y').about('target column'),
    drop: list(text(), 'a list of columns').default([]).about('columns to leave out'),
    separator: text('one character, or auto', 4)
      .optional('auto')
      .about('column separator of a text file; auto: detected from the first line'),
    decimal: choice('point', 'comma').optional('point').about('decimal sign of a text file'),
    header: toggle()
      .optional('true')
      .about('whether the first line names the columns; otherwise they are named c1, c2 and so on'),
    ...COLUMN_RULES,
  },
}).short<string | object>(withGenerator, {
  expected: 'an object with a generator (har, regression, rings), or the name of a file',
  schema: { type: 'string' },
});

/** "rows.csv" is short for a file; without a generator it is the embedded data set. */
function withGenerator(given: unknown): unknown {
  if (typeof given === 'string') return { generator: 'file', file: given };
  if (!isObject(given) || 'generator' in given) return given;
  return { generator: 'file' in given ? 'file' : 'har', ...given };
}

const compute = object({
  file: file.optional('none').about('file written by kindred calibrate; constants given here override it'),
  fixedMs: duration.optional('of a typical device').about('time of a local pass: constant part'),
  perRowMs: duration.optional('0').about('time of a local pass: per row'),
  perValueMs: duration.optional('of a typical device').about('time of a local pass: per value'),
  spread: number({ min: 0, max: 2 })
    .optional('of a typical device')
    .about('relative standard deviation of the time'),
}).short<string>((given) => (typeof given === 'string' ? { file: given } : given), {
  schema: { type: 'string' },
});

const link = object({
  delayMs: duration.default(0).about('delay of every message'),
  jitterMs: duration.default(0).about('maximum additional random delay'),
  loss: number({ min: 0, max: 0.9 }).default(0).about('share of messages that are lost'),
  duplicate: number({ min: 0, max: 1 }).default(0).about('share of messages that arrive twice'),
});

const partition = object({
  fromMs: duration.about('start of the partition'),
  toMs: duration.about('end of the partition'),
  participants: list(name, 'a list of participants', { least: 1 }).about('participants that are cut off'),
}).check(({ fromMs, toMs }) => fromMs < toMs, 'toMs after fromMs');

const crash = object({
  node: text('coordinator, or the name of a participant').about('coordinator, or a participant'),
  step: count.about("step in which it crashes, counted from the node's first start"),
  afterEffects: whole(0, 1_000_000)
    .default(0)
    .about("number of the step's effects performed before the crash"),
  downMs: duration.default(1000).about('downtime'),
});

const OF_ONE = ['leave', 'rejoin', 'forget'];

const deed = object({
  atMs: duration.about('time of the action'),
  kind: choice('leave', 'rejoin', 'forget', 'pause', 'resume', 'finish').about('action'),
  participant: name.optional().about('participant that leaves, rejoins or is forgotten'),
}).check(
  ({ kind, participant }) => OF_ONE.includes(kind) === (participant !== undefined),
  'a participant with leave, rejoin or forget, and none with pause, resume or finish',
);

const misbehaving = object({
  participant: name.about('participant that misbehaves'),
  kind: choice(...MISBEHAVIOURS).about('kind of misbehaviour'),
  scale: above0.optional('1; 10 for poison').about('size of the update, relative to the honest one'),
});

const ifNothingIsLost = 'derived from the slowest participant';

export const SCENARIO = {
  name: text('text of at most 200 characters', 200, 0).default('scenario').about('title of the results'),
  about: text('text of at most 2000 characters', 2000, 0)
    .default('')
    .about('free text, ignored by the program'),
  data: data
    .default({ generator: 'har', participants: 20, seed: 1, rows: 345, features: 561 })
    .about('the data'),
  objective: PROBLEM.objective.optional('regression with the regression generator, classification otherwise'),
  positive: ROWS.positive,
  method: choice('mtl', 'local', 'global', 'mocha')
    .default('mtl')
    .about(
      'training method; global: all rows at one node as fast as all together; local: each participant alone',
    ),
  loss: PROBLEM.loss,
  c1: PROBLEM.c1,
  c2: PROBLEM.c2,
  epsilon: PROBLEM.epsilon,
  quantile: PROBLEM.quantile,
  lambda: PROBLEM.lambda,
  classWeight: PROBLEM.classWeight,
  scale: PROBLEM.scale,
  scaleTarget: PROBLEM.scaleTarget,
  features: PROBLEM.features,
  bias: PROBLEM.bias,
  rare: COLUMNS.rare,
  testFraction: ROWS.testFraction,
  trainRows: ROWS.trainRows,
  seed: RUN.seed,
  repeats: whole(1, 10_000)
    .default(1)
    .about('number of runs, with consecutive seeds: same data, different splits, delays and faults'),
  aggregation: AGGREGATION,
  passes: RUN.passes,
  ...STOP,
  waiting: TIMING.waiting.optional('all'),
  responders: part
    .optional('none')
    .about('target share of responders; the waiting time is computed from the distribution of delays'),
  minParticipants: TIMING.minParticipants.optional('all participants present at the start'),
  maxWaitMs: TIMING.maxWaitMs.optional(ifNothingIsLost),
  ...ROUNDS,
  misbehaving: list(misbehaving, 'a list')
    .optional('none')
    .about('participants that do not follow the protocol'),
  secure: securely(partial(SECURE_OPTIONS)),
  reportTests: toggle()
    .default(false)
    .about('whether participants report metrics of their test rows with every answer'),
  policy: object(POLICY).optional('all defaults').about('policy of the participants'),
  retryMs: TIMING.retryMs.optional(ifNothingIsLost),
  patience: TIMING.patience.optional('3; no limit if no message is lost'),
  hardware: either(
    choice('equal', 'rising'),
    list(number({ above: 0, max: 1e6 }), 'a list of factors above 0', { least: 1 }),
  )
    .default('equal')
    .about('speed factors of the devices; a list is repeated as needed'),
  compute: compute.default({}).about('time model of local passes'),
  link: link.default({ delayMs: 0, jitterMs: 0, loss: 0, duplicate: 0 }).about('the network'),
  partitions: list(partition, 'a list').default([]).about('network partitions'),
  crashes: list(crash, 'a list').default([]).about('crashes and restarts of nodes'),
  deeds: list(deed, 'a list').default([]).about('actions of the operator and of participants'),
  startMs: record(duration, 'an object of times by participant')
    .default({})
    .about('start times of participants that do not start at 0'),
  targets: list(number({ max: 1 }), 'a list of up to 20 numbers', { most: 20 })
    .default([0.9, 0.95, 0.97])
    .about('values of the metric for which the summary reports the time to reach them'),
};

export const scenarioKind = object(SCENARIO);
/** As one may write it. */
export type ScenarioInput = Input<typeof SCENARIO>;
export type ScenarioValues = Output<typeof SCENARIO>;
