/** Options as JSON: defaults, refusals in one sentence, there and back again. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KindredError } from '../../src/base/errors.ts';
import {
  type CoordinatorOptions,
  DEFAULT_OPTIONS,
  DEFAULT_SECURE,
  optionsToJson,
  parseOptions,
} from '../../src/coordinator/options.ts';
import { newCoordinator } from '../../src/coordinator/stored.ts';
import { federationKind, type OptionsInput } from '../../src/settings/federation.ts';
import { AGGREGATIONS } from '../../src/settings/training.ts';

function refusal(given: unknown): string {
  try {
    parseOptions('federation.json', given);
  } catch (error) {
    expect(error).toBeInstanceOf(KindredError);
    expect((error as KindredError).code).toBe('BAD_OPTIONS');
    return (error as KindredError).message;
  }
  throw new Error('expected a refusal');
}

const parse = (given: OptionsInput) => parseOptions('federation.json', given);

describe('what is not written', () => {
  test('is as by default', () => {
    expect(parse({})).toEqual(DEFAULT_OPTIONS);
    expect(parse({ stop: { rounds: 7 } }).stop).toEqual({ ...DEFAULT_OPTIONS.stop, rounds: 7 });
  });

  test('of secure aggregation: true is all of it by default, and false none', () => {
    expect(parse({ secure: true })).toEqual({
      ...DEFAULT_OPTIONS,
      secure: DEFAULT_SECURE,
    });
    expect(parse({ secure: { scaleBits: 20 } }).secure).toEqual({ ...DEFAULT_SECURE, scaleBits: 20 });
    expect(parse({ secure: false })).not.toHaveProperty('secure');
    const dp = { clip: 1, noiseMultiplier: 1, epsilon: 100, honest: 3 };
    const together = { secure: true, dp, scale: 'none', minParticipants: 4 } as const;
    expect(parse(together).aggregation).toBe('safe');
    expect(parse({ ...together, aggregation: 'sum' }).aggregation).toBe('sum');
  });

  test('of differential privacy follows from the rest and the number of rounds', () => {
    const rest = { scale: 'none', stop: { rounds: 20 } } as const;
    const { dp, aggregation } = parse({ dp: { clip: 1, epsilon: 4 }, ...rest });
    expect(aggregation).toBe('safe');
    expect(dp).toMatchObject({ clip: 1, epsilon: 4, delta: 1e-5 });
    const spent = parse({ dp: { clip: 1, noiseMultiplier: dp!.noiseMultiplier }, ...rest }).dp!;
    expect(spent.epsilon).toBeLessThanOrEqual(4);
    expect(spent.epsilon).toBeGreaterThan(3.99);
  });

  test('and what is written in short', () => {
    expect(parse({ waiting: 'all' }).waiting).toEqual({ kind: 'all' });
    expect(parse({ waiting: 'benchmarks' }).waiting).toEqual({
      kind: 'benchmarks',
      quantile: 0.5,
      factor: 1,
    });
    const endless = parse({ maxWaitMs: null, patience: null, stop: { timeMs: null, stall: null } });
    const { maxWaitMs, patience, stop } = endless;
    expect([maxWaitMs, patience, stop.timeMs, stop.stall]).toEqual(Array(4).fill(Number.POSITIVE_INFINITY));
  });
});

describe('what is refused', () => {
  test('however deep it is', () => {
    const deep = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
    expect(refusal(deep)).toBe('federation.json: expected an object, got a value that is nested too deeply');
    expect(refusal({ waiting: deep })).toContain('waiting: expected');
  });

  const dp = { clip: 1, noiseMultiplier: 1, epsilon: 100 };
  const mask = { kind: 'bernoulli', keep: 0.5 };
  test.each<[unknown, string]>([
    [3, 'federation.json: expected an object, got 3'],
    [null, 'federation.json: expected an object, got null'],
    [{ colour: 1 }, 'federation.json: colour: there is no such field'],
    [{ stop: { gaps: 1 } }, 'federation.json: stop.gaps: there is no such field'],
    [{ c1: 0 }, 'federation.json: c1: expected a number above 0, got 0'],
    [{ c2: 'x' }, 'federation.json: c2: expected a number above 0, got "x"'],
    [{ c1: null }, 'federation.json: c1: expected a number above 0, got null'],
    [{ passes: 1.5 }, 'federation.json: passes: expected a whole number of at least 1, got 1.5'],
    [{ seed: -1 }, 'federation.json: seed: expected a whole number of at least 0, got -1'],
    [
      { retryMs: 2 ** 31 },
      'federation.json: retryMs: expected a number of milliseconds above 0 and at most 2147483647, got 2147483648',
    ],
    [
      { maxWaitMs: 0 },
      'federation.json: maxWaitMs: expected a number of milliseconds above 0 and at most 2147483647, or null for no limit, got 0',
    ],
    [{ stop: { gap: 1 } }, 'federation.json: stop.gap: expected a number of at least 0 and below 1, got 1'],
    [{ aggregation: 'mean' }, 'federation.json: aggregation: expected one of answers, safe, sum, got "mean"'],
    [
      { waiting: 'long' },
      'federation.json: waiting.kind: expected one of all, fixed, share, benchmarks, got "long"',
    ],
    [
      { waiting: { kind: 'fixed', ms: 0 } },
      'federation.json: waiting.ms: expected a number of milliseconds above 0 and at most 2147483647, got 0',
    ],
    [
      { waiting: { kind: 'share', share: 2 } },
      'federation.json: waiting.share: expected a number above 0 and at most 1, got 2',
    ],
    [{ secure: { limit: -1 } }, 'federation.json: secure.limit: expected a number above 0, got -1'],
    [
      { secure: 'yes' },
      'federation.json: secure: expected true, false, or an object of scaleBits, limit, dropout, corrupted, phaseMs, got "yes"',
    ],
    ...(['safe', 'sum'] as const).map((aggregation): [unknown, string] => [
      { secure: true, aggregation },
      `federation.json: aggregation: expected answers with secure (safe or sum with dp), got "${aggregation}"`,
    ]),
    [{ secure: true, method: 'mocha' }, 'federation.json: method: expected mtl with secure, got "mocha"'],
    [
      { method: 'global', aggregation: 'answers' },
      'federation.json: aggregation: expected safe or sum with the method global, which has no personal part, got "answers"',
    ],
    [
      { objective: 'regression', loss: 'hinge' },
      'federation.json: loss: expected epsilon-insensitive, quantile for regression, got "hinge"',
    ],
    [
      { aggregation: 'exact' },
      'federation.json: aggregation: expected one of answers, safe, sum, got "exact"',
    ],
    [
      { mask: { ...mask, semantics: 'paper' } },
      'federation.json: mask.semantics: expected consistent with answers (paper: with safe or sum), got "paper"',
    ],
    [
      { secure: true, precision: 'f32' },
      'federation.json: precision: expected f64 with secure, which has its own number format, got "f32"',
    ],
    [
      { secure: true, mask },
      'federation.json: mask: expected none with secure, which hides updates, got "bernoulli"',
    ],
    [
      { secure: true, defence: { scores: 'on' } },
      'federation.json: defence: expected none with secure, where single updates are hidden, got {"scores":"on"}',
    ],
    [{ secure: { stepBits: 20 } }, 'federation.json: secure.stepBits: there is no such field'],
    [
      { secure: { dropout: 0.5 } },
      'federation.json: secure.dropout: expected less than 0.4, which is (1 - corrupted) / 2, got 0.5',
    ],
    [
      { secure: true, minParticipants: 3000 },
      'federation.json: secure.limit: expected a limit that allows sums of 3000 participants (this one: 2047), got 4194304',
    ],
    [
      { method: 'mocha', objective: 'regression' },
      'federation.json: method: expected a method other than mocha for regression, got "mocha"',
    ],
    [
      { dp: { clip: 1 } },
      'federation.json: dp: expected a noiseMultiplier, an epsilon, or both, got {"clip":1}',
    ],
    [
      { dp: { clip: 1, epsilon: 1e-5, delta: 1e-300 } },
      'federation.json: dp.epsilon: expected a reachable value, got 0.00001',
    ],
    [
      { dp, aggregation: 'answers' },
      'federation.json: aggregation: expected safe or sum with dp (answers would reveal private scalars), got "answers"',
    ],
    [
      { dp, stop: { stall: 5 } },
      'federation.json: stop.stall: expected none with dp, where the gap is unknown, got 5',
    ],
    [
      { dp, mask: { ...mask, semantics: 'paper' } },
      'federation.json: mask.semantics: expected consistent with dp, got "paper"',
    ],
    [
      { dp, defence: { normBound: 1 } },
      'federation.json: defence: expected none with dp, whose clip bounds every update, got {"normBound":1}',
    ],
    [
      { dp: { ...dp, epsilon: 1 } },
      'federation.json: dp.epsilon: expected at least 4.729, the cost of one round, got 1',
    ],
    [
      { dp, secure: true },
      'federation.json: dp.honest: expected a number with secure, where participants add the noise, got nothing',
    ],
    [{ dp: { ...dp, honest: 3 } }, 'federation.json: dp.honest: expected none without secure, got 3'],
    [
      { dp, precision: 'f32' },
      'federation.json: precision: expected f64 with dp, which needs exact sums, got "f32"',
    ],
    [
      { dp },
      'federation.json: scale: expected none with dp, or dp.bounds (public bounds [min, max] of the features): epsilon does not cover sums of the data, got "standard"',
    ],
    [
      { dp: { ...dp, bounds: [-1, 1] }, scale: 'none' },
      'federation.json: scale: expected standard or center with dp.bounds, got "none"',
    ],
    [
      { dp: { ...dp, bounds: [1, -1] } },
      'federation.json: dp.bounds: expected pairs [min, max] with min <= max, got [1,-1]',
    ],
    // Sums of three would have an eighth of the noise that is paid for.
    [
      { dp: { ...dp, honest: 200 }, secure: true, minParticipants: 3 },
      'federation.json: dp.honest: expected at most 3, the honest participants among minParticipants = 3 (raise minParticipants), got 200',
    ],
  ])('%j', (given, sentence) => {
    expect(refusal(given)).toBe(sentence);
  });
});

const positive = fc.double({ min: 1e-6, max: 1e6, noNaN: true });
const ms = fc.double({ min: 1e-3, max: 2 ** 31 - 1, noNaN: true });
const count = fc.integer({ min: 1, max: 1_000_000_000 });
const portion = fc.double({ min: 0, max: 1, noNaN: true });
const share = fc.double({ min: 1e-6, max: 1, noNaN: true });
const orEndless = (values: fc.Arbitrary<number>) => fc.oneof(values, fc.constant(Number.POSITIVE_INFINITY));
const sometimes = <K extends string, T>(name: K, value: fc.Arbitrary<T>) =>
  fc.option(value).map((drawn) => (drawn === null ? {} : { [name]: drawn }) as { [key in K]?: T });

const common = fc
  .record({
    method: fc.constant('mtl' as const),
    problem: fc.constantFrom(
      { objective: 'classification', loss: 'hinge' } as const,
      { objective: 'regression', loss: 'epsilon-insensitive' } as const,
      { objective: 'regression', loss: 'quantile' } as const,
    ),
    c1: positive,
    c2: positive,
    epsilon: fc.double({ min: 0, max: 10, noNaN: true }),
    quantile: fc.double({ min: 0.001, max: 0.999, noNaN: true }),
    lambda: positive,
    classWeight: fc.constantFrom('none', 'balanced'),
    scale: fc.constantFrom('standard', 'center', 'none'),
    scaleTarget: fc.constantFrom('standard', 'none'),
    bias: fc.boolean(),
    passes: count,
    maxRows: fc.integer({ min: 1, max: 1e8 }),
    rare: fc.integer({ min: 1, max: 100 }),
    columns: fc.constant('exact' as const),
    seed: fc.maxSafeNat(),
    straggler: fc.constantFrom('restart', 'resume', 'anytime'),
    waiting: fc.oneof(
      fc.constant({ kind: 'all' } as const),
      fc.record({ kind: fc.constant('fixed' as const), ms }),
      fc.record({ kind: fc.constant('share' as const), share }),
      fc.record({ kind: fc.constant('benchmarks' as const), quantile: share, factor: positive }),
    ),
    minResponses: count,
    maxWaitMs: orEndless(ms),
    minParticipants: fc.integer({ min: 1, max: 100 }),
    summationMs: fc.oneof(fc.constant(0), ms),
    retryMs: ms,
    patience: orEndless(count),
    stop: fc.record({
      gap: fc.double({ min: 0, max: 0.99, noNaN: true }),
      rounds: fc.integer({ min: 1, max: 1000 }),
      timeMs: orEndless(positive),
      stall: orEndless(count),
    }),
  })
  .map(({ problem, ...rest }) => ({ ...problem, ...rest }));

const mask = fc.oneof(
  fc.record({ kind: fc.constant('bernoulli' as const), keep: portion }),
  fc.record({ kind: fc.constant('beta' as const), a: positive, b: positive, unmasked: portion }),
);
const semantics = fc.constantFrom('paper', 'consistent');
const defence = fc
  .tuple(
    sometimes('normBound', positive),
    sometimes('robust', fc.record({ quantile: portion, factor: positive })),
    sometimes('refuseAbove', positive),
    sometimes('scores', fc.constant('on' as const)),
  )
  .map((parts) => Object.assign({}, ...parts) as NonNullable<CoordinatorOptions['defence']>);
const dp = fc.record({
  clip: positive,
  noiseMultiplier: fc.double({ min: 0.7, max: 100, noNaN: true }),
  epsilon: fc.double({ min: 20, max: 1000, noNaN: true }),
  delta: fc.double({ min: 1e-9, max: 0.5, noNaN: true }),
});
const pair = fc.tuple(fc.integer({ min: -9, max: -1 }), fc.integer({ min: 1, max: 9 }));
const bounds = fc.oneof(pair, fc.array(pair, { minLength: 1, maxLength: 4 }));
const secure = fc.record({
  scaleBits: fc.integer({ min: 10, max: 30 }),
  limit: fc.integer({ min: 1, max: 2 ** 22 }),
  dropout: fc.double({ min: 0, max: 0.3, noNaN: true }),
  corrupted: fc.double({ min: 0, max: 0.3, noNaN: true }),
  phaseMs: ms,
});

/** Options that go together, with each protection and without. */
const options: fc.Arbitrary<CoordinatorOptions> = fc.oneof(
  fc
    .tuple(
      common,
      fc.constantFrom(...AGGREGATIONS),
      fc.constantFrom('f64', 'f32'),
      sometimes('defence', defence),
      sometimes(
        'mask',
        fc.tuple(mask, semantics).map(([kind, how]) => ({ ...kind, semantics: how })),
      ),
    )
    .filter(
      ([, aggregation, , , { mask: hidden }]) => aggregation !== 'answers' || hidden?.semantics !== 'paper',
    )
    .map(([rest, aggregation, precision, ...parts]) =>
      Object.assign({ ...rest, aggregation, precision }, ...parts),
    ),
  common.map((rest) => ({
    ...rest,
    method: 'mocha' as const,
    objective: 'classification' as const,
    loss: 'hinge' as const,
    aggregation: 'safe' as const,
    precision: 'f64' as const,
  })),
  fc
    .tuple(
      common,
      fc.constantFrom('safe', 'sum'),
      dp,
      sometimes('secure', secure),
      sometimes('bounds', bounds),
    )
    .map(([rest, aggregation, limits, hidden, given]) => ({
      ...{ ...rest, aggregation, precision: 'f64' as const, ...hidden },
      scale: given.bounds ? ('center' as const) : ('none' as const),
      scaleTarget: 'none' as const,
      dp: { ...limits, ...given, ...(hidden.secure && { honest: Math.ceil(0.7 * rest.minParticipants) }) },
      stop: { ...rest.stop, stall: Number.POSITIVE_INFINITY },
    })),
  fc.tuple(common, secure).map(([rest, hidden]) => ({
    ...rest,
    aggregation: 'answers' as const,
    precision: 'f64' as const,
    secure: hidden,
  })),
);

