/** The audit of a coordinator that lies, under secure aggregation: what it knows of anybody is what it knew before it asked. */
import { expect, test } from 'vitest';
import { leakOf } from '../../src/audit/attack.ts';
import { RowHunt } from '../../src/audit/lying-coordinator.ts';
import { seenByParticipant, watch } from '../../src/audit/watch.ts';
import { makeHarLike } from '../../src/data/generate-har.ts';

test('is at chance', () => {
  const table = makeHarLike({ participants: 6, rowsPerParticipant: 8, features: 8, seed: 1 });
  let hunt: RowHunt | undefined;
  const scenario = { secure: true, passes: 1, rounds: 1, testFraction: 0.5 };
  const seen = watch(table, scenario, (simulation) => {
    hunt = new RowHunt(simulation, '1');
  });
  expect(hunt!.rows).toEqual([]);
  expect([...seen.sums.values()].every((sum) => sum.every((value) => value === 0))).toBe(true);
  const leak = leakOf(seen, undefined, 'quick');
  expect(leak.rows.recovered).toBe(0);
  expect(leak.personal.cosine || 0).toBe(0);
  expect(leak.membership.auc).toBeGreaterThan(0.35);
  expect(leak.membership.auc).toBeLessThan(0.65);
  expect(seenByParticipant(seen).sums.size).toBeGreaterThan(0);
});
