import { describe, expect, test } from 'vitest';
import { decode } from '../../../src/privacy/secure/fixed-point.ts';
import { defaultSecurity } from '../../../src/privacy/secure/graph.ts';
import {
  copyOf,
  expectExact,
  type Federation,
  makeFederation,
  randomValues,
  runRound,
  type Silence,
  someOf,
} from './helpers.ts';

const PHASES = ['dealing', 'masking', 'attesting', 'revealing'] as const;
const made = new Map<number, Federation>();

/** Keys are agreed on once for each size. */
function federationOf(n: number): Federation {
  let federation = made.get(n);
  if (!federation) made.set(n, (federation = makeFederation(n)));
  return copyOf(federation);
}

/** KINDRED_SECURE_SIZES=100,1000 for the long run, with the security that so many have by default. */
const SIZES = [3, 10, 30, ...(process.env.KINDRED_SECURE_SIZES?.split(',').map(Number) ?? [])];

describe.each(SIZES)('%i participants', { timeout: 600_000 }, (n) => {
  test('[SECURE-5] sum exactly when all stay', () => {
    const federation = federationOf(n);
    const values = randomValues(federation.ids, 5);
    expectExact(federation, runRound(federation, 1, values), values, []);
  });

  const cases = PHASES.flatMap((phase) => [0.05, 0.1, 0.33].map((share) => ({ phase, share })));
  test.each(cases)(
    'sum exactly, or not at all, when $share fall silent before $phase',
    ({ phase, share }) => {
      const federation = federationOf(n);
      const values = randomValues(federation.ids, 5);
      const silent = someOf(federation.ids, share, n);
      const outcome = runRound(federation, 1, values, { [phase]: silent });
      // Beyond what the parameters were made for a round is given up.
      if (share > defaultSecurity(n).dropout)
        return expect(outcome).toMatchObject({ kind: 'abandoned', phase });
      // Who vanishes after its masked vector has arrived is still counted in.
      expectExact(federation, outcome, values, phase === 'dealing' || phase === 'masking' ? silent : []);
    },
  );
});

describe('thirty participants, threshold 20', () => {
  test('sum exactly when a few fall silent in every phase', () => {
    const federation = federationOf(30);
    const values = randomValues(federation.ids, 5);
    const [a, b, c, d, e, f, g, h] = someOf(federation.ids, 0.3, 8);
    const silence = { dealing: [a, b], masking: [c, d, e], attesting: [f, g], revealing: [h] };
    expectExact(federation, runRound(federation, 1, values, silence), values, [a, b, c, d, e]);
  });

  test.each(PHASES)(
    '[SECURE-7] give up when eleven fall silent before %s, and go on in the next round',
    (phase) => {
      const federation = federationOf(30);
      const values = randomValues(federation.ids, 5);
      const outcome = runRound(federation, 1, values, { [phase]: someOf(federation.ids, 0.37, 9) });
      expect(outcome).toMatchObject({ kind: 'abandoned', phase });
      expect(federation.coordinator.round).toBeUndefined();
      expectExact(federation, runRound(federation, 2, values), values, []);
    },
  );

  test('who dropped out takes part in the next round with the same keys', () => {
    const federation = federationOf(30);
    const values = randomValues(federation.ids, 5);
    for (let round = 1; round <= 4; round++) {
      const silent = someOf(federation.ids, 0.3, round);
      expectExact(federation, runRound(federation, round, values, { masking: silent }), values, silent);
    }
  });
});

test('a long vector comes back as the sum of what was quantised', () => {
  const federation = federationOf(10);
  const values = randomValues(federation.ids, 3000);
  const outcome = runRound(federation, 7, values);
  expectExact(federation, outcome, values, []);
  if (outcome.kind !== 'summed') return;
  expect(outcome.sum).toEqual(decode(outcome.words, { scaleBits: 30 }));
  const plain = federation.ids.reduce((sum, id) => sum + values.get(id)![2999], 0);
  expect(outcome.sum[2999]).toBeCloseTo(plain, 7);
});

test('an empty vector and a federation of two', () => {
  const security = { dropout: 0, corrupted: 0, statisticalBits: 40, correctnessBits: 20 };
  const federation = makeFederation(2, { security });
  const values = randomValues(federation.ids, 0);
  expectExact(federation, runRound(federation, 1, values), values, []);
});

test('states survive being written down and read again between any two messages', () => {
  const federation = federationOf(10);
  const values = randomValues(federation.ids, 5);
  const silence: Silence = { masking: someOf(federation.ids, 0.2, 1) };
  const outcome = runRound(federation, 1, values, silence, (_kind, id, message) => {
    federation.participants.set(id, structuredClone(federation.participants.get(id)!));
    Object.assign(federation.coordinator, structuredClone(federation.coordinator));
    return structuredClone(message);
  });
  expectExact(federation, outcome, values, [...(silence.masking ?? [])]);
});
