/** One message of every kind, and of every form that a kind has: the golden frames are made of these. */

import type { Message, Precision } from '../../src/protocol/messages.ts';
import type { FederationSettings } from '../../src/settings/wire.ts';
import { totalScalars } from '../../src/solver/answer.ts';

export interface Sample {
  /** Also the name of the fixture. */
  readonly name: string;
  readonly precision: Precision;
  readonly message: Message;
}

export const SETTINGS: FederationSettings = {
  method: 'mtl',
  objective: 'regression',
  loss: 'epsilon-insensitive',
  training: 'answers',
  c1: 10,
  c2: 0.1,
  epsilon: 0.25,
  quantile: 0.75,
  classWeight: 'none',
  scale: 'standard',
  scaleTarget: 'standard',
  bias: true,
  features: 2,
  passes: 50,
  seed: 20261115,
  straggler: 'anytime',
  precision: 'f64',
  retryMs: 2000,
};

/** Nothing is settled yet. */
export const BEFORE = {
  scaling: undefined,
  agreement: undefined,
  awaited: 2,
  waitingFor: undefined,
} as const;
const scalars = { loss: 12.375, dualSum: 3.0625, uNorm2: 0.15625, wDotU: -1.125 };
const accepted = { round: 6 };
/** Exact in f32 too, so that a message is the same after either precision; no two numbers share their bytes. */
const vector = Float64Array.of(1.2345, -0.7654, 3e-5).map(Math.fround);

const IN_BOTH: readonly { readonly name: string; readonly message: Message }[] = [
  {
    name: 'answer',
    message: {
      kind: 'answer',
      session: 2,
      round: 7,
      base: 6,
      u: vector,
      scalars,
      passes: 50,
      computeMs: 12.5,
      previous: undefined,
    },
  },
  {
    name: 'answer-heads',
    message: {
      kind: 'answer',
      session: 2,
      round: 7,
      base: 6,
      u: vector,
      scalars: totalScalars([
        scalars,
        { loss: 0.5, dualSum: 0.375, uNorm2: 2.75, wDotU: 0.6875 },
        { loss: 4.125, dualSum: 1.75, uNorm2: 0.03125, wDotU: -0.5625 },
      ]),
      passes: 50,
      computeMs: 12.5,
      previous: undefined,
    },
  },
  {
    name: 'answer-previous',
    message: {
      kind: 'answer',
      session: 2,
      round: 7,
      base: 6,
      u: vector,
      scalars,
      passes: 50,
      computeMs: 12.5,
      previous: Float64Array.of(-2.4681, 0.0123, 7.5e-3).map(Math.fround),
    },
  },
  {
    name: 'answer-tests',
    message: {
      kind: 'answer',
      session: 2,
      round: 7,
      base: 6,
      u: vector,
      scalars,
      passes: 50,
      computeMs: 12.5,
      previous: undefined,
      tests: { own: 0.9375, shared: 0.8125 },
    },
  },
  {
    name: 'round-train',
    message: {
      kind: 'round',
      session: 2,
      round: 7,
      best: 3,
      purpose: 'train',
      w: vector,
      sigma: 4.5,
      tolerance: 0.0078125,
      waitMs: 1500.5,
      accepted,
      sendPrevious: true,
    },
  },
  {
    name: 'finish',
    message: {
      kind: 'finish',
      session: 2,
      round: 41,
      best: 3,
      reason: 'gap',
      w: vector,
      accepted,
      participants: 30,
      missing: 2,
    },
  },
];

/** Bytes that are all different, and differ from field to field. */
const bytes = (length: number, from: number) => Uint8Array.from({ length }, (_, i) => (from + 7 * i) & 255);
const keysFrom = (from: number) => ({
  identityKey: bytes(32, from),
  channelKey: bytes(32, from + 1),
  signature: bytes(64, from + 2),
});

