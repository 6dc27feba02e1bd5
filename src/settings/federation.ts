/** Settings of a federation: those that participants are sent (wire.ts), and those that only the coordinator needs. */

import { COLUMN_NAMES, COLUMNS, LEVELS } from './columns.ts';
import { type Input, isObject, type Kind, type Output } from './kind.ts';
import { choice, either, list, milliseconds, number, orEndless, text, whole } from './kinds.ts';
import { MEDIAN } from './losses.ts';
import { object, variants } from './objects.ts';
import { count, PROBLEM, RUN } from './problem.ts';
import { AGGREGATION, END } from './training.ts';
import { DP, honest, mask, method, portion, precision, retryMs, SECURE, straggler } from './wire.ts';

const above0 = number({ above: 0 });
/** In (0, 1]. */
export const part = number({ above: 0, max: 1 });

/** The paper's T_wait. `share` is tracked by the times observed so far, `benchmarks` by the times that participants report when they join. */
export const waiting = variants('kind', {
  all: {},
  fixed: { ms: milliseconds().about('waiting time') },
  share: { share: part.about('share of the participants to wait for') },
  benchmarks: {
    quantile: part.default(0.5).about('quantile of the reported benchmark times'),
    factor: above0.default(1).about('multiple of that quantile'),
  },
})
  .short<'all' | 'benchmarks'>((given) => (typeof given === 'string' ? { kind: given } : given), {
    schema: { type: 'string', enum: ['all', 'benchmarks'] },
  })
  .flag('--wait <all|500ms|2s|90%|benchmarks>')
  .about('how long a round stays open');

/** With the defaults: sums of up to 2,048 participants; a third may drop out, a fifth may collude with the coordinator. */
export const SECURE_OPTIONS = {
  ...SECURE,
  phaseMs: milliseconds().default(10_000).about('time-out of each phase of a secure round'),
};

function isPrivate({ noiseMultiplier, epsilon }: Output<typeof DP>): boolean {
  return noiseMultiplier !== undefined || epsilon !== undefined;
}
const pair = list(number(), 'a pair [min, max]', { least: 2, most: 2 });
const isOrdered = ([least, most]: readonly number[]) => least <= most;
/** One for all features, not one for each. */
export function isPair(bounds: Bounds): bounds is readonly number[] {
  return typeof bounds[0] === 'number';
}

/** Of the coordinator alone: participants receive the scaling that follows. */
const bounds = either(pair, list(pair, 'a list of such pairs, one for each feature', { least: 1 }))
  .check(
    (given) => (isPair(given) ? isOrdered(given) : given.every(isOrdered)),
    'pairs [min, max] with min <= max',
  )
  .optional('none')
  .flag('--dp-bounds <min,max>')
  .about('public bounds of the features, used for scaling instead of exchanged moments');
const HOW_PRIVATE = 'a noiseMultiplier, an epsilon, or both';
const privacy = 'participant-level differential privacy';

const defence = object({
  normBound: above0.optional('none').about('clip updates to this norm'),
  robust: object({
    quantile: portion.default(0.5).about('quantile of the norms'),
    factor: above0.default(2).about('multiple of that quantile'),
  })
    .optional('none')
    .about('clip updates to a multiple of a quantile of the norms of the round'),
  refuseAbove: above0.optional('none').about('refuse updates with a larger norm'),
  scores: choice('on').optional('none').about('compute contribution scores'),
}).about('norm bounds and contribution scores');

/** What scenarios have in common with the coordinator. */
export const ROUNDS = {
  straggler,
  precision,
  minResponses: count.default(1).about('minimum number of answers; a round with fewer is abandoned'),
  summationMs: milliseconds({ min: 0 }).default(0).about('duration of a summation'),
  mask: mask.optional('none'),
  defence: defence.optional('none'),
  dp: object({ ...DP, bounds })
    .check(isPrivate, HOW_PRIVATE)
    .about(privacy)
    .optional('none'),
};

/** When training ends. */
export const STOP = {
  gap: END.gap,
  rounds: END.rounds.about('maximum number of rounds, not counting abandoned ones'),
  timeMs: orEndless(milliseconds({ above: 0, max: Infinity }))
    .default(Infinity)
    .about('maximum training time'),
  stall: orEndless(count).default(Infinity).about('maximum number of rounds without a smaller gap'),
};

export const TIMING = {
  waiting: waiting.default({ kind: 'all' }),
  maxWaitMs: orEndless(milliseconds()).default(60_000).about('maximum duration of a round'),
  minParticipants: count.default(2).about('training starts when this many participants have joined'),
  retryMs,
  patience: orEndless(count)
    .default(3)
    .about('stop waiting for a participant after this many rounds without an answer'),
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
    .about('secure aggregation: the coordinator sees only sums');

/** Longer labels nobody means. */
const label = text('a value of the target column, of at most 200 characters', 200);
const AS_AGREED = 'agreed on from the labels of the participants';

export const FEDERATION = {
  method,
  ...PROBLEM,
  positive: label
    .optional(AS_AGREED)
    .about('target value of the positive class (+1), others are -1; participants then send no labels'),
  classes: list(label, 'a list of 2 to 100 labels', { least: 2, most: 100 })
    .optional(AS_AGREED)
    .flag('--classes <a,b>')
    .about('complete list of target values, others are refused; participants then send no labels'),
  ...COLUMNS,
  levels: LEVELS,
  columns: COLUMN_NAMES,
  aggregation: AGGREGATION,
  passes: RUN.passes,
  seed: RUN.seed,
  ...TIMING,
  maxRows: whole(1, 1e8)
    .default(1e8)
    .about('maximum number of rows per participant; participants with more are refused'),
  ...ROUNDS,
  dp: object({ ...DP, honest, bounds })
    .check(isPrivate, HOW_PRIVATE)
    .about(privacy)
    .optional('none'),
  secure: securely(SECURE_OPTIONS),
  stop: object(STOP)
    .default(object(STOP).read({}, { path: [], missing: 'default' }))
    .about('stopping criteria'),
};

/** The same as the command line has it: when training ends has no word before it there. */
const { stop: _, ...BESIDE_STOP } = FEDERATION;
export const FEDERATION_FLAGS = { ...BESIDE_STOP, ...STOP };

export const federationKind = object(FEDERATION);

export type Waiting = Output<typeof TIMING>['waiting'];
/** [min, max] for all features, or for each. */
export type Bounds = readonly number[] | readonly (readonly number[])[];
export type SecureOptions = Output<typeof SECURE_OPTIONS>;
/** As one may write it. */
export type OptionsInput = Input<typeof FEDERATION>;

/** Options or settings that an earlier version stored: MOCHA was a rule of aggregation, or known by its C2 alone, losses had no name and no quantile, and targets were not scaled. */
export function upgraded<T extends object>(stored: T): T {
  if (!isObject(stored)) return stored;
  // Targets were as they are, and no loss had a quantile.
  return { scaleTarget: 'none', quantile: MEDIAN, ...withMethod(stored) };
}

/** The same for all options of a federation: those that there were not yet have their defaults. */
export function upgradedOptions<T extends object>(stored: T): T {
  const usual = Object.entries<Kind<unknown, unknown>>(FEDERATION).flatMap(([key, { declared }]) =>
    declared.fallback === undefined ? [] : [[key, declared.fallback]],
  );
  return { ...Object.fromEntries(usual), ...upgraded(stored) };
}

function withMethod<T extends object>(stored: T): T {
  if ('method' in stored) return stored;
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
