/** A linear model of any format as the w to start from: in the space of the training, by name, and with fewer rounds. */
import { describe, expect, test } from 'vitest';
import { makeHarLike } from '../../src/data/generate-har.ts';
import { makeRegression } from '../../src/data/generate-regression.ts';
import { type ClassMapping, classNames } from '../../src/data/labels.ts';
import { rowsByParticipant } from '../../src/data/participants.ts';
import type { Table } from '../../src/data/table.ts';
import { exportModel } from '../../src/export/export-model.ts';
import { parseLinear } from '../../src/export/read-linear.ts';
import { modelToJson } from '../../src/methods/model.ts';
import { startingW } from '../../src/methods/start.ts';
import { train } from '../../src/methods/train.ts';
import type { TrainOptions } from '../../src/settings/training.ts';
import type { LinearModel } from '../../src/solver/linear-model.ts';
import type { Model } from '../../src/solver/model.ts';
import { rowsOf } from '../cli/helpers.ts';
import { everyKind, expectClose, randomModel } from './models.ts';

const har = makeHarLike({ participants: 6, rowsPerParticipant: 80, features: 30, seed: 3 });
const regression = makeRegression({ tasks: 6, rows: 60, features: 8, heterogeneity: 'diverse' });

/** Three classes that two features tell apart. */
const three: Table = {
  ...har,
  targets: har.targets!.map((_, i) => (har.x[i * 30] > 0.4 ? 'high' : har.x[i * 30 + 1] > 0 ? 'mid' : 'low')),
};

function files(model: Model): LinearModel[] {
  const text = (format: 'csv' | 'liblinear') =>
    new TextDecoder().decode(exportModel(model, format, 'shared')[0].bytes);
  return [
    parseLinear(modelToJson(model), 'model.json'),
    parseLinear(text('csv'), 'coef.csv'),
    // Numbers stand for classes that have other names.
    parseLinear(text('liblinear'), 'liblinear.model', model.classes && classNames(model.classes)),
  ];
}

/** The first half of everybody's rows. */
function halfOf(table: Table): Table {
  const all = Uint32Array.from({ length: table.n }, (_, i) => i);
  const rows = rowsByParticipant(table, all).flatMap((own) => [...own.subarray(0, own.length / 2)]);
  return rowsOf(table, Uint32Array.from(rows));
}

test.each([...everyKind()])(
  'raw weights and scaled ones are one model: $kind, $scale, bias $bias',
  (wanted) => {
    const model = randomModel(wanted);
    const back = startingW(parseLinear(modelToJson(model), 'm'), model);
    const columns = model.features.length + (model.bias ? 1 : 0);
    for (const [at, value] of back.entries()) {
      const feature = at % columns;
      // A feature without variance has no part in any decision.
      const isConstant = model.scaling.factor[feature] === 0;
      expectClose(value, isConstant ? 0 : model.w[at]);
    }
  },
);

describe.each<[string, Table, TrainOptions]>([
  ['two classes', har, { c1: 10 }],
  ['regression', regression, { objective: 'regression' }],
  ['three classes', three, { c1: 10 }],
  ['two classes, center', har, { c1: 10, scale: 'center' }],
])('%s', (_, table, options) => {
  test('the first round is as good as the start, and a good start takes fewer rounds', () => {
    const cold = train(table, options);
    const half = train(halfOf(table), { ...options, testFraction: 0 });
    for (const start of files(cold.model)) {
      const warm = train(table, options, { start });
      expect(warm.rounds, start.source).toBeLessThan(cold.rounds);
      expect(warm.certificate!.relativeGap).toBeLessThanOrEqual(1e-3);
      expect(warm.history[0].primal).toBeLessThan(1.05 * cold.certificate!.primal);
    }
    for (const start of files(half.model)) {
      const warm = train(table, options, { start });
      expect(warm.history[0].primal).toBeLessThan(cold.history[0].primal);
    }
  });
});

const head = (...coef: number[]) => ({ coef: Float64Array.from(coef), intercept: 0.5 });
const plain = { mode: 'none', shift: Float64Array.of(0, 0), factor: Float64Array.of(1, 1) } as const;

function started(start: Partial<LinearModel>, classes: ClassMapping | undefined): number[] {
  const linear = {
    source: 's',
    objective: undefined,
    features: undefined,
    classes: undefined,
    heads: [head(1, 2)],
    ...start,
  };
  const space = { features: ['a', 'b'], classes, bias: true, scaling: plain, target: undefined };
  return [...startingW(linear, space)];
}

