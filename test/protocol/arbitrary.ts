import fc from 'fast-check';
import type { ColumnCode } from '../../src/data/encoding.ts';
import { DECLINE_CODES, FAULT_CODES, REJECT_CODES } from '../../src/protocol/codes.ts';
import type { Accepted, Message, Scalars } from '../../src/protocol/messages.ts';
import { LOSS_NAMES } from '../../src/settings/losses.ts';
import type { FederationSettings } from '../../src/settings/wire.ts';
import { totalScalars } from '../../src/solver/answer.ts';

const u32 = fc.integer({ min: 0, max: 0xffff_ffff });
const f64 = fc.double({ noNaN: true, noDefaultInfinity: true });
/** Vectors hold only what f32 can hold: callers round before they encode. */
const f32 = fc.float({ noNaN: true, noDefaultInfinity: true });
const vector = fc.array(f32, { maxLength: 40 }).map((values) => Float64Array.from(values));
const pair = fc
  .array(fc.tuple(f32, f32), { maxLength: 20 })
  .map((both) => [0, 1].map((side) => Float64Array.from(both, (values) => values[side])));
const positive = fc.double({ min: Number.MIN_VALUE, max: Number.MAX_VALUE, noNaN: true });

const id = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 50 })
  .filter((text) => Buffer.byteLength(text) <= 200);
const head = fc.record({ loss: f64, dualSum: f64, uNorm2: f64, wDotU: f64 });
const scalars: fc.Arbitrary<Scalars> = fc.array(head, { minLength: 1, maxLength: 4 }).map(totalScalars);
const shortening = fc.double({ min: Number.MIN_VALUE, max: 1 - 2 ** -53, noNaN: true });
const accepted: fc.Arbitrary<Accepted> = fc.record(
  { round: u32, factor: shortening },
  { requiredKeys: ['round'] },
);

const secure = fc.record({
  scaleBits: fc.integer({ min: 0, max: 52 }),
  limit: positive,
  dropout: fc.constantFrom(0, 0.25, 1 / 3),
  corrupted: fc.constantFrom(0, 0.1),
});

const map = fc.record({
  kind: fc.constant('rff' as const),
  count: fc.integer({ min: 1, max: 9 }).map((power) => 2 ** power),
  gamma: positive,
});

const plainSettings: fc.Arbitrary<FederationSettings> = fc.record({
  method: fc.constantFrom('mtl', 'global', 'mocha'),
  objective: fc.constantFrom('classification', 'regression'),
  loss: fc.constantFrom(...LOSS_NAMES),
  training: fc.constantFrom('answers', 'steps'),
  c1: positive,
  c2: positive,
  // JSON has no -0.
  epsilon: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  quantile: fc.double({ min: 1e-6, max: 1 - 1e-6, noNaN: true }),
  classWeight: fc.constantFrom('none', 'balanced'),
  scale: fc.constantFrom('standard', 'center', 'none'),
  scaleTarget: fc.constantFrom('standard', 'none'),
  bias: fc.boolean(),
  features: fc.integer({ min: 1, max: 1_000_000 }),
  passes: fc.integer({ min: 1, max: 1_000_000_000 }),
  seed: fc.maxSafeNat(),
  straggler: fc.constantFrom('restart', 'resume', 'anytime'),
  precision: fc.constantFrom('f64', 'f32'),
  retryMs: fc.double({ min: Number.MIN_VALUE, max: 2 ** 31 - 1, noNaN: true }),
});

const bytes = fc.uint8Array({ maxLength: 200 });
const exactly = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const keys = { identityKey: exactly(32), channelKey: exactly(32), signature: exactly(64) };
const place = fc.integer({ min: 0, max: 0xffff });
const about = { session: u32, round: u32 };

