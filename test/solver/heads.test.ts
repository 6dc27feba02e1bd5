/** Heads: one shard with several is the same as several shards with one, and a training of all is that of each. */
import { describe, expect, test } from 'vitest';
import { stream } from '../../src/base/random.ts';
import { Arena } from '../../src/math/arena.ts';
import { train } from '../../src/methods/train.ts';
import { answer, headScalars } from '../../src/solver/answer.ts';
import { LOSSES } from '../../src/solver/losses/losses.ts';
import { Shard } from '../../src/solver/shard.ts';
import { manyClasses } from '../helpers/tables.ts';

const CLASS_LOSSES = (Object.keys(LOSSES) as (keyof typeof LOSSES)[]).filter((name) => LOSSES[name].classes);

describe.each(CLASS_LOSSES)('%s', (loss) => {
  test.each([
    ['gram', 9, 40],
    ['rows', 60, 5],
  ] as const)('%s: the answer of three heads is, bit for bit, that of three shards', (form, n, d) => {
    const settings = { objective: 'classification', loss, c1: 1.5, c2: 0.7, epsilon: 0 } as const;
    for (let seed = 1; seed <= 5; seed++) {
      const random = stream(seed, 'heads');
      const rows = Array.from({ length: n }, () => Float32Array.from({ length: d }, () => random.normal()));
      const write = (i: number, row: Float32Array) => row.set(rows[i]);
      const y = Float64Array.from({ length: 3 * n }, () => (random.uniform() < 0.4 ? 1 : -1));
      const weights = y.map(() => 0.5 + random.uniform());
      const w = Float64Array.from({ length: 3 * d }, () => 0.1 * random.normal());
      const options = { sigma: 0, tolerance: 1e-6, passes: 40, seed };
      const arena = new Arena();
      const joint = answer(new Shard(arena, settings, { n, d, y, weights, write }, form), w, options);
      for (let h = 0; h < 3; h++) {
        const own = (all: Float64Array, length: number) => all.slice(h * length, (h + 1) * length);
        const input = { n, d, y: own(y, n), weights: own(weights, n), write };
        const alone = answer(new Shard(arena, settings, input, form), own(w, d), options);
        expect(own(joint.beta, n)).toEqual(alone.beta);
        expect(own(joint.u, d)).toEqual(alone.u);
        expect(headScalars(joint.scalars)[h]).toEqual(alone.scalars);
      }
    }
  });
});

describe.each(['mtl', 'local', 'global'] as const)('%s', (method) => {
  test.each(['none', 'balanced'] as const)(
    'training all classes is training each against the rest, %s',
    (classWeight) => {
      for (let seed = 1; seed <= 3; seed++) {
        const table = manyClasses(seed, { classes: 4 });
        const options = { method, classWeight, gap: 1e-7, rounds: 400, passes: 1000, c2: 0.5 } as const;
        const joint = train(table, options);
        const labels = ['class 1', 'class 2', 'class 3', 'class 4'];
        expect(joint.model.classes).toEqual({ labels });
        const columns = joint.model.w.length / labels.length;
        let primal = 0;
        for (const [h, positive] of labels.entries()) {
          const alone = train(table, { ...options, positive });
          primal += alone.certificate!.primal;
          for (const [id, v] of alone.model.personal) {
            const own = joint.model.personal.get(id)!;
            for (let j = 0; j < columns; j++) {
              const at = h * columns + j;
              expect(Math.abs(joint.model.w[at] + own[at] - alone.model.w[j] - v[j])).toBeLessThan(0.01);
            }
          }
          const head = joint.certificate!.heads?.[h];
          if (head) expect(head.relativeGap).toBeLessThanOrEqual(1e-7);
        }
        expect(joint.certificate!.primal / primal).toBeCloseTo(1, 5);
      }
    },
  );
});