describe('classes and features are found by name', () => {
  const two = { positive: 'yes', negative: 'no' };
  const three = { labels: ['a', 'b', 'c'] };
  const heads = [head(1, 2), head(3, 4), head(5, 6)];

  test('of two classes the sign follows the names', () => {
    expect(started({ classes: ['no', 'yes'] }, two)).toEqual([1, 2, 0.5]);
    expect(started({ classes: ['yes', 'no'] }, two)).toEqual([-1, -2, -0.5]);
    expect(started({}, two)).toEqual([1, 2, 0.5]);
    expect(started({ classes: ['not yes', 'yes'] }, { positive: 'yes', negative: undefined })).toEqual([
      1, 2, 0.5,
    ]);
    expect(started({ classes: ['-1', '1'] }, { positive: '1.0', negative: '-1.0' })).toEqual([1, 2, 0.5]);
  });

  test('of many classes each head is found, a new class starts at 0, and one of them may be against the rest', () => {
    const classes = ['c', 'x', 'a'];
    expect(started({ classes, heads }, three)).toEqual([5, 6, 0.5, 0, 0, 0, 1, 2, 0.5]);
    expect(started({ classes, heads }, { positive: 'x', negative: undefined })).toEqual([3, 4, 0.5]);
  });

  test('what cannot be meant is refused', () => {
    expect(() => started({ classes: ['0', '1'] }, two)).toThrow(
      /the classes "no", "yes" to start from, got one of "0", "1"/,
    );
    expect(() => started({ objective: 'classification', classes: ['0', '1'] }, undefined)).toThrow(
      /a regression to start from/,
    );
    expect(() => started({}, three)).toThrow(/a single decision without names/);
    expect(() => started({ heads: [head(1)] }, two)).toThrow(/2 features as in the data, got 1/);
    expect(() => started({ features: ['u', 'v'] }, two)).toThrow(/"a", "b"\), got none of them but "u", "v"/);
  });

  test('features that the start does not know start at 0, and a note says so', () => {
    expect(started({ features: ['b', 'z'] }, two)).toEqual([0, 1, 0.5]);
    const [start] = files(train(har).model);
    const fewer = { ...start, features: [...start.features!.slice(0, -1), 'other'] };
    expect(train(har, {}, { start: fewer }).notes.at(-1)).toBe(
      'started from model.json: 29 of 30 features found by name, the others start at 0; 1 of its features are not in the data',
    );
  });

  test('only mtl by answers starts from a w', () => {
    const [start] = files(train(har).model);
    for (const options of [{ method: 'local' }, { aggregation: 'safe' }] as const)
      expect(() => train(har, options, { start })).toThrow(/--method mtl with --aggregation answers/);
  });
});

describe('files that are no linear model', () => {
  test.each([
    ['hello', /begins with "hello"/],
    ['solver_type L2R_LR\nnr_class 2\nlabel 1 -1\n', /expected a line "w"/],
    ['solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature x\nw\n1\n', /behind nr_feature, got "x"/],
    ['solver_type L2R_LR\nnr_class 2\nlabel 1\nnr_feature 1\nbias 1\nw\n1\n2\n', /two labels or more, got 1/],
    [
      'solver_type L2R_LR\nnr_class 2\nlabel 1 2\nnr_feature 2\nbias 1\nw\n1\n2\n',
      /3 x 1 numbers behind w, got 2/,
    ],
    ['solver_type L2R_LR\nnr_class 2\nlabel 1 2\nnr_feature 2\nbias -1\nw\n1\nnan\n', /numbers behind w/],
    ['participant,intercept\nAda,1\n', /expected columns of features/],
    ['participant,a\nAda,1\n', /a line without a participant/],
    ['intercept,a\n1,tall\n', /line 2: weights as CSV: expected a number in column "a", got "tall"/],
    ['intercept,a\n1,2,3\n', /expected 2 fields, got 3/],
    ['intercept,a\n1,2\n1,3\n', /2 lines of different classes, got no column "class"/],
    ['{"format":"other"}', /kindred-model/],
  ])('%j', (text, message) => {
    expect(() => parseLinear(text, 'file')).toThrow(message);
  });
});
