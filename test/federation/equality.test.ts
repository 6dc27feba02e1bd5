import { describe, expect, test } from 'vitest';
import { train } from '../../src/methods/train.ts';
import { LOSS_NAMES } from '../../src/settings/losses.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import { LOSSES } from '../../src/solver/losses/losses.ts';
import { conservationError, planFor } from '../helpers/federation.ts';
import { smallHar, smallRegression } from '../helpers/tables.ts';

const TABLES = { classification: smallHar(4, 5, 30), regression: smallRegression(2) } as const;

function expectNear(a: Float64Array, b: Float64Array): void {
  expect(a.length).toBe(b.length);
  for (let j = 0; j < a.length; j++)
    expect(Math.abs(a[j] - b[j])).toBeLessThanOrEqual(1e-12 * (1 + Math.abs(b[j])));
}

describe.each(['answers', 'safe', 'sum'] as const)('%s', (aggregation) => {
  test.each(LOSS_NAMES)('through messages equals the in-process trainer, %s', (loss) => {
    const { task: objective } = LOSSES[loss];
    const table = TABLES[objective];
    const problem = { aggregation, objective, loss, c1: 2, c2: 0.5 } as const;
    const options = { ...problem, rounds: 15, gap: 1e-4, passes: 20 } as const;
    const { model, history } = train(table, options);
    const simulation = new Simulation(planFor(table, options)).run();
    expect(simulation.over).toBe(true);
    const inUse = (id: string) => simulation.participants.get(id)!.disk!.model!;
    for (const [id, v] of model.personal) {
      expectNear(inUse(id).w, model.w);
      expectNear(
        inUse(id).u!.map((value) => value / 0.5),
        v,
      );
    }
    // Steps are looked at when they have been made, so that in-process rows count from the model 0.
    const rounds = history.map(({ round }) => (aggregation === 'answers' ? round : round + 1));
    expect(simulation.rows.map(({ round }) => round)).toEqual(rounds);
    for (const [r, { primal, dual, relativeGap }] of history.entries()) {
      const row = simulation.rows[r];
      expect(row.missing).toEqual([]);
      expectNear(
        Float64Array.of(row.primal, row.dual, row.relativeGap),
        Float64Array.of(primal, dual!, relativeGap!),
      );
    }
    expect(simulation.rows.at(-1)!.certified).toBe(true);
    expect(conservationError(simulation)).toBeLessThan(1e-12);
  });
});

test.each([{}, { classWeight: 'balanced', scale: 'center', bias: false }] as const)(
  'MOCHA through messages equals the in-process trainer: %j',
  (changes) => {
    const table = TABLES.classification;
    const options = { method: 'mocha', rounds: 40, gap: 1e-3, passes: 20, lambda: 0.01, ...changes } as const;
    const { model, history } = train(table, options);
    const mocha = { method: 'mocha', lambda: 0.01 } as const;
    const simulation = new Simulation(planFor(table, options, { options: mocha })).run();
    expect(simulation.over).toBe(true);
    for (const [id, v] of model.personal) expectNear(simulation.participants.get(id)!.disk!.model!.w, v);
    const of = (rows: readonly { readonly primal: number; readonly dual: number | null }[]) =>
      Float64Array.from(rows.flatMap(({ primal, dual }) => [primal, dual!]));
    expectNear(of(simulation.rows.slice(0, history.length)), of(history));
  },
);

test('[TYPE-9] f32 on the wire keeps conservation, and the optimum', () => {
  const options = { gap: 1e-3, rounds: 100 } as const;
  const table = TABLES.classification;
  const simulation = new Simulation(planFor(table, options, { options: { precision: 'f32' } })).run();
  expect(simulation.rows.at(-1)!.relativeGap).toBeLessThanOrEqual(1e-3);
  expect(conservationError(simulation)).toBeLessThan(1e-12);
  const { certificate } = train(table, { ...options, gap: 1e-6, rounds: 500 });
  const { primal, dual } = simulation.rows.at(-1)!;
  expect(primal).toBeGreaterThanOrEqual(certificate!.dual * (1 - 1e-6));
  expect(dual).toBeLessThanOrEqual(certificate!.primal * (1 + 1e-6));
});
