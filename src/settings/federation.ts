/** Settings of a federation: those that participants are sent (`WIRE`), and those that only the coordinator needs. */
import {
  choice,
  type Input,
  isObject,
  milliseconds,
  number,
  type Output,
  object,
  orEndless,
  variants,
  whole,
} from './kinds.ts';
import { AGGREGATION, count, PROBLEM, RUN, share } from './training.ts';

const above0 = number({ above: 0 });
/** In (0, 1]. */
export const part = number({ above: 0, max: 1 });
/** In [0, 1]. */
const portion = number({ min: 0, max: 1 });

/** The paper's T_wait. `share` is tracked by the times observed so far, `benchmarks` by the times that participants report when they join. */
export const waiting = variants('kind', {
  all: {},
  fixed: { ms: milliseconds().about('how long') },
  share: { share: part.about('share of the participants to wait for') },
  benchmarks: {
    quantile: part.default(0.5).about('quantile of the reported times'),
    factor: above0.default(1).about('times that quantile'),
  },
})
  .short<'all' | 'benchmarks'>((given) => (typeof given === 'string' ? { kind: given } : given), {
    schema: { type: 'string', enum: ['all', 'benchmarks'] },
  })
  .flag('--wait <all|500ms|2s|90%|benchmarks>')
  .about('how long a round stays open');

const semantics = choice('paper', 'consistent')
  .default('consistent')
  .about("whether a participant's own part takes the unmasked step or the masked one");

const mask = variants('kind', {
  bernoulli: { keep: portion.about('probability that a row is left as it is'), semantics },
  beta: {
    a: above0.default(2).about('of the Beta distribution'),
    b: above0.default(0.5).about('of the Beta distribution'),
    unmasked: portion.default(0).about('share of rows that are left as they are'),
    semantics,
  },
}).about('masks on updates');

const SECURE = {
  scaleBits: whole(0, 52).default(30).about('entries of a sum are multiples of 2^-scaleBits'),
  limit: above0.default(2 ** 22).about("largest entry of one participant's vector"),
  dropout: share.default(1 / 3).about('largest share that may drop out of a round'),
  corrupted: share.default(0.2).about('largest share that may collude with the coordinator'),
};

/** With the defaults: sums of up to 2,048 participants; a third may drop out, a fifth may collude with the coordinator. */
export const SECURE_OPTIONS = {
  ...SECURE,
  phaseMs: milliseconds().default(10_000).about('how long a phase waits for those who do not answer'),
};

const DP = {
  clip: above0.about("largest norm of one participant's step in a round"),
  noiseMultiplier: above0
    .optional('the least that keeps all rounds within epsilon')
    .about('standard deviation of the noise, in units of clip'),
  epsilon: above0
    .optional('what all rounds cost at this noise')
    .about('training ends before it would be exceeded'),
  delta: number({ above: 0, below: 1 }).default(1e-5).about('probability with which epsilon may be exceeded'),
};
const honest = count.optional('none').about('with secure: least number of honest participants in any sum');

function isPrivate({ noiseMultiplier, epsilon }: Output<typeof DP>): boolean {
  return noiseMultiplier !== undefined || epsilon !== undefined;
}
const HOW_PRIVATE = 'a noiseMultiplier, an epsilon, or both';
const privacy = 'differential privacy at participant level';

const defence = object({
  normBound: above0.optional('none').about('longer updates are shortened to this norm'),
  robust: object({
    quantile: portion.default(0.5).about("quantile of the round's norms"),
    factor: above0.default(2).about('times that quantile'),
  })
    .optional('none')
    .about("longer updates than this are shortened, measured by the round's own norms"),
  refuseAbove: above0.optional('none').about('longer updates are refused'),
  scores: choice('on').optional('none').about('score what participants contribute'),
}).about('norm bounds and contribution scores');

/** What scenarios have in common with the coordinator. */
export const ROUNDS = {
  straggler: choice('restart', 'resume', 'anytime')
    .default('anytime')
    .about('what a participant does that is still solving when the next round opens'),
  precision: choice('f64', 'f32').default('f64').about('numbers of the vectors that are sent'),
  minResponses: count.default(1).about('a round with fewer answers is abandoned'),
  summationMs: milliseconds({ min: 0 }).default(0).about('time that a summation takes'),
  mask: mask.optional('none'),
  defence: defence.optional('none'),
  dp: object(DP).check(isPrivate, HOW_PRIVATE).about(privacy).optional('none'),
};

