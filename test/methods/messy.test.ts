/** Tables as they are: training on them is training on what one would have made of them by hand. */
import { describe, expect, test } from 'vitest';
import { featureNames } from '../../src/data/encoding.ts';
import { rowsOfParticipant } from '../../src/data/participants.ts';
import type { Table } from '../../src/data/table.ts';
import { explainRow } from '../../src/explain/explain-row.ts';
import { evaluate } from '../../src/methods/evaluate.ts';
import { modelFromJson, modelToJson } from '../../src/methods/model.ts';
import { resolveOptions } from '../../src/methods/options.ts';
import { personalise } from '../../src/methods/personalise.ts';
import { predict } from '../../src/methods/predict.ts';
import { prepare } from '../../src/methods/prepare.ts';
import { train } from '../../src/methods/train.ts';
import { tune } from '../../src/methods/tune.ts';
import { checkLinear } from '../../src/solver/linear-model.ts';
import { messyTable, weightedTable } from '../helpers/messy.ts';
import { smallHar } from '../helpers/tables.ts';

const OPTIONS = { c1: 2, c2: 0.5, rare: 3, gap: 1e-4 } as const;

/** One-hot, means and indicators by hand, from the training rows of a model. */
function byHand(table: Table, names: readonly string[], mean: number): Table {
  const x = new Float64Array(table.n * names.length);
  const d = table.features.length;
  for (let i = 0; i < table.n; i++) {
    const raw = table.features.map((_, j) => {
      const value = table.x[i * d + j];
      return Number.isNaN(value) ? 'missing' : (table.levels?.[j]?.[value] ?? value);
    });
    for (const [j, name] of names.entries()) {
      const [column, level] = name.split('=');
      const value = raw[table.features.indexOf(column)];
      const isOther = level === 'other' && value !== 'missing' && !names.includes(`${column}=${value}`);
      x[i * names.length + j] =
        level === undefined
          ? value === 'missing'
            ? mean
            : (value as number)
          : value === level || isOther
            ? 1
            : 0;
    }
  }
  const { levels: _, ...rest } = table;
  return { ...rest, features: names, x };
}

describe('train on a messy table', () => {
  test.each(['mtl', 'local', 'global', 'mocha', 'fedavg'] as const)(
    'is to the bit the training on features made by hand: %s',
    (method) => {
      const table = messyTable({ rows: 40 });
      const raw = train(table, { ...OPTIONS, method, rounds: 20 });
      const [age] = raw.model.encoding!.columns;
      const made = train(byHand(table, raw.model.features, (age as { mean: number }).mean), {
        ...OPTIONS,
        method,
        rounds: 20,
      });
      expect(raw.model.w).toEqual(made.model.w);
      expect(raw.model.personal).toEqual(made.model.personal);
      expect(raw.mean).toEqual(made.mean);
    },
  );

  test('says what it made of which column', () => {
    const { columns, model } = train(messyTable(), OPTIONS);
    expect(columns).toEqual([
      expect.stringMatching(/^column age: [\d.]+% missing, mean of all plus an indicator \(age=missing\)$/),
      expect.stringMatching(/^column color: \d levels as one-hot, .*[\d.]+% missing as a level of its own$/),
      'column site: 2 levels as one-hot',
    ]);
    expect(model.features).toEqual(featureNames(model.encoding!));
    expect(train(smallHar(), { rounds: 3 })).not.toHaveProperty('columns');
    expect(train(smallHar(), { rounds: 3 }).model).not.toHaveProperty('encoding');
  });

  test('learns from training rows alone: test rows change nothing', () => {
    const table = messyTable({ rows: 40 });
    const { model } = train(table, OPTIONS);
    const d = table.features.length;
    const x = table.x.slice();
    const trained = train(table, OPTIONS);
    // Ages of test rows that nobody would believe.
    const { participants } = trained;
    expect(participants.every(({ testRows }) => testRows > 0)).toBe(true);
    const isTest = testRowsOf(table);
    for (let i = 0; i < table.n; i++) if (isTest(i)) x[i * d] = 1e6;
    expect(train({ ...table, x }, OPTIONS).model.encoding).toEqual(model.encoding);
  });

  test('the model is the same after it was written and read, and predicts, evaluates and personalises from raw rows', () => {
    const table = messyTable();
    const { model } = train(table, OPTIONS);
    const again = modelFromJson(modelToJson(model), 'model.json');
    expect(again.encoding).toEqual(model.encoding);
    expect(predict(again, table)).toEqual(predict(model, table));
    expect(evaluate(again, table)).toEqual(evaluate(model, table));
    expect(personalise(again, table).participants).toEqual(personalise(model, table).participants);
    const own = rowsOfParticipant(table, 'p1')!;
    const d = own.features.length;
    const rows = Array.from({ length: own.n }, (_, i) =>
      own.features.map((_, j) => {
        const value = own.x[i * d + j];
        return Number.isNaN(value) ? null : (own.levels?.[j]?.[value] ?? value);
      }),
    );
    expect(predict(again, rows, 'p1').map(({ decision }) => decision)).toEqual(
      predict(model, own).map(({ decision }) => decision),
    );
  });

  test('columns are found by name, in any order', () => {
    const table = messyTable();
    const { model } = train(table, OPTIONS);
    const order = [3, 1, 0, 2];
    const d = order.length;
    const turned = {
      ...table,
      features: order.map((j) => table.features[j]),
      levels: order.map((j) => table.levels![j]),
      x: table.x.map((_, at) => table.x[at - (at % d) + order[at % d]]),
    };
    expect(predict(model, turned)).toEqual(predict(model, table));
  });

  test('a gap at prediction, where training had none, counts as the mean of the training rows', () => {
    const table = smallHar();
    const { model } = train(table, { rounds: 5 });
    const gap = { ...table, x: table.x.with(3, Number.NaN) };
    const mean = { ...table, x: table.x.with(3, model.scaling.shift[3]) };
    expect(predict(model, gap)).toEqual(predict(model, mean));
    const unscaled = train(table, { rounds: 5, scale: 'none' }).model;
    expect(() => predict(unscaled, gap)).toThrow(/row 1, column "x4": .* the value is missing; .* no mean/);
  });

  test('is explained by its features, and refused where only columns of numbers can be exported', () => {
    const table = messyTable();
    const { model } = train(table, OPTIONS);
    const { contributions } = explainRow(model, table, 1);
    expect(contributions.map(({ feature }) => feature).sort()).toEqual([...model.features].sort());
    expect(() => checkLinear(model, 'export')).toThrow(/"encoding"/);
  });

  test('tune searches on the same features and its choice trains', () => {
    const table = messyTable({ rows: 30 });
    const { chosen } = tune(table, {
      rare: 3,
      grid: { c1: [1, 10], c2: [1], scale: ['standard'] },
      folds: 3,
    });
    expect(train(table, chosen).model.encoding!.columns).toHaveLength(4);
  });
});

