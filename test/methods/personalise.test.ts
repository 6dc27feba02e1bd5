/** v(w) for participants the model knows or does not know: optimal, certified, and nobody else's business. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stream } from '../../src/base/random.ts';
import { classNames } from '../../src/data/labels.ts';
import type { Table } from '../../src/data/table.ts';
import { scaleRow } from '../../src/math/scaling.ts';
import { modelFromJson, modelToJson } from '../../src/methods/model.ts';
import { personalise } from '../../src/methods/personalise.ts';
import { train } from '../../src/methods/train.ts';
import { LOSS_NAMES, type LossName, type Objective } from '../../src/settings/losses.ts';
import type { TrainOptions } from '../../src/settings/training.ts';
import { LOSSES } from '../../src/solver/losses/losses.ts';
import { decide, type Model, modelFor } from '../../src/solver/model.ts';
import { smallHar, smallRegression, tableOf } from '../helpers/tables.ts';

interface Shape {
  readonly seed: number;
  readonly loss: LossName;
  readonly quantile: number;
  readonly objective: Objective;
  readonly participants: number;
  readonly rows: number;
  readonly d: number;
  readonly c1: number;
  readonly c2: number;
  readonly epsilon: number;
  readonly classWeight: 'none' | 'balanced';
  readonly scale: 'standard' | 'center' | 'none';
  readonly bias: boolean;
}

const plainShapes = fc.record({
  seed: fc.integer({ min: 0, max: 1e9 }),
  loss: fc.constantFrom(...LOSS_NAMES),
  quantile: fc.constantFrom(0.2, 0.5, 0.9),
  participants: fc.integer({ min: 2, max: 5 }),
  rows: fc.integer({ min: 2, max: 25 }),
  d: fc.integer({ min: 3, max: 20 }),
  c1: fc.constantFrom(0.01, 0.3, 1, 5),
  c2: fc.constantFrom(0.2, 1, 20),
  epsilon: fc.constantFrom(0, 0.1, 0.5),
  classWeight: fc.constantFrom(...(['none', 'balanced'] as const)),
  scale: fc.constantFrom(...(['standard', 'center', 'none'] as const)),
  bias: fc.boolean(),
});
const shapes: fc.Arbitrary<Shape> = plainShapes.map((shape) => ({
  ...shape,
  objective: LOSSES[shape.loss].task,
}));

/** Participants that share a direction and differ by another. */
function tableFor({ seed, objective, participants, rows, d }: Shape): Table {
  const noise = stream(seed, 'noise');
  return tableOf({
    ...{ participants, rows, d, seed },
    target: (x, k) => {
      const value = x[0] + 0.7 * x[1 + (k % 2)] + 0.3 * noise.normal();
      return objective === 'regression' ? value : value > 0 ? 'yes' : 'no';
    },
  });
}

/** Without the participants named. */
function without(table: Table, ...names: readonly string[]): Table {
  const kept = table.participants.filter((id) => !names.includes(id));
  return only(table, ...kept);
}

function only(table: Table, ...names: readonly string[]): Table {
  const d = table.features.length;
  const rows = [...table.participantOf.keys()].filter((i) =>
    names.includes(table.participants[table.participantOf[i]]),
  );
  return {
    ...table,
    n: rows.length,
    x: Float64Array.from(rows.flatMap((i) => [...table.x.subarray(i * d, (i + 1) * d)])),
    participants: names,
    participantOf: Uint32Array.from(rows, (i) => names.indexOf(table.participants[table.participantOf[i]])),
    targets: rows.map((i) => table.targets![i]),
  };
}

function modelOf(shape: Shape, table: Table, more: TrainOptions = {}): Model | undefined {
  const { objective, loss, quantile, c1, c2, epsilon, classWeight, scale, bias } = shape;
  const labels = new Set(table.targets);
  if (objective === 'classification' && labels.size < 2) return undefined;
  const problem = { objective, loss, quantile, c1, c2, epsilon, classWeight };
  const options = { ...problem, scale, bias, testFraction: 0, ...more };
  return train(table, options).model;
}

