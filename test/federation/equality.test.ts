import { describe, expect, test } from 'vitest';
import { train } from '../../src/methods/index.ts';
import { Simulation } from '../../src/sim/index.ts';
import { conservationError, planFor } from '../helpers/federation.ts';
import { smallHar, smallRegression } from '../helpers/tables.ts';

describe.each(['exact', 'line-search', 'safe', 'sum'] as const)('%s', (aggregation) => {
  test.each(['classification', 'regression'] as const)(
    'through messages equals the in-process trainer, %s',
    (objective) => {
      const table = objective === 'classification' ? smallHar(4, 5, 30) : smallRegression(2);
      const options = { aggregation, objective, rounds: 15, gap: 1e-4, c1: 2, c2: 0.5, passes: 20 } as const;
      const trained = train(table, options);
      const simulation = new Simulation(planFor(table, options)).run();
      expect(simulation.over).toBe(true);
      const inUse = (id: string) => simulation.participants.get(id)!.disk!.model!;
      const { w } = inUse(table.participants[0]);
      const { model, history } = trained;
      for (let j = 0; j < w.length; j++)
        expect(Math.abs(w[j] - model.w[j])).toBeLessThanOrEqual(1e-12 * (1 + Math.abs(w[j])));
      for (const [id, v] of model.personal) {
        const u = inUse(id).u!;
        expect(inUse(id).w).toEqual(w);
        for (let j = 0; j < v.length; j++)
          expect(Math.abs(u[j] / 0.5 - v[j])).toBeLessThanOrEqual(1e-12 * (1 + Math.abs(v[j])));
      }
      expect(simulation.rows.map((row) => row.primal).slice(0, history.length)).toEqual(
        history.map((row) => row.primal),
      );
      expect(simulation.rows.at(-1)!.certified).toBe(true);
      expect(conservationError(simulation)).toBeLessThan(1e-12);
    },
  );
});

test('f32 on the wire keeps conservation, and the optimum', () => {
  const table = smallHar(4, 5, 30);
  const options = { gap: 1e-3, rounds: 100 } as const;
  const simulation = new Simulation(planFor(table, options, { options: { precision: 'f32' } })).run();
  expect(simulation.rows.at(-1)!.relativeGap).toBeLessThanOrEqual(1e-3);
  expect(conservationError(simulation)).toBeLessThan(1e-12);
});
