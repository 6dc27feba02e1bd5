/** Many classes in a federation: a head for each, in one vector, through the same messages. */
import { describe, expect, test } from 'vitest';
import { inquiryOf } from '../../src/coordinator/training.ts';
import { train } from '../../src/methods/train.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import { totalScalars } from '../../src/solver/answer.ts';
import { Bench, sentTo } from '../helpers/coordinator-bench.ts';
import { conservationError, planFor } from '../helpers/federation.ts';
import { runSecurely, wrongEntries } from '../helpers/secure-federation.ts';
import { manyClasses } from '../helpers/tables.ts';

const table = manyClasses(3);
const HEADS = 3;
const COLUMNS = 7;

function expectNear(a: ArrayLike<number>, b: ArrayLike<number>, tolerance: number): void {
  expect(a.length).toBe(b.length);
  for (let j = 0; j < a.length; j++)
    expect(Math.abs(a[j] - b[j])).toBeLessThanOrEqual(tolerance * (1 + Math.abs(b[j])));
}

describe.each(['answers', 'safe', 'sum'] as const)('%s', (aggregation) => {
  test('[HEADS-1] through messages equals the in-process trainer', () => {
    const options = { aggregation, c1: 2, c2: 0.5, rounds: 15, gap: 1e-4, passes: 20 } as const;
    const { model, history, certificate } = train(table, options);
    const simulation = new Simulation(planFor(table, options)).run();
    expect(simulation.over).toBe(true);
    expect(model.w).toHaveLength(HEADS * COLUMNS);
    for (const [id, v] of model.personal) {
      const { w, u } = simulation.participants.get(id)!.disk!.model!;
      expectNear(w, model.w, 1e-12);
      // Heads have their best queries in different rounds: at rest the answer to all of them is solved again.
      expectNear(
        u!.map((value) => value / 0.5),
        v,
        aggregation === 'answers' ? 0.02 : 1e-12,
      );
    }
    for (const [r, { primal, dual }] of history.entries())
      expectNear([simulation.rows[r].primal, simulation.rows[r].dual], [primal, dual!], 1e-12);
    const { heads } = simulation.coordinator.state!.certificate;
    if (aggregation === 'answers') expect(heads).toHaveLength(HEADS);
    expect(certificate!.heads?.length ?? 0).toBe(heads?.length ?? 0);
    expect(conservationError(simulation)).toBeLessThan(1e-12);
  });
});

test('secure sums: every head is certified from sums alone, and the sum is exact', () => {
  const options = { gap: 1e-3, rounds: 60 } as const;
  const simulation = runSecurely(table, options);
  expect(wrongEntries(simulation)).toBe(0);
  const { certificate, finish } = simulation.coordinator.state!;
  expect(finish).toBe('gap');
  const alone = train(table, { ...options, gap: 1e-7, rounds: 500 }).certificate!;
  for (const [h, { primal, dual, relativeGap }] of certificate.heads!.entries()) {
    expect(relativeGap).toBeLessThanOrEqual(1e-3);
    expect(primal).toBeGreaterThanOrEqual(alone.heads![h].dual * (1 - 1e-6));
    expect(dual).toBeLessThanOrEqual(alone.heads![h].primal * (1 + 1e-6));
  }
});

test('a coordinator that crashes in mid-training goes on with all heads', () => {
  const options = { gap: 1e-4, rounds: 60 } as const;
  const crashes = [{ node: 'coordinator', step: 25, afterEffects: 1, downMs: 50 }];
  const simulation = new Simulation(planFor(table, options, { crashes, options: { retryMs: 20 } })).run();
  const { certificate, finish } = simulation.coordinator.state!;
  expect(finish).toBe('gap');
  expect(Math.max(...certificate.heads!.map(({ relativeGap }) => relativeGap))).toBeLessThanOrEqual(1e-4);
  expect(conservationError(simulation)).toBeLessThan(1e-12);
});

test('[HEADS-2] scalars of another number of heads are refused', () => {
  const bench = new Bench({ minParticipants: 2 });
  const moments = { kind: 'moments', count: 3, mean: Float64Array.of(0), m2: Float64Array.of(1) } as const;
  for (const id of ['a', 'b']) bench.join(id);
  for (const [id, labels] of [
    ['a', ['x', 'y']],
    ['b', ['y', 'z']],
  ] as const)
    bench.say(id, { ...moments, target: undefined, labels, positive: undefined });
  const u = new Float64Array(inquiryOf(bench.state)!.query.length);
  const head = { loss: 1, dualSum: 0, uNorm2: 0, wDotU: 0 };
  const answer = { kind: 'answer', session: 1, round: 1, base: 0, u, passes: 1, computeMs: 1 } as const;
  for (const heads of [1, 2, 4]) {
    const scalars = totalScalars(new Array(heads).fill(head));
    const [sent] = sentTo(bench.say('a', { ...answer, scalars, previous: undefined }), 'a');
    expect(sent).toMatchObject({ code: 'WRONG_SHAPE', message: expect.stringContaining('3 heads') });
  }
});