/** C2/2 |v|^2 + C1 sum c loss at w + v, written out with no help from the solver. */
function objectiveAt(model: Model, table: Table, v: Float64Array): number {
  const { c1, c2, epsilon, quantile, classWeight } = model.options as Record<string, number>;
  const { loss } = model.options as { readonly loss?: LossName };
  const d = model.features.length;
  const x = new Float64Array(d);
  const y = table.targets!.map((text) =>
    model.classes ? (text === classNames(model.classes)[1] ? 1 : -1) : +text,
  );
  const positive = y.filter((value) => value > 0).length;
  let sum = 0;
  for (let i = 0; i < table.n; i++) {
    scaleRow(table.x, i, model.scaling, x, 0);
    let a = model.bias ? model.w[d] + v[d] : 0;
    for (let j = 0; j < d; j++) a += x[j] * (model.w[j] + v[j]);
    if (model.objective === 'regression') {
      const { shift, scale } = model.target ?? { shift: 0, scale: 1 };
      const over = (y[i] - shift) / scale - a;
      const tube = Math.max(0, Math.abs(over) - epsilon / scale);
      sum += c1 * (loss === 'quantile' ? Math.max(quantile * over, (quantile - 1) * over) : tube);
      continue;
    }
    const own = y[i] > 0 ? positive : y.length - positive;
    const weight = (classWeight as unknown) === 'balanced' ? y.length / (2 * own) : 1;
    const hinge = Math.max(0, 1 - y[i] * a);
    const value =
      loss === 'logistic' ? Math.log1p(Math.exp(-y[i] * a)) : hinge ** (loss === 'squared-hinge' ? 2 : 1);
    sum += c1 * weight * value;
  }
  for (const value of v) sum += (c2 / 2) * value * value;
  return sum;
}

describe('the personal part of a newcomer', () => {
  test('is the optimum: small gap, never worse than v = 0, and nothing near it is better', () => {
    let counted = 0;
    fc.assert(
      fc.property(shapes, (shape) => {
        const table = tableFor(shape);
        const model = modelOf(shape, without(table, 'p0'));
        if (!model) return;
        counted++;
        const own = only(table, 'p0');
        const result = personalise(model, own);
        const [person] = result.participants;
        expect(person).toMatchObject({ id: 'p0', part: 'added', rows: shape.rows, testRows: 0 });
        expect(person.relativeGap).toBeLessThanOrEqual(1e-6);
        expect(person.value).toBeLessThanOrEqual(person.valueOfShared);
        const v = result.model.personal.get('p0')!;
        const value = objectiveAt(model, own, v);
        // The solver's rows are f32.
        const near = 1e-4 * (1 + person.value);
        expect(Math.abs(value - person.value)).toBeLessThan(near);
        expect(
          Math.abs(
            objectiveAt(
              model,
              own,
              v.map(() => 0),
            ) - person.valueOfShared,
          ),
        ).toBeLessThan(1e-4 * (1 + person.valueOfShared));
        const random = stream(shape.seed, 'directions');
        for (const size of [1e-2, 0.1, 1]) {
          const moved = v.map((x) => x + size * random.normal());
          expect(objectiveAt(model, own, moved)).toBeGreaterThan(value - near);
        }
      }),
    );
    expect(counted).toBeGreaterThan(50);
  });

  test('leaves the shared part and the parts of others as they are, to the bit', () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const table = tableFor(shape);
        const model = modelOf(shape, without(table, 'p0'));
        if (!model) return;
        const before = modelToJson(model);
        const { model: after } = personalise(model, only(table, 'p0'));
        expect(modelToJson(model)).toBe(before);
        const { personal, certificate, ...rest } = after;
        const { personal: old, certificate: _, ...same } = model;
        expect(rest).toEqual(same);
        expect(certificate).toBeUndefined();
        expect([...personal.keys()]).toEqual([...old.keys(), 'p0']);
        for (const [id, v] of old) expect(personal.get(id)).toBe(v);
      }),
      { numRuns: 30 },
    );
  });

  test('depends on its own rows alone', () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const table = tableFor(shape);
        const model = modelOf(shape, without(table, 'p0'));
        if (!model) return;
        const alone = personalise(model, only(table, 'p0')).model.personal.get('p0');
        const together = personalise(model, table).model.personal.get('p0');
        expect(together).toEqual(alone);
      }),
      { numRuns: 30 },
    );
  });
});

test('a participant of the model with its very training rows gets its v_k again, within the gap', () => {
  let counted = 0;
  fc.assert(
    fc.property(shapes, (shape) => {
      const table = tableFor(shape);
      const gap = 1e-6;
      const model = modelOf(shape, table, { gap, rounds: 1000, passes: 1000 });
      if (!model?.certificate || model.certificate.relativeGap > gap) return;
      counted++;
      const result = personalise(model, table, { gap: 1e-7 });
      const { primal } = model.certificate;
      for (const { id, part } of result.participants) {
        expect(part).toBe('replaced');
        const [mine, its] = [result.model.personal.get(id)!, model.personal.get(id)!];
        // Strong convexity: C2/2 |v - v_k|^2 is at most what both are above the optimum, w held fixed.
        const distance2 = mine.reduce((sum, value, j) => sum + (value - its[j]) ** 2, 0);
        expect((shape.c2 / 2) * distance2).toBeLessThanOrEqual(4 * gap * primal + 1e-12);
      }
    }),
    { numRuns: 50 },
  );
  expect(counted).toBeGreaterThan(30);
});