/** When training ends. */
export const STOP = {
  gap: RUN.gap,
  rounds: RUN.rounds.about('most rounds in which something is aggregated'),
  timeMs: orEndless(milliseconds({ above: 0, max: Infinity }))
    .default(Infinity)
    .about('most time'),
  stall: orEndless(count).default(Infinity).about('most rounds without a better gap'),
};

export const TIMING = {
  waiting: waiting.default({ kind: 'all' }),
  maxWaitMs: orEndless(milliseconds()).default(60_000).about('no round is open for longer'),
  minParticipants: count.default(1).about('training starts when this many have joined'),
  retryMs: milliseconds().default(2000).about('what is not answered is sent again after this time'),
  patience: orEndless(count)
    .default(3)
    .about('rounds without an answer after which nobody waits for a participant'),
};

/** true: with all defaults. false: none. */
export const securely = <F extends Parameters<typeof object>[0]>(fields: F) =>
  object(fields)
    .short<boolean>((given) => (given === true ? {} : given === false ? undefined : given), {
      expected: `true, false, or an object of ${Object.keys(fields).join(', ')}`,
      schema: { type: 'boolean' },
    })
    .optional('none')
    .flag('--secure')
    .about('secure aggregation: the coordinator sees sums only');

export const FEDERATION = {
  method: choice('mtl', 'global', 'mocha').default('mtl').about('how the models of participants are related'),
  ...PROBLEM,
  aggregation: AGGREGATION,
  passes: RUN.passes,
  seed: RUN.seed,
  ...TIMING,
  ...ROUNDS,
  dp: object({ ...DP, honest })
    .check(isPrivate, HOW_PRIVATE)
    .about(privacy)
    .optional('none'),
  secure: securely(SECURE_OPTIONS),
  stop: object(STOP)
    .default(object(STOP).read({}, { path: [], missing: 'default' }))
    .about('when training ends'),
};

const { objective, loss, c1, c2, epsilon, classWeight, scale, bias } = PROBLEM;

/** What participants are sent in `welcome`, in this order; nothing is left to a default. */
export const WIRE = {
  method: FEDERATION.method,
  objective,
  loss: loss.needed(),
  training: choice('answers', 'steps').about(
    'answer the query w with the best personal part, or improve the duals step by step',
  ),
  c1,
  c2,
  epsilon,
  classWeight,
  scale,
  bias,
  features: whole(1, 0xffff_ffff).about('features before the bias'),
  passes: RUN.passes,
  seed: RUN.seed,
  straggler: ROUNDS.straggler,
  precision: ROUNDS.precision,
  retryMs: TIMING.retryMs,
  mask: ROUNDS.mask,
  dp: object({
    ...DP,
    noiseMultiplier: DP.noiseMultiplier.needed(),
    epsilon: DP.epsilon.needed(),
    honest,
  }).optional(),
  secure: object(SECURE).optional(),
};

export const federationKind = object(FEDERATION);
export const wireKind = object(WIRE);

export type Waiting = Output<typeof TIMING>['waiting'];
export type MaskSettings = NonNullable<Output<typeof ROUNDS>['mask']>;
export type DefenceOptions = NonNullable<Output<typeof ROUNDS>['defence']>;
export type SecureSettings = Output<typeof SECURE>;
export type SecureOptions = Output<typeof SECURE_OPTIONS>;
/** As one may write it. */
export type OptionsInput = Input<typeof FEDERATION>;
/** What all participants must agree on. */
export type FederationSettings = Output<typeof WIRE>;

/** C2 of the problem that is solved: without a personal part it has no finite price, and every 1/C2 is 0. */
export function personalCost({ method, c2 }: Pick<FederationSettings, 'method' | 'c2'>): number {
  return method === 'mtl' ? c2 : Infinity;
}

/** Options or settings that an earlier version stored: MOCHA was a rule of aggregation, or known by its C2 alone, and losses had no name. */
export function upgraded<T extends object>(stored: T): T {
  if (!isObject(stored) || 'method' in stored) return stored;
  const {
    aggregation,
    c2,
    objective: learnt,
  } = stored as { aggregation?: unknown; c2?: unknown; objective?: unknown };
  const mocha = aggregation === 'mocha' || c2 === 1e300;
  return {
    ...stored,
    method: mocha ? 'mocha' : 'mtl',
    loss: learnt === 'regression' ? 'epsilon-insensitive' : 'hinge',
    ...(mocha && { c2: 1 }),
    ...(aggregation === 'mocha' && { aggregation: 'safe' }),
  };
}
