import fc from 'fast-check';
import { expect, test } from 'vitest';
import { composed, costOfRound, type RdpCurve, spentAt } from '../../../src/privacy/dp/accountant.ts';
import { Budget } from '../../../src/privacy/dp/budget.ts';
import { ORDERS } from '../../../src/privacy/dp/rdp.ts';

const COSTS: readonly RdpCurve[] = [
  { noiseMultiplier: 0.7, samplingRate: 0.05 },
  { noiseMultiplier: 1, samplingRate: 1 },
  { noiseMultiplier: 3, samplingRate: 0.3 },
  { noiseMultiplier: 12, samplingRate: 1 },
].map((settings) => costOfRound(settings));

const limit = fc.record({
  epsilon: fc.double({ min: 0.05, max: 30, noNaN: true }),
  delta: fc.constantFrom(1e-3, 1e-5, 1e-8),
});

test('a budget is never exceeded, whatever the schedule, and what was spent is the sum over its rounds', () => {
  fc.assert(
    fc.property(
      limit,
      fc.array(fc.tuple(fc.nat({ max: 3 }), fc.integer({ min: 1, max: 40 })), { maxLength: 15 }),
      (bound, schedule) => {
        let budget = new Budget(bound);
        let total: RdpCurve = new Float64Array(ORDERS.length);
        let rounds = 0;
        for (const [which, n] of schedule) {
          const cost = COSTS[which];
          if (budget.wouldExceed(cost, n)) {
            expect(() => budget.spend(cost, n)).toThrow(/privacy budget: expected epsilon at most/);
            continue;
          }
          const promised = budget.afterRounds(cost, n);
          budget = budget.spend(cost, n);
          expect(budget.spent).toEqual(promised);
          total = composed(total, cost, n);
          rounds += n;
        }
        expect(budget.rounds).toBe(rounds);
        expect(budget.spent.epsilon).toBeLessThanOrEqual(bound.epsilon);
        expect(budget.spent.epsilon).toBeCloseTo(spentAt(total, bound.delta).epsilon, 10);
      },
    ),
    { numRuns: 150 },
  );
});

test('rounds are spent one by one until the next one does not fit', () => {
  fc.assert(
    fc.property(limit, fc.nat({ max: 3 }), fc.nat({ max: 3 }), (bound, first, second) => {
      let budget = new Budget(bound);
      if (!budget.wouldExceed(COSTS[first])) budget = budget.spend(COSTS[first]);
      for (let n = 0; n < 50 && !budget.wouldExceed(COSTS[second]); n++) budget = budget.spend(COSTS[second]);
      expect(budget.spent.epsilon).toBeLessThanOrEqual(bound.epsilon);
      if (budget.wouldExceed(COSTS[second]))
        expect(() => budget.spend(COSTS[second])).toThrow(/privacy budget/);
    }),
  );
});

test('spending changes nothing in the budget it was spent from', () => {
  const budget = new Budget({ epsilon: 5, delta: 1e-5 });
  expect(budget.spend(COSTS[0]).spent.epsilon).toBeGreaterThan(0);
  expect(budget.spent.epsilon).toBe(0);
});

test('rounds that cost nothing are free for ever; rounds without noise are never affordable', () => {
  const budget = new Budget({ epsilon: 1, delta: 1e-5 });
  const free = costOfRound({ noiseMultiplier: 1, samplingRate: 0 });
  expect(budget.wouldExceed(free, 1e9)).toBe(false);
  const bare = costOfRound({ noiseMultiplier: 0, samplingRate: 0.5 });
  expect(budget.wouldExceed(bare)).toBe(true);
});

test('a stored budget goes on where it was, through JSON', () => {
  const budget = new Budget({ epsilon: 5, delta: 1e-5 }).spend(COSTS[0], 7).spend(COSTS[2], 2);
  const restored = Budget.restore(JSON.parse(JSON.stringify(budget.stored())));
  expect(restored.spent).toEqual(budget.spent);
  expect(restored.rounds).toBe(9);
  expect(() => Budget.restore({ ...budget.stored(), rdp: [1] })).toThrow(/expected 351 RDP values, got 1/);
  expect(() => new Budget({ epsilon: -1, delta: 1e-5 })).toThrow(
    /epsilon: expected a positive number, got -1/,
  );
});