test('options as JSON come back as they were, and a coordinator can be made of them', () => {
  fc.assert(
    fc.property(options, (given) => {
      const json = JSON.parse(JSON.stringify(optionsToJson(given)));
      const back = parseOptions('federation.json', json);
      expect(back).toEqual(given);
      expect(optionsToJson(back)).toEqual(json);
      expect(newCoordinator(back).phase).toBe('gathering');
    }),
    { numRuns: 500 },
  );
});

test('the schema can be written as a JSON schema, every field in words', () => {
  const { properties, additionalProperties } = federationKind.schema as {
    properties: Record<string, object>;
    additionalProperties: boolean;
  };
  expect(additionalProperties).toBe(false);
  const names = Object.keys(properties);
  expect(new Set(names)).toEqual(
    new Set([
      ...Object.keys(DEFAULT_OPTIONS),
      'loss',
      'mask',
      'dp',
      'defence',
      'secure',
      'positive',
      'features',
      'classes',
      'levels',
    ]),
  );
  for (const name of names)
    expect(properties[name]).toMatchObject({ description: expect.stringMatching(/^\w.{3,90}$/) });
  const { waiting } = properties as Record<string, { anyOf: { enum?: string[] }[] }>;
  expect(waiting.anyOf[0].enum).toEqual(['all', 'benchmarks']);
});