/** A value of the target column: may be empty. */
const label = fc.oneof(id, fc.constant(''));
const claim = fc.record({
  kind: fc.constantFrom('number' as const, 'text' as const),
  missing: u32,
  levels: fc.array(fc.record({ level: label, rows: u32 }), { maxLength: 10 }),
});
const code: fc.Arbitrary<ColumnCode> = fc.oneof(
  fc.record({ kind: fc.constant('number' as const), mean: f64, missing: fc.boolean() }),
  fc.record({
    kind: fc.constant('category' as const),
    levels: fc.array(label, { maxLength: 10 }),
    other: fc.boolean(),
    missing: fc.boolean(),
  }),
);
const agreement = fc
  .record({
    classes: fc.option(
      fc
        .array(label, { minLength: 1, maxLength: 100 })
        .map((labels) => ({ labels, positive: labels.length > 2 ? undefined : labels[labels.length - 1] })),
      { nil: undefined },
    ),
    target: fc.option(fc.record({ shift: f64, scale: positive }), { nil: undefined }),
    encoding: fc.option(fc.array(code, { maxLength: 10 }), { nil: undefined }),
    isUnion: fc.boolean(),
  })
  .map(({ isUnion, ...rest }) => ({
    ...rest,
    ...(isUnion && rest.encoding && { columns: rest.encoding.map((_, j) => `c${j}`) }),
  }));

const AGREED = { classes: { labels: ['a', 'b'], positive: 'a' }, target: undefined };

/** Absent is not the same as undefined in JSON. */
const settings = fc
  .tuple(plainSettings, fc.option(secure, { nil: undefined }), fc.option(map, { nil: undefined }))
  .map(
    ([plain, hidden, mapped]): FederationSettings => ({
      ...plain,
      ...(hidden && { secure: hidden }),
      // A map can take 2^27 / count features.
      ...(mapped && { map: mapped, features: Math.min(plain.features, 2 ** 27 / mapped.count) }),
    }),
  );

const statistics = fc.record({ mean: f64, spread: f64, worst: fc.option(f64, { nil: undefined }) });

type ByKind = { readonly [K in Message['kind']]: fc.Arbitrary<Extract<Message, { kind: K }>> };