test('the seed of the model splits the training table as training did', () => {
  const table = smallHar();
  const { model } = train(table, { seed: 7, gap: 1e-6, rounds: 1000, testFraction: 0.3 });
  const { participants, model: again } = personalise(model, table, { testFraction: 0.3 });
  const largest = (values: Iterable<number>) => Math.max(...[...values].map(Math.abs));
  for (const { id, rows, testRows } of participants) {
    expect(testRows).toBe(Math.round(0.3 * rows));
    const [mine, its] = [again.personal.get(id)!, model.personal.get(id)!];
    expect(largest(mine.map((value, j) => value - its[j]))).toBeLessThan(0.02 * largest(its));
  }
});

test.each(['classification', 'regression'] as const)('the same bytes every time: %s', (objective) => {
  const table = objective === 'classification' ? smallHar() : smallRegression();
  const { model } = train(table, { objective });
  const run = () => {
    const { model: after, ...rest } = personalise(model, table, { testFraction: 0.4 });
    return JSON.stringify(rest) + modelToJson(after);
  };
  expect(run()).toBe(run());
});

test.each(['classification', 'regression'] as const)(
  'the file that it writes is a model: %s',
  (objective) => {
    const table = objective === 'classification' ? smallHar() : smallRegression();
    const [first] = table.participants;
    const { model } = train(without(table, first), { objective, testFraction: 0 });
    const { model: after } = personalise(model, only(table, first));
    const back = modelFromJson(modelToJson(after), 'mine.json');
    expect(decide(back, table)).toEqual(decide(after, table));
    expect(modelFor(back, first)).not.toEqual(back.w);
  },
);

test('labelled rows help newcomers on rows they did not label', () => {
  // Everybody minds the first feature, and one of three others.
  const table = tableOf({
    ...{ participants: 12, rows: 80, d: 6 },
    target: (x, k) => (x[0] + x[1 + (k % 3)] > 0 ? 'yes' : 'no'),
  });
  const newcomers = table.participants.slice(9);
  const { model } = train(without(table, ...newcomers), { testFraction: 0 });
  const result = personalise(model, only(table, ...newcomers), { testFraction: 0.5 });
  expect(result.mean.errorRate!).toBeLessThan(0.5 * result.meanOfShared.errorRate!);
});

describe('what cannot be personalised', () => {
  const table = smallHar();
  const [first] = table.participants;
  const own = only(table, first);

  test.each(['local', 'mocha', 'fedavg', 'global'] as const)('a model of method %s', (method) => {
    const { model } = train(table, { method, rounds: 5 });
    expect(() => personalise(model, own)).toThrow(
      expect.objectContaining({ code: 'NOT_PERSONALISABLE', message: expect.stringContaining(method) }),
    );
  });

  test('a global model needs a C2, and has personal parts with it', () => {
    const { model } = train(table, { method: 'global' });
    const { participants, model: after } = personalise(model, own, { c2: 1 });
    expect(participants[0].value).toBeLessThan(participants[0].valueOfShared);
    expect(modelFor(after, first)).not.toEqual(after.w);
  });

  test.each([
    ['C1', { c2: 1 }, /C1.*--c1/],
    ['C2', { c1: 1 }, /C2.*--c2/],
  ])('a model without %s, unless it is given', (_, options, words) => {
    const { model } = train(table);
    const poorer = { ...model, options };
    expect(() => personalise(poorer, own)).toThrow(words);
    expect(() => personalise(poorer, own)).toThrow(expect.objectContaining({ code: 'MODEL_OPTION_MISSING' }));
    expect(personalise(poorer, own, { c1: 1, c2: 1 }).participants.length).toBe(1);
  });

  test('a model that does not record its class weight is taken to have none, with a note', () => {
    const { model } = train(table);
    const { classWeight: _, ...options } = model.options;
    const { notes, options: used } = personalise({ ...model, options }, own);
    expect([notes.length, used.classWeight]).toEqual([1, 'none']);
    expect(personalise({ ...model, options }, own, { classWeight: 'balanced' }).notes).toEqual([]);
    expect(personalise(model, own).notes).toEqual([]);
  });

  test.each([
    [{ c1: 0 }, 'BAD_OPTION'],
    [{ testFraction: 1 }, 'BAD_OPTION'],
    [{ gap: -1 }, 'BAD_OPTION'],
    [{ lambda: 1 }, 'UNKNOWN_OPTION'],
  ] as [object, string][])('options %j', (options, code) => {
    const { model } = train(table);
    expect(() => personalise(model, own, options)).toThrow(expect.objectContaining({ code }));
  });

  test('a table of other features, or without targets', () => {
    const { model } = train(table);
    const renamed = { ...own, features: own.features.map((name) => `${name}!`) };
    expect(() => personalise(model, renamed)).toThrow(expect.objectContaining({ code: 'FEATURE_NAMES' }));
    const { targets: _, ...unlabelled } = own;
    expect(() => personalise(model, { ...unlabelled, targets: undefined })).toThrow(
      expect.objectContaining({ code: 'NO_TARGETS' }),
    );
  });
});
