/**
 * The coordinator's options as JSON: strict, every field has a default, and `null` stands where a number without bound is meant.
 * `optionsSchema` says what may be written, field by field; `parseOptions` also refuses what does not go together.
 */
import { z } from 'zod';
import { KindredError } from '../base/errors.ts';
import { errorFromIssues, fieldError, type Given } from '../base/field-error.ts';
import { AGGREGATIONS } from '../solver/aggregate.ts';
import { LOSS_NAMES } from '../solver/losses/losses.ts';
import { type CoordinatorOptions, DEFAULT_OPTIONS, DEFAULT_SECURE } from './options.ts';
import {
  type Conflict,
  completeDp,
  conflictOfMask,
  conflictOfNoise,
  conflictOfShares,
  conflictOfSize,
  conflictWithDp,
  conflictWithSecure,
  defaultAggregation,
} from './options-checks.ts';
import {
  above0,
  defenceField,
  dpFields,
  maskField,
  SAYS_HOW_PRIVATE,
  secureField,
  seedField,
  waitingField,
  whole,
  withoutGaps,
} from './options-fields.ts';

/** Timers of all runtimes take at most this many milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const period = z.number().gt(0).max(LONGEST_TIMER_MS);
const standard = DEFAULT_OPTIONS;

/** Null where the default has no bound. */
const orNull = (value: number) => (value === Number.POSITIVE_INFINITY ? null : value);
const orEndless = (value: number | null) => value ?? Number.POSITIVE_INFINITY;

const stopField = z.strictObject({
  gap: z.number().min(0).lt(1).default(standard.stop.gap).describe('relative duality gap to reach'),
  rounds: whole.default(standard.stop.rounds).describe('most rounds in which something is aggregated'),
  timeMs: above0.nullable().default(orNull(standard.stop.timeMs)).describe('most time; null: no limit'),
  stall: whole
    .nullable()
    .default(orNull(standard.stop.stall))
    .describe('most rounds without a better gap; null: no limit'),
});

const dpField = z
  .strictObject({
    ...dpFields,
    honest: whole.optional().describe('with secure: least number of honest participants in any sum'),
  })
  .refine(...SAYS_HOW_PRIVATE);

export const optionsSchema = z.strictObject({
  objective: z.enum(['classification', 'regression']).default(standard.objective).describe('what is learnt'),
  loss: z.enum(LOSS_NAMES).optional().describe('default: that of the objective'),
  c1: above0.default(standard.c1).describe('weight of the losses'),
  c2: above0.default(standard.c2).describe('price of personal parts'),
  epsilon: z.number().min(0).default(standard.epsilon).describe('regression: errors up to it cost nothing'),
  lambda: above0.default(standard.lambda).describe("mocha's regularisation"),
  classWeight: z
    .enum(['none', 'balanced'])
    .default(standard.classWeight)
    .describe("weights of a participant's two classes"),
  scale: z
    .enum(['standard', 'center', 'none'])
    .default(standard.scale)
    .describe('how features are scaled, the same for all'),
  bias: z.boolean().default(standard.bias).describe('whether models have a constant term'),
  aggregation: z
    .enum([...AGGREGATIONS, 'mocha'])
    .optional()
    .describe('how updates are combined; default: answers, safe with dp'),
  passes: whole.default(standard.passes).describe('most local passes in a round'),
  seed: seedField.default(standard.seed).describe('of all that is drawn'),
  straggler: z
    .enum(['restart', 'resume', 'anytime'])
    .default(standard.straggler)
    .describe('what a participant does that is caught by the next round'),
  precision: z.enum(['f64', 'f32']).default(standard.precision).describe('of vectors that are sent'),
  waiting: waitingField(period).default(standard.waiting).describe('how long a round stays open'),
  minResponses: whole.default(standard.minResponses).describe('a round with fewer answers is given up'),
  maxWaitMs: period
    .nullable()
    .default(orNull(standard.maxWaitMs))
    .describe('no round is open for longer; null: no limit'),
  minParticipants: whole
    .default(standard.minParticipants)
    .describe('training starts when so many have joined'),
  summationMs: z
    .number()
    .min(0)
    .max(LONGEST_TIMER_MS)
    .default(standard.summationMs)
    .describe('time that a summation takes'),
  retryMs: period.default(standard.retryMs).describe('what is not answered is said again after so long'),
  patience: whole
    .nullable()
    .default(orNull(standard.patience))
    .describe('rounds without an answer before nobody waits for a participant; null: no limit'),
  mask: maskField.optional().describe('masks on updates'),
  dp: dpField.optional().describe('differential privacy at participant level'),
  defence: defenceField.optional().describe('norm bounds and contribution scores'),
  secure: secureField(period).default(false).describe('secure aggregation: only sums are seen'),
  stop: stopField.prefault({}).describe('when training ends'),
});

