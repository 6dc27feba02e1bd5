/** A hundred participants, the largest complete graph: exact sums with dropouts, and the price of secrecy in bytes. */
import { describe, expect, test } from 'vitest';
import { encode } from '../../../src/protocol/codec.ts';
import type { Message } from '../../../src/protocol/messages.ts';
import {
  copyOf,
  expectExact,
  makeFederation,
  randomValues,
  runRound,
  type Silence,
  someOf,
} from './helpers.ts';

const hundred = makeFederation(100);

const ENTRIES = 562;
const PLAIN_UP = 8 * ENTRIES + 92;
const PLAIN_DOWN = 8 * ENTRIES + 61;
/** Magic, version, tag, round, checksum: a generous guess for every message. */
const FRAME = 40;

function sizeOf(message: object): number {
  return Object.values(message).reduce(
    (sum, value) => sum + (value instanceof Uint8Array ? value.length : 8),
    0,
  );
}

test('a round takes at most 2.2 times the bytes of a plain one, both directions together', () => {
  const federation = copyOf(hundred);
  const id = federation.ids[42];
  const sizes: Record<string, number> = {};
  const values = randomValues(federation.ids, ENTRIES);
  const outcome = runRound(federation, 1, values, {}, (kind, to, message) => {
    if (to === id) sizes[kind] = sizeOf(message as object);
    return message;
  });
  expectExact(federation, outcome, values, []);
  const total = Object.values(sizes).reduce((sum, bytes) => sum + bytes + FRAME, 0) + PLAIN_DOWN;
  expect(sizes).toEqual({
    'to dealing': 64,
    dealing: 3216,
    'to masking': 1605,
    masking: 4525,
    'to attesting': 21,
    attesting: 1600,
    'to revealing': 1605,
    revealing: 1629,
  });
  expect(total / (PLAIN_UP + PLAIN_DOWN)).toBeLessThan(2.2);
});

/** The same on the wire, message by message. */
const ON_THE_WIRE = {
  dealing: 'dealt',
  'to masking': 'delivered',
  masking: 'masked',
  'to attesting': 'counted',
  attesting: 'attested',
  'to revealing': 'attestations',
  revealing: 'revealed',
} as const;

test('so it does as frames, with all that a training round sums', () => {
  const federation = copyOf(hundred);
  const size = (message: Message) => encode(message, 'f64').length;
  const sizes: Record<string, number> = {};
  // Changes of u, of the value and of the cut's constant.
  runRound(federation, 1, randomValues(federation.ids, ENTRIES + 2), {}, (phase, to, message) => {
    if (to === federation.ids[42] && phase in ON_THE_WIRE) {
      const kind = ON_THE_WIRE[phase as keyof typeof ON_THE_WIRE];
      sizes[kind] = size({ kind, session: 1, base: 1, ...message } as unknown as Message);
    }
    return message;
  });
  sizes.plan = size({
    kind: 'plan',
    session: 1,
    round: 1,
    purpose: 'train',
    roster: new Uint8Array(32),
    bases: Array.from({ length: 100 }, () => 6),
  });
  const w = new Float64Array(ENTRIES);
  const accepted = { round: 1 };
  const order = { session: 1, round: 2, best: 1, sigma: 1, tolerance: 1, waitMs: 1, sendPrevious: false };
  const round = size({ kind: 'round', purpose: 'train', w, accepted, ...order });
  const scalars = { loss: 1, dualSum: 1, uNorm2: 1, wDotU: 1 };
  const numbers = { session: 1, round: 1, base: 1, passes: 1, computeMs: 1 };
  const plain = round + size({ kind: 'answer', u: w, scalars, previous: undefined, ...numbers });
  expect(sizes).toEqual({
    plan: 459,
    dealt: 3234,
    delivered: 1627,
    masked: 4561,
    counted: 39,
    attested: 1614,
    attestations: 1627,
    revealed: 1645,
  });
  const secret = Object.values(sizes).reduce((sum, bytes) => sum + bytes, round);
  expect(secret / plain).toBeCloseTo(2.119, 3);
});

describe('the sum is exact', () => {
  const few = hundred.ids.filter((_, i) => i % 20 === 3);
  const more = hundred.ids.filter((_, i) => i % 10 === 7);
  const third = someOf(hundred.ids, 0.33, 1);
  const fewer = hundred.ids.filter((_, i) => i % 20 === 14);
  const most = hundred.ids.filter((_, i) => i % 10 === 1);
  // Every share in every phase; 5% and 10% one after the other, 30 in all.
  test.each<[string, Silence]>([
    ['a third before dealing', { dealing: third }],
    ['a third before masking', { masking: third }],
    ['a third before attesting', { attesting: third }],
    ['a third before revealing', { revealing: third }],
    ['5, 10, 5 and 10% before each', { dealing: few, masking: more, attesting: fewer, revealing: most }],
    ['10, 5, 10 and 5% before each', { dealing: more, masking: few, attesting: most, revealing: fewer }],
  ])('without %s', (_name, silence) => {
    const federation = copyOf(hundred);
    const values = randomValues(federation.ids, 5);
    const gone = [...(silence.dealing ?? []), ...(silence.masking ?? [])];
    expectExact(federation, runRound(federation, 1, values, silence), values, gone);
  });

  test('but not given without 34', () => {
    const silent = someOf(hundred.ids, 0.34, 2);
    const outcome = runRound(copyOf(hundred), 1, randomValues(hundred.ids, 5), { dealing: silent });
    expect(outcome).toMatchObject({ kind: 'abandoned', phase: 'dealing' });
  });
});
