/** Settings of a scenario: those of a federation, and of the virtual world that it runs in. Every field has a default: {} is a scenario. */
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
  participants: count.default(20).about('how many'),
  seed: RUN.seed.about('seed of the generator'),
};

const data = variants('generator', {
  har: {
    ...generated,
    rows: count.default(345).about('rows of a participant, on average: they differ by up to 19%'),
    features: count.default(561).about('number of features'),
  },
  regression: {
    ...generated,
    rows: count.default(200).about('rows of every participant'),
    features: count.default(200).about('number of features'),
    heterogeneity: choice('same', 'diverse').default('diverse').about('whether participants differ'),
  },
  file: {
    file: file.about("relative to the scenario's own folder"),
    task: column.default('task').about('participant column'),
    label: column.default('y').about('target column'),
    drop: list(text(), 'a list of columns').default([]).about('columns to leave out'),
    separator: text('one character, or auto', 4)
      .optional('auto')
      .about('between columns of a text file; auto: by the first line'),
    decimal: choice('point', 'comma').optional('point').about('before decimals of a text file'),
    header: toggle()
      .optional('true')
      .about('whether the first line names the columns; false: they are called c1, c2 and so on'),
  },
}).short<string | object>(withGenerator, {
  expected: 'an object with a generator (har, regression), or the name of a file',
  schema: { type: 'string' },
});

/** "rows.csv" is short for a file; without a generator it is the embedded data set. */
function withGenerator(given: unknown): unknown {
  if (typeof given === 'string') return { generator: 'file', file: given };
  if (!isObject(given) || 'generator' in given) return given;
  return { generator: 'file' in given ? 'file' : 'har', ...given };
}

const compute = object({
  file: file
    .optional('none')
    .about('a fit that kindred calibrate has written; constants beside it override it'),
  fixedMs: duration.optional('of a typical device').about('time of a local pass: constant part'),
  perRowMs: duration.optional('0').about('time of a local pass: for every row'),
  perValueMs: duration.optional('of a typical device').about('time of a local pass: for every value'),
  spread: number({ min: 0, max: 2 })
    .optional('of a typical device')
    .about('relative standard deviation of the time'),
}).short<string>((given) => (typeof given === 'string' ? { file: given } : given), {
  schema: { type: 'string' },
});

const link = object({
  delayMs: duration.default(0).about('delay of every message'),
  jitterMs: duration.default(0).about('largest random delay on top of it'),
  loss: number({ min: 0, max: 0.9 }).default(0).about('share of messages that are lost'),
  duplicate: number({ min: 0, max: 1 }).default(0).about('share of messages that arrive twice'),
});

const partition = object({
  fromMs: duration.about('from when'),
  toMs: duration.about('until when'),
  participants: list(name, 'a list of participants', { least: 1 }).about('who is cut off'),
}).check(({ fromMs, toMs }) => fromMs < toMs, 'toMs after fromMs');

const crash = object({
  node: text('coordinator, or the name of a participant').about('coordinator, or a participant'),
  step: count.about("in which step, counted from the node's first start"),
  afterEffects: whole(0, 1_000_000).default(0).about("how many of the step's effects are carried out"),
  downMs: duration.default(1000).about('how long it is down'),
});

const OF_ONE = ['leave', 'rejoin', 'forget'];

const deed = object({
  atMs: duration.about('when'),
  kind: choice('leave', 'rejoin', 'forget', 'pause', 'resume', 'finish').about('what is done'),
  participant: name.optional().about('who leaves, rejoins or is forgotten'),
}).check(
  ({ kind, participant }) => OF_ONE.includes(kind) === (participant !== undefined),
  'a participant to leave, rejoin or forget, and none to pause, resume or finish',
);

const misbehaving = object({
  participant: name.about('who'),
  kind: choice(...MISBEHAVIOURS).about('how'),
  scale: above0.optional('1; 10 for poison').about('size of what is sent, in units of the honest update'),
});

const ifNothingIsLost = 'follows from the slowest participant';

export const SCENARIO = {
  name: text('text of at most 200 characters', 200, 0).default('scenario').about('title of the results'),
  about: text('text of at most 2000 characters', 2000, 0).default('').about('for people; nothing reads it'),
  data: data
    .default({ generator: 'har', participants: 20, seed: 1, rows: 345, features: 561 })
    .about('the rows'),
  objective: PROBLEM.objective.optional('regression for that generator, classification otherwise'),
  positive: ROWS.positive,
  method: choice('mtl', 'local', 'global', 'mocha')
    .default('mtl')
    .about(
      'global: all rows at one node as strong as all together; local: everybody alone, with the scaling of all',
    ),
  loss: PROBLEM.loss,
  c1: PROBLEM.c1,
  c2: PROBLEM.c2,
  epsilon: PROBLEM.epsilon,
  lambda: PROBLEM.lambda,
  classWeight: PROBLEM.classWeight,
  scale: PROBLEM.scale,
  scaleTarget: PROBLEM.scaleTarget,
  bias: PROBLEM.bias,
  testFraction: ROWS.testFraction,
  trainRows: ROWS.trainRows,
  seed: RUN.seed,
  repeats: whole(1, 10_000)
    .default(1)
    .about('runs, with the seeds from seed on: other splits, delays and faults, the same data'),
  aggregation: AGGREGATION,
  passes: RUN.passes,
  ...STOP,
  waiting: TIMING.waiting.optional('all'),
  responders: part
    .optional('none')
    .about('share of responders: the waiting period is computed from the distribution of delays'),
  minParticipants: TIMING.minParticipants.optional('all that are there at the start'),
  maxWaitMs: TIMING.maxWaitMs.optional(ifNothingIsLost),
  ...ROUNDS,
  misbehaving: list(misbehaving, 'a list')
    .optional('none')
    .about('participants that do not follow the protocol'),
  secure: securely(partial(SECURE_OPTIONS)),
  policy: object(POLICY).optional('the defaults').about('what participants accept'),
  retryMs: TIMING.retryMs.optional(ifNothingIsLost),
  patience: TIMING.patience.optional('3; no limit where nothing is lost'),
  hardware: either(
    choice('equal', 'rising'),
    list(number({ above: 0, max: 1e6 }), 'a list of factors above 0', { least: 1 }),
  )
    .default('equal')
    .about('speed of the devices; a list is used in turn'),
  compute: compute.default({}).about('how long local passes take'),
  link: link.default({ delayMs: 0, jitterMs: 0, loss: 0, duplicate: 0 }).about('the network'),
  partitions: list(partition, 'a list').default([]).about('participants that are cut off for some time'),
  crashes: list(crash, 'a list').default([]).about('nodes that crash and come back'),
  deeds: list(deed, 'a list').default([]).about('what operator and participants do, and when'),
  startMs: record(duration, 'an object of times by participant')
    .default({})
    .about('participants that come later than at 0'),
  targets: list(number({ max: 1 }), 'a list of up to 20 numbers', { most: 20 })
    .default([0.9, 0.95, 0.97])
    .about('the summary says when the metric first reached each of these'),
};

export const scenarioKind = object(SCENARIO);
/** As one may write it. */
export type ScenarioInput = Input<typeof SCENARIO>;
export type ScenarioValues = Output<typeof SCENARIO>;