/** As one may write it. */
export type OptionsInput = z.input<typeof optionsSchema>;

/** `source` is what errors call it. */
export function parseOptions(source: string, json: unknown): CoordinatorOptions {
  const given = { code: 'BAD_OPTIONS', source };
  const result = optionsSchema.safeParse(json);
  if (!result.success) throw errorFromIssues(given, json, result.error);
  const options = completed(given, result.data);
  const conflict = conflictIn(options);
  if (conflict) throw fieldError(given, conflict.field, conflict.expected, conflict.got);
  return options;
}

function completed(given: Given, written: z.output<typeof optionsSchema>): CoordinatorOptions {
  const { aggregation, secure, dp, mask, defence, maxWaitMs, patience, stop, ...rest } = written;
  return {
    ...rest,
    aggregation: aggregation ?? defaultAggregation({ dp }),
    maxWaitMs: orEndless(maxWaitMs),
    patience: orEndless(patience),
    stop: { ...stop, timeMs: orEndless(stop.timeMs), stall: orEndless(stop.stall) },
    ...(mask && { mask }),
    ...(defence && { defence: withoutGaps(defence) }),
    ...(dp && { dp: naming(given, 'dp', () => completeDp(dp, stop.rounds)) }),
    ...(secure && { secure: { ...DEFAULT_SECURE, ...(secure === true ? {} : withoutGaps(secure)) } }),
  };
}

/** What is refused inside is refused here, by its full name. */
function naming<T>({ code, source }: Given, field: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof KindredError)) throw error;
    throw new KindredError(code, `${source}: ${field}.${error.message}`);
  }
}

/** The first thing that does not go with another. */
function conflictIn(options: CoordinatorOptions): Conflict | undefined {
  const { secure, dp, stop, aggregation, objective, minParticipants } = options;
  if (aggregation === 'mocha' && objective === 'regression')
    return {
      field: 'aggregation',
      expected: 'another one for regression: mocha only classifies',
      got: 'mocha',
    };
  if (dp && stop.stall !== Number.POSITIVE_INFINITY)
    return { field: 'stop.stall', expected: 'none with dp, which knows no gap', got: stop.stall };
  return (
    conflictWithSecure(options) ??
    conflictOfMask(options) ??
    (secure && (conflictOfShares(secure) ?? conflictOfSize(secure, minParticipants))) ??
    conflictWithDp(options) ??
    conflictOfNoise(options)
  );
}

/** The same options as JSON: `parseOptions` gives them back. */
export function optionsToJson(options: CoordinatorOptions): OptionsInput {
  const { mask, dp, defence, secure, maxWaitMs, patience, stop, ...rest } = options;
  return {
    ...rest,
    maxWaitMs: orNull(maxWaitMs),
    patience: orNull(patience),
    stop: { ...stop, timeMs: orNull(stop.timeMs), stall: orNull(stop.stall) },
    ...(mask && { mask }),
    ...(dp && { dp: withoutGaps(dp) }),
    ...(defence && { defence: withoutGaps(defence) }),
    ...(secure && { secure }),
  };
}
