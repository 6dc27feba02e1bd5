/** The audit of a coordinator that lies, under secure aggregation: what it knows of anybody is what it knew before it asked. */
import { expect, test } from 'vitest';
import { huntedRows, leakOf } from '../../src/audit/attack.ts';
import { RowHunt } from '../../src/audit/lying-coordinator.ts';
import { seenByParticipant, watch } from '../../src/audit/watch.ts';
import { makeHarLike } from '../../src/data/generate-har.ts';

const table = makeHarLike({ participants: 6, rowsPerParticipant: 8, features: 8, seed: 1 });

function hunted() {
  let hunt: RowHunt | undefined;
  const seen = watch(table, { secure: true, rounds: 40, testFraction: 0.5 }, (simulation) => {
    hunt = new RowHunt(simulation, '1');
  });
  return { seen, hunt: hunt! };
}

test('finds none in secure sums, and is at chance in everything else', () => {
  const { seen, hunt } = hunted();
  expect(huntedRows(hunt, seen)).toMatchObject({ recovered: 0, error: 1 });
  // What it would find is a row times its dual: that counts as recovered.
  const [{ truth }] = seen.watched;
  hunt.rows.push(truth.rows[0].x.map((value) => -0.7 * value));
  expect(huntedRows(hunt, seen).recovered).toBe(1 / truth.rows.length);
  expect([...seen.sums.values()].every((sum) => sum.every((value) => value === 0))).toBe(true);
  const leak = leakOf(seen, undefined, 'quick');
  expect(leak.rows.recovered).toBe(0);
  expect(leak.personal.cosine || 0).toBe(0);
  expect(leak.membership.auc).toBeGreaterThan(0.35);
  expect(leak.membership.auc).toBeLessThan(0.65);
  expect(seenByParticipant(seen).sums.size).toBeGreaterThan(0);
});