/** Listed by kind, so that a new kind without one does not compile. */
const BY_KIND: ByKind = {
  join: fc.record({
    kind: fc.constant('join'),
    id,
    rows: u32,
    features: u32,
    benchmarkMs: f64,
    session: u32,
    base: u32,
    pending: u32,
    edition: u32,
  }),
  moments: fc
    .record({
      count: u32,
      pair,
      target: fc.option(fc.record({ mean: f64, m2: f64 }), { nil: undefined }),
      labels: fc.array(label, { maxLength: 100 }),
      positive: fc.option(label, { nil: undefined }),
      columns: fc.option(fc.array(claim, { maxLength: 20 }), { nil: undefined }),
      names: fc.option(fc.array(label, { maxLength: 20 }), { nil: undefined }),
    })
    .map(({ pair: [mean, m2], ...rest }) => ({ kind: 'moments', mean, m2, ...rest })),
  answer: fc.record({
    kind: fc.constant('answer'),
    session: u32,
    round: u32,
    base: u32,
    u: vector,
    scalars,
    passes: u32,
    computeMs: f64,
    previous: fc.option(vector, { nil: undefined }),
    tests: fc.option(fc.record({ own: f64, shared: fc.option(f64, { nil: undefined }) }), {
      nil: undefined,
    }),
  }),
  enlist: fc.record({
    kind: fc.constant('enlist'),
    id,
    session: u32,
    features: u32,
    participants: u32,
    rows: u32,
    base: u32,
    pending: u32,
    rounds: u32,
    edition: u32,
    settled: fc.boolean(),
  }),
  partial: fc.record({
    kind: fc.constant('partial'),
    session: u32,
    round: u32,
    u: vector,
    heads: fc.array(
      fc.record({ value: f64, slack: fc.oneof(f64, fc.constant(Number.POSITIVE_INFINITY)), constant: f64 }),
      { maxLength: 100 },
    ),
    participants: u32,
    answered: u32,
    missing: u32,
    unanswered: u32,
    renewed: u32,
    passes: u32,
    computeMs: f64,
    tests: fc.option(
      fc.record({ reports: u32, own: statistics, shared: fc.option(statistics, { nil: undefined }) }),
      { nil: undefined },
    ),
  }),
  timing: fc.record({
    kind: fc.constant('timing'),
    session: u32,
    waiting: fc.oneof(
      fc.constant({ kind: 'all' as const }),
      fc.record({ kind: fc.constant('fixed' as const), ms: fc.integer({ min: 1 }) }),
      fc.record({ kind: fc.constant('share' as const), share: fc.constantFrom(0.5, 0.9, 1) }),
      fc.record({
        kind: fc.constant('benchmarks' as const),
        quantile: fc.constantFrom(0.5, 1),
        factor: fc.integer({ min: 1, max: 9 }),
      }),
    ),
    maxWaitMs: fc.oneof(f64, fc.constant(Number.POSITIVE_INFINITY)),
  }),
  leave: fc.record({ kind: fc.constant('leave'), session: u32 }),
  welcome: fc
    .record({
      kind: fc.constant('welcome' as const),
      settings,
      scaling: fc.option(
        pair.map(([shift, factor]) => ({ shift, factor })),
        { nil: undefined },
      ),
      agreement: fc.option(agreement, { nil: undefined }),
      awaited: u32,
      waitingFor: fc.option(id, { nil: undefined }),
    })
    // Who has the scaling knows the classes, too.
    .map((one) => (one.scaling && !one.agreement?.classes ? { ...one, agreement: AGREED } : one)),
  round: fc.record({
    kind: fc.constant('round'),
    session: u32,
    round: u32,
    best: u32,
    purpose: fc.constantFrom('train', 'certify'),
    w: vector,
    sigma: f64,
    tolerance: f64,
    waitMs: fc.oneof(f64, fc.constant(Number.POSITIVE_INFINITY)),
    accepted,
    sendPrevious: fc.boolean(),
  }),
  outcome: fc.record({ kind: fc.constant('outcome'), session: u32, round: u32, accepted }),
  finish: fc.record({
    kind: fc.constant('finish'),
    session: u32,
    round: u32,
    best: u32,
    reason: fc.constantFrom('gap', 'stall', 'rounds', 'time', 'operator', 'left', 'budget'),
    w: vector,
    accepted,
    participants: u32,
    missing: u32,
  }),
  reject: fc.record({
    kind: fc.constant('reject'),
    code: fc.constantFrom(...REJECT_CODES),
    session: u32,
    message: fc.string({ unit: 'binary', maxLength: 300 }),
  }),
  advertise: fc.record({ kind: fc.constant('advertise'), session: u32, ...keys }),
  roster: fc.record({
    kind: fc.constant('roster'),
    ...about,
    members: fc.array(fc.record({ id, ...keys }), { maxLength: 5 }),
  }),
  plan: fc.record({
    kind: fc.constant('plan'),
    ...about,
    purpose: fc.constantFrom('measure', 'train'),
    roster: exactly(32),
    bases: fc.array(u32, { maxLength: 5 }),
  }),
  decline: fc.record({
    kind: fc.constant('decline'),
    ...about,
    code: fc.constantFrom(...DECLINE_CODES),
  }),
  fault: fc.record({
    kind: fc.constant('fault'),
    ...about,
    code: fc.constantFrom(...FAULT_CODES),
  }),
  dealt: fc.record({
    kind: fc.constant('dealt'),
    ...about,
    from: place,
    commitments: exactly(32),
    table: bytes,
    sealed: bytes,
  }),
  delivered: fc.record({ kind: fc.constant('delivered'), ...about, dealers: bytes, sealed: bytes }),
  masked: fc.record({
    kind: fc.constant('masked'),
    ...about,
    base: u32,
    from: place,
    complaints: bytes,
    vector: bytes,
  }),
  counted: fc.record({ kind: fc.constant('counted'), ...about, members: bytes }),
  attested: fc.record({ kind: fc.constant('attested'), ...about, from: place, tags: bytes }),
  attestations: fc.record({ kind: fc.constant('attestations'), ...about, attesters: bytes, tags: bytes }),
  revealed: fc.record({
    kind: fc.constant('revealed'),
    ...about,
    from: place,
    dealers: bytes,
    shares: bytes,
  }),
};

export const KINDS = Object.keys(BY_KIND) as Message['kind'][];

export const arbitraryOf = (kind: Message['kind']): fc.Arbitrary<Message> => BY_KIND[kind];
