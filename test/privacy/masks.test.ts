import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stream } from '../../src/base/random.ts';
import { sharedPart } from '../../src/coordinator/training.ts';
import { drawBeta, drawMask } from '../../src/privacy/masks.ts';
import type { MaskSettings } from '../../src/settings/wire.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import { dot } from '../../src/solver/vector.ts';
import { conservationError, planFor } from '../helpers/federation.ts';
import { smallHar, smallRegression } from '../helpers/tables.ts';

const BERNOULLI: MaskSettings = { kind: 'bernoulli', keep: 0.5, semantics: 'consistent' };
const BETA: MaskSettings = { kind: 'beta', a: 2, b: 0.5, unmasked: 0.25, semantics: 'consistent' };

function run(
  mask: MaskSettings | undefined,
  options: {
    gap?: number;
    rounds?: number;
    regression?: true | undefined;
    aggregation?: 'answers' | 'safe' | undefined;
  } = {},
) {
  const table = options.regression ? smallRegression(3) : smallHar(3, 5, 30);
  const objective = options.regression ? 'regression' : 'classification';
  const { gap = 1e-3, rounds = 400 } = options;
  // The paper's masks are of steps.
  const { aggregation = mask?.semantics === 'paper' ? 'safe' : 'answers' } = options;
  const plan = planFor(table, { objective, gap, rounds, passes: 20, aggregation }, { options: { mask } });
  return new Simulation(plan).run();
}

describe('factors', () => {
  test.each([0, 0.25, 0.6, 1])('Bernoulli(%f) keeps that share, and whole rows only', (keep) => {
    const factors = drawMask({ kind: 'bernoulli', keep, semantics: 'paper' }, 20_000, stream(1, 'test'));
    expect(factors.every((factor) => factor === 0 || factor === 1)).toBe(true);
    const kept = factors.reduce((sum, factor) => sum + factor, 0) / factors.length;
    // Four standard deviations.
    expect(Math.abs(kept - keep)).toBeLessThanOrEqual(4 * Math.sqrt((keep * (1 - keep)) / 20_000));
  });

  test.each([
    [2, 0.5],
    [0.3, 0.2],
    [1, 1],
    [5, 3],
  ])('Beta(%f, %f) has its mean and variance', (a, b) => {
    const random = stream(2, 'test');
    const draws = Array.from({ length: 40_000 }, () => drawBeta(a, b, random));
    const mean = draws.reduce((sum, x) => sum + x, 0) / draws.length;
    const variance = draws.reduce((sum, x) => sum + (x - mean) ** 2, 0) / draws.length;
    const wanted = { mean: a / (a + b), variance: (a * b) / ((a + b) ** 2 * (a + b + 1)) };
    expect(Math.abs(mean - wanted.mean)).toBeLessThan(4 * Math.sqrt(wanted.variance / draws.length));
    expect(Math.abs(variance / wanted.variance - 1)).toBeLessThan(0.04);
    expect(draws.every((x) => x >= 0 && x <= 1)).toBe(true);
  });

  test('Beta leaves the wanted share of rows alone', () => {
    const factors = drawMask({ ...BETA, unmasked: 0.25 } as MaskSettings, 20_000, stream(3, 'test'));
    const alone = factors.filter((factor) => factor === 1).length / factors.length;
    expect(Math.abs(alone - 0.25)).toBeLessThan(0.015);
  });
});

describe('consistent masking', () => {
  test.each([
    ['Bernoulli', BERNOULLI],
    ['Beta', BETA],
  ])('%s reaches the optimum of no masking, certified and conserved', (_name, mask) => {
    for (const regression of [undefined, true] as const) {
      const plain = run(undefined, { regression, gap: 1e-4 }).rows.at(-1)!;
      const masked = run(mask, { regression, gap: 1e-4 });
      const last = masked.rows.at(-1)!;
      expect(last.relativeGap).toBeLessThanOrEqual(1e-4);
      expect(last.certified).toBe(true);
      expect(Math.abs(last.primal - plain.primal)).toBeLessThanOrEqual(2e-4 * plain.primal);
      expect(conservationError(masked)).toBeLessThan(1e-12);
    }
  });

  test('the dual never falls, whatever is masked', () => {
    const masks = fc.record({ keep: fc.double({ min: 0.1, max: 1, noNaN: true }), seed: fc.nat(1000) });
    fc.assert(
      fc.property(masks, ({ keep, seed }) => {
        const mask: MaskSettings = { kind: 'bernoulli', keep, semantics: 'consistent' };
        const plan = planFor(smallHar(seed, 4, 20), { rounds: 12, gap: 1e-6 }, { options: { mask } });
        const duals = new Simulation(plan).run().rows.map((row) => row.dual);
        for (let r = 1; r < duals.length; r++)
          expect(duals[r]).toBeGreaterThanOrEqual(duals[r - 1] - 1e-9 * Math.abs(duals[r - 1]));
      }),
      { numRuns: 15 },
    );
  });
});

describe("the paper's masking", () => {
  const mask: MaskSettings = { kind: 'bernoulli', keep: 0.5, semantics: 'paper' };

  test('w is the sum of what was sent, and not of what the participants have', () => {
    const simulation = run(mask, { rounds: 20 });
    expect(conservationError(simulation)).toBeLessThan(1e-12);
    let [own, sent] = [0, 0];
    for (const { disk } of simulation.participants.values()) {
      own += dot(disk!.committed!.u, disk!.committed!.u);
      sent += dot(disk!.committed!.sent!.u, disk!.committed!.sent!.u);
    }
    expect(sent).toBeLessThan(0.9 * own);
  });

  test('nothing is certified: the bound on the optimum stays at the value of zero duals', () => {
    const { rows } = run(mask, { rounds: 20 });
    for (const row of rows) {
      expect(row.dual).toBe(0);
      expect(row.relativeGap).toBe(1);
    }
  });

  test('keeping every row is no masking', () => {
    const all: MaskSettings = { kind: 'bernoulli', keep: 1, semantics: 'paper' };
    const masked = run(all, { rounds: 10 }).coordinator.state!;
    const plain = run(undefined, { rounds: 10, gap: 1e-12, aggregation: 'safe' }).coordinator.state!;
    const [a, b] = [sharedPart(masked)!, sharedPart(plain)!];
    const scale = Math.sqrt(dot(b, b));
    // The tolerance of local solves follows the gap, which the paper's masking does not know.
    for (let j = 0; j < b.length; j++) expect(Math.abs(a[j] - b[j])).toBeLessThan(0.1 * scale);
  });
});