const SECURE: readonly { readonly name: string; readonly message: Message }[] = [
  {
    name: 'welcome-secure',
    message: {
      kind: 'welcome',
      settings: {
        ...SETTINGS,
        secure: { scaleBits: 30, limit: 4194304, dropout: 0.25, corrupted: 0.2 },
      },
      ...BEFORE,
    },
  },
  { name: 'advertise', message: { kind: 'advertise', session: 2, ...keysFrom(1) } },
  {
    name: 'roster',
    message: {
      kind: 'roster',
      session: 2,
      round: 1,
      members: [
        { id: 'Ada', ...keysFrom(3) },
        { id: 'Zoë 7', ...keysFrom(5) },
      ],
    },
  },
  {
    name: 'plan',
    message: {
      kind: 'plan',
      session: 2,
      round: 7,
      purpose: 'train',
      roster: bytes(32, 9),
      bases: [6, 0],
    },
  },
  { name: 'decline', message: { kind: 'decline', session: 2, round: 7, code: 'HIDING' } },
  { name: 'fault', message: { kind: 'fault', session: 2, round: 7, code: 'STORAGE_FAILED' } },
  {
    name: 'dealt',
    message: {
      kind: 'dealt',
      session: 2,
      round: 7,
      from: 513,
      commitments: bytes(32, 11),
      table: bytes(48, 13),
      sealed: bytes(96, 17),
    },
  },
  {
    name: 'delivered',
    message: {
      kind: 'delivered',
      session: 2,
      round: 7,
      dealers: Uint8Array.of(0b1011, 1),
      sealed: bytes(96, 19),
    },
  },
  {
    name: 'masked',
    message: {
      kind: 'masked',
      session: 2,
      round: 7,
      base: 6,
      from: 513,
      complaints: Uint8Array.of(0, 1),
      vector: bytes(40, 23),
    },
  },
  {
    name: 'counted',
    message: { kind: 'counted', session: 2, round: 7, members: Uint8Array.of(0b1101, 3) },
  },
  { name: 'attested', message: { kind: 'attested', session: 2, round: 7, from: 513, tags: bytes(32, 29) } },
  {
    name: 'attestations',
    message: {
      kind: 'attestations',
      session: 2,
      round: 7,
      attesters: Uint8Array.of(0b110, 0),
      tags: bytes(32, 31),
    },
  },
  {
    name: 'revealed',
    message: {
      kind: 'revealed',
      session: 2,
      round: 7,
      from: 513,
      dealers: Uint8Array.of(0b111, 0),
      shares: bytes(48, 37),
    },
  },
];

