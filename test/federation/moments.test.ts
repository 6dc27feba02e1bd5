/**
 * Somebody who claims absurd moments and leaves: the scaling of the others is hardly touched, and their models are as good as without. And what
 * honest participants have is merged as it is, however different they are.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mergeRobustly } from '../../src/coordinator/robust-moments.ts';
import { modelOf } from '../../src/coordinator/training.ts';
import { featureMoments, type Moments, mergeMoments } from '../../src/math/scaling.ts';
import type { ToCoordinator } from '../../src/protocol/messages.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import { planFor } from '../helpers/federation.ts';
import { gateOf } from '../helpers/gate.ts';
import { tableOf } from '../helpers/tables.ts';

const D = 12;
const LIAR = 'p7';
const TABLE = tableOf({
  participants: 16,
  rows: 60,
  d: D,
  seed: 3,
  target: (x) => (x[0] + x[1] + 0.3 * x[2] > 0 ? 1 : -1),
});

type Claim = (moments: Moments) => Partial<Moments>;

/** Balanced accuracy of all but the liar on their own rows, and how often somebody was refused. */
function trained(claim: Claim | undefined) {
  const changes = {
    options: { retryMs: 1000, maxWaitMs: 4000, patience: 2, minParticipants: 15 },
    untilMs: 1e5,
    deeds: claim ? [{ atMs: 20, kind: 'leave', participant: LIAR } as const] : [],
  };
  const train = { c1: 1, c2: 100, gap: 1e-2, rounds: 15, passes: 20, testFraction: 0 } as const;
  const simulation = new Simulation(planFor(TABLE, train, changes));
  const gate = gateOf(simulation.coordinator);
  const take = gate.take.bind(gate);
  const lied = (message: ToCoordinator): ToCoordinator => {
    if (!claim) return message;
    if (message.kind === 'join')
      return { ...message, rows: claim({ count: 60, mean: none, m2: none }).count ?? 60 };
    return message.kind === 'moments' ? { ...message, ...claim(message) } : message;
  };
  gate.take = (input) =>
    take(
      input.type === 'message' && input.from === LIAR ? { ...input, message: lied(input.message) } : input,
    );
  simulation.run();
  const { state } = simulation.coordinator;
  const { w, scaling } = modelOf(state!)!;
  const [right, all] = [
    { 1: 0, [-1]: 0 },
    { 1: 0, [-1]: 0 },
  ];
  for (let i = 0; i < TABLE.n; i++) {
    if (TABLE.participants[TABLE.participantOf[i]] === LIAR) continue;
    let decision = w[D];
    for (let j = 0; j < D; j++)
      decision += w[j] * (TABLE.x[i * D + j] - scaling.shift[j]) * scaling.factor[j];
    const y = Number(TABLE.targets![i]) as 1 | -1;
    all[y]++;
    if (decision * y > 0) right[y]++;
  }
  return {
    balancedAccuracy: (right[1] / all[1] + right[-1] / all[-1]) / 2,
    refused: state!.rejections.get('INFEASIBLE') ?? 0,
  };
}

const none = new Float64Array(0);
const filled = (value: number) => new Float64Array(D).fill(value);

describe('one of sixteen lies about its moments and leaves', () => {
  const honest = trained(undefined).balancedAccuracy;

  test('without it the others are good', () => {
    expect(honest).toBeGreaterThan(0.9);
  });

  test.each<[string, Claim]>([
    ['a mean of 1e12 from a hundred million rows', () => ({ count: 1e8, mean: filled(1e12), m2: filled(0) })],
    ['a mean of 1e12', () => ({ mean: filled(1e12) })],
    ['a mean of 100, which nobody leaves out', () => ({ count: 1e8, mean: filled(100) })],
    ['a spread of 1e20', () => ({ m2: filled(1e20) })],
    [
      'a hundred million rows without any spread, a little off',
      () => ({ count: 1e8, mean: filled(3), m2: filled(0) }),
    ],
    ['no spread at all', () => ({ count: 1e8, m2: filled(0) })],
  ])('[SCALE-5] %s: the others lose nothing', (_, claim) => {
    expect(trained(claim).balancedAccuracy).toBeGreaterThan(honest - 0.02);
  });

  test('[SCALE-5] who is far beyond all others is left out and told', () => {
    expect(trained(() => ({ mean: filled(1e12) })).refused).toBeGreaterThan(0);
    expect(trained(() => ({ mean: filled(100) })).refused).toBe(0);
  });

  test('[JOIN-6] more rows than the operator allows are refused when joining', () => {
    expect(trained(() => ({ count: 2e8 })).refused).toBeGreaterThan(0);
  });
});

describe('honest moments', () => {
  const seeds = fc.record({
    seed: fc.nat(1e6),
    participants: fc.integer({ min: 1, max: 12 }),
    shift: fc.constantFrom(0, 1, 5),
  });

  test('are merged as they are: people that differ by several deviations, and sparse features', () => {
    fc.assert(
      fc.property(seeds, ({ seed, participants, shift }) => {
        const made = tableOf({ participants, rows: 20, d: 3, seed, target: () => 1 });
        const own = Array.from({ length: participants }, (_, k) => {
          const rows = Uint32Array.from({ length: 5 + ((7 * k) % 15) }, (_, i) => 20 * k + i);
          const x = made.x.slice();
          for (const i of rows) {
            x[3 * i] += shift * Math.sin(k);
            // Of the last feature half of the people have nothing but zeros.
            x[3 * i + 2] *= k % 2;
          }
          return { id: `p${k}`, moments: featureMoments(x, 3, rows) };
        });
        const { moments, leftOut } = mergeRobustly(own);
        expect(leftOut).toEqual([]);
        expect(moments).toEqual(own.map((one) => one.moments).reduce(mergeMoments));
      }),
      { numRuns: 100 },
    );
  });

  test('a feature that one alone has stays', () => {
    const of = (mean: number, m2: number): Moments => ({
      count: 10,
      mean: Float64Array.of(mean),
      m2: Float64Array.of(m2),
    });
    const own = [of(0, 0), of(0, 0), of(4, 90), of(0, 0), of(0, 0)].map((moments, k) => ({
      id: `p${k}`,
      moments,
    }));
    const { moments } = mergeRobustly(own);
    expect(moments).toEqual(own.map((one) => one.moments).reduce(mergeMoments));
  });
});