describe('weights of rows', () => {
  test('equal weights are no weights, whatever their size', () => {
    const table = messyTable({ rows: 30 });
    const weighted = { ...table, weights: new Float64Array(table.n).fill(7) };
    expect(train(weighted, OPTIONS).model.w).toEqual(train(table, OPTIONS).model.w);
  });

  test('a weight of 2 is a row that is there twice, a weight of 0 one that is not there', () => {
    const once = weightedTable({ rows: 25, seed: 5 });
    const { weights, ...bare } = once;
    const places = [...weights!.keys()].flatMap((i) => Array.from({ length: weights![i] }, () => i));
    const d = once.features.length;
    const often: Table = {
      ...bare,
      n: places.length,
      x: Float64Array.from(places.flatMap((i) => [...once.x.subarray(i * d, (i + 1) * d)])),
      participantOf: Uint32Array.from(places, (i) => once.participantOf[i]),
      targets: places.map((i) => once.targets![i]),
    };
    const options = { c2: 1, scale: 'none', testFraction: 0, gap: 1e-9, rounds: 3000, rare: 1 } as const;
    // C1 for each participant by itself: a mean weight of 1 is its own unit.
    const own = rowsOfParticipant(once, 'p0')!;
    const repeated = rowsOfParticipant(often, 'p0')!;
    const trained = own.weights!.filter((weight) => weight > 0).length;
    const a = train(withoutGaps(own), { ...options, c1: 0.1 * (repeated.n / trained) });
    const b = train(withoutGaps(repeated), { ...options, c1: 0.1 });
    expect(a.certificate!.primal).toBeCloseTo(b.certificate!.primal, 5);
  });

  test('with balanced classes both classes weigh the same', () => {
    const { certificate } = train(weightedTable(), { ...OPTIONS, classWeight: 'balanced' });
    expect(certificate!.relativeGap).toBeLessThan(1e-4);
  });
});

/** Gaps filled with a number, so that means do not depend on how often a row is there. */
function withoutGaps(table: Table): Table {
  return { ...table, x: table.x.map((value) => (Number.isNaN(value) ? 0 : value)) };
}

function testRowsOf(table: Table): (i: number) => boolean {
  const rows = new Set(prepare(table, resolveOptions(OPTIONS, table)).split.test);
  return (i) => rows.has(i);
}