const IN_F64_ONLY: readonly { readonly name: string; readonly message: Message }[] = [
  {
    name: 'enlist',
    message: {
      kind: 'enlist',
      id: 'shard-3',
      session: 5,
      features: 2,
      participants: 250,
      rows: 80_125,
      base: 6,
      pending: 7,
      rounds: 8,
      edition: 3,
      settled: true,
    },
  },
  {
    name: 'partial',
    message: {
      kind: 'partial',
      session: 5,
      round: 8,
      u: vector,
      heads: [
        { value: 17.5, slack: 0.1875, constant: 16.25 },
        { value: 3.4375, slack: Number.POSITIVE_INFINITY, constant: 3.1875 },
      ],
      participants: 250,
      answered: 240,
      missing: 4,
      unanswered: 2,
      renewed: 1,
      passes: 12_345,
      computeMs: 31.25,
      tests: {
        reports: 200,
        own: { mean: 0.9375, spread: 0.0625, worst: 0.5625 },
        shared: { mean: 0.84375, spread: 0.125, worst: undefined },
      },
    },
  },
  {
    name: 'timing',
    message: { kind: 'timing', session: 5, waiting: { kind: 'all' }, maxWaitMs: Number.POSITIVE_INFINITY },
  },
  {
    name: 'timing-fixed',
    message: { kind: 'timing', session: 5, waiting: { kind: 'fixed', ms: 1500 }, maxWaitMs: 60_000 },
  },
  {
    name: 'timing-share',
    message: { kind: 'timing', session: 5, waiting: { kind: 'share', share: 0.75 }, maxWaitMs: 60_000 },
  },
  {
    name: 'timing-benchmarks',
    message: {
      ...{ kind: 'timing', session: 5, maxWaitMs: 60_000 },
      waiting: { kind: 'benchmarks', quantile: 0.5, factor: 2 },
    },
  },
  {
    name: 'join',
    message: {
      kind: 'join',
      id: 'Zoë 7',
      rows: 352,
      features: 561,
      benchmarkMs: 8.25,
      session: 2,
      base: 6,
      pending: 7,
      edition: 3,
    },
  },
  {
    name: 'moments',
    message: {
      kind: 'moments',
      count: 352,
      mean: Float64Array.of(0.5, -2.75),
      m2: Float64Array.of(12.125, 0.0625),
      target: { mean: 305.5, m2: 66.25 },
      labels: [],
      positive: undefined,
    },
  },
  {
    name: 'moments-labels',
    message: {
      kind: 'moments',
      count: 0,
      mean: new Float64Array(0),
      m2: new Float64Array(0),
      target: undefined,
      labels: ['mild', 'sévère'],
      positive: 'sévère',
    },
  },
  {
    name: 'moments-columns',
    message: {
      kind: 'moments',
      count: 352,
      mean: Float64Array.of(0.5, 0),
      m2: Float64Array.of(12.125, 0),
      target: undefined,
      labels: ['mild', 'sévère'],
      positive: undefined,
      columns: [
        { kind: 'number', missing: 17, levels: [] },
        {
          kind: 'text',
          missing: 0,
          levels: [
            { level: 'rouge', rows: 300 },
            { level: 'bleu', rows: 52 },
          ],
        },
      ],
    },
  },
  {
    name: 'moments-union',
    message: {
      kind: 'moments',
      count: 352,
      mean: Float64Array.of(0.5, 0),
      m2: Float64Array.of(12.125, 0),
      target: undefined,
      labels: ['mild', 'sévère'],
      positive: undefined,
      columns: [
        { kind: 'number', missing: 0, levels: [] },
        { kind: 'text', missing: 3, levels: [{ level: 'rouge', rows: 349 }] },
      ],
      names: ['âge', 'color'],
    },
  },
  { name: 'leave', message: { kind: 'leave', session: 2 } },
  {
    name: 'welcome',
    message: {
      kind: 'welcome',
      settings: SETTINGS,
      scaling: { shift: Float64Array.of(0.5, -2.75), factor: Float64Array.of(0.625, 0.03125) },
      agreement: { classes: undefined, target: { shift: 305.5, scale: 66.25 } },
      awaited: 0,
      waitingFor: undefined,
    },
  },
  {
    name: 'welcome-classes',
    message: {
      kind: 'welcome',
      settings: { ...SETTINGS, objective: 'classification', loss: 'hinge', epsilon: 0 },
      scaling: { shift: Float64Array.of(0.5, -2.75), factor: Float64Array.of(0.625, 0.03125) },
      agreement: { classes: { labels: ['mild', 'sévère'], positive: 'sévère' }, target: undefined },
      awaited: 0,
      waitingFor: undefined,
    },
  },
  {
    name: 'welcome-heads',
    message: {
      kind: 'welcome',
      settings: { ...SETTINGS, objective: 'classification', loss: 'hinge', epsilon: 0 },
      scaling: { shift: Float64Array.of(0.5, -2.75), factor: Float64Array.of(0.625, 0.03125) },
      agreement: {
        classes: { labels: ['mild', 'severe', 'sévère'], positive: undefined },
        target: undefined,
      },
      awaited: 0,
      waitingFor: undefined,
    },
  },
  {
    name: 'welcome-union',
    message: {
      kind: 'welcome',
      settings: { ...SETTINGS, columns: 'union' },
      scaling: {
        shift: Float64Array.of(0.5, 0.25, -2.75),
        factor: Float64Array.of(0.625, 1.5, 0.03125),
      },
      agreement: {
        classes: undefined,
        target: { shift: 305.5, scale: 66.25 },
        encoding: [
          { kind: 'number', mean: 0.75, missing: true },
          { kind: 'number', mean: -4.75, missing: false },
        ],
        columns: ['âge', 'size'],
      },
      awaited: 0,
      waitingFor: undefined,
    },
  },
  {
    name: 'welcome-columns',
    message: {
      kind: 'welcome',
      settings: SETTINGS,
      scaling: {
        shift: Float64Array.of(0.5, 0.25, -2.75, 0.125, 0.375),
        factor: Float64Array.of(0.625, 1.5, 0.03125, 2.5, 3.5),
      },
      agreement: {
        classes: undefined,
        target: { shift: 305.5, scale: 66.25 },
        encoding: [
          { kind: 'number', mean: 0.75, missing: true },
          { kind: 'category', levels: ['bleu', 'rouge'], other: true, missing: false },
        ],
      },
      awaited: 0,
      waitingFor: undefined,
    },
  },
  {
    name: 'welcome-declared',
    message: {
      kind: 'welcome',
      settings: { ...SETTINGS, objective: 'classification', loss: 'hinge', epsilon: 0 },
      ...BEFORE,
      agreement: { classes: { labels: ['sévère'], positive: 'sévère' }, target: undefined },
    },
  },
  {
    name: 'welcome-waiting',
    message: {
      kind: 'welcome',
      settings: { ...SETTINGS, objective: 'classification', loss: 'hinge', epsilon: 0 },
      ...BEFORE,
      waitingFor: 'another class: so far participants have "mild" only',
    },
  },
  {
    name: 'welcome-map',
    message: {
      kind: 'welcome',
      settings: { ...SETTINGS, map: { kind: 'rff', count: 512, gamma: 0.25 } },
      ...BEFORE,
    },
  },
  { name: 'welcome-before-scaling', message: { kind: 'welcome', settings: SETTINGS, ...BEFORE } },
  {
    name: 'round-certify',
    message: {
      kind: 'round',
      session: 2,
      round: 1,
      best: 3,
      purpose: 'certify',
      w: new Float64Array(0),
      sigma: 30.5,
      tolerance: 0.125,
      waitMs: Number.POSITIVE_INFINITY,
      accepted: { round: 0 },
      sendPrevious: false,
    },
  },
  {
    name: 'outcome',
    message: { kind: 'outcome', session: 2, round: 7, accepted: { round: 7 } },
  },
  {
    name: 'outcome-shortened',
    message: {
      kind: 'outcome',
      session: 2,
      round: 7,
      accepted: { round: 7, factor: 0.375 },
    },
  },
  {
    name: 'welcome-dp',
    message: {
      kind: 'welcome',
      settings: {
        ...SETTINGS,
        training: 'steps',
        dp: { clip: 0.5, noiseMultiplier: 1.25, epsilon: 8, delta: 1e-5 },
      },
      ...BEFORE,
    },
  },
  {
    name: 'reject',
    message: {
      kind: 'reject',
      code: 'WRONG_FEATURES',
      session: 0,
      message: 'participant "Zoë 7": expected 561 features, got 562',
    },
  },
];

export const SAMPLES: readonly Sample[] = [
  ...[...IN_F64_ONLY, ...SECURE].map((sample) => ({ ...sample, precision: 'f64' as const })),
  ...IN_BOTH.flatMap(({ name, message }) => [
    { name: `${name}.f64`, precision: 'f64' as const, message },
    { name: `${name}.f32`, precision: 'f32' as const, message },
  ]),
];
