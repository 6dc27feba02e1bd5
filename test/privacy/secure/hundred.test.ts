/** A hundred participants, the largest complete graph: exact sums with dropouts, and the price of secrecy in bytes. */
import { describe, expect, test } from 'vitest';
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
