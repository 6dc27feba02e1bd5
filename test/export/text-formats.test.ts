/** Weights as CSV and as scikit-learn's attributes: anybody's arithmetic on raw rows gives the decisions of `predict`. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { classNames } from '../../src/data/labels.ts';
import { exportModel } from '../../src/export/export-model.ts';
import { parseLinear } from '../../src/export/read-linear.ts';
import { predict } from '../../src/methods/predict.ts';
import { rawHeads } from '../../src/solver/linear-model.ts';
import { programPath } from '../helpers/programs.ts';
import { everyKind, expectClose, PARTICIPANTS, randomModel, randomRows } from './models.ts';

const python = programPath('python3');
const docs = readFileSync(join(import.meta.dirname, '../../docs/export.md'), 'utf8');

const text = (...given: Parameters<typeof exportModel>) =>
  new TextDecoder().decode(exportModel(...given)[0].bytes);

/** The function of docs/export.md that needs nothing but Python. */
const RECIPE = /```python\n(def predict[\s\S]*?)```/.exec(docs)?.[1];

describe.each([...everyKind()])('$kind, scaling $scale, bias $bias', (wanted) => {
  const model = randomModel(wanted);
  const rows = randomRows(300 + wanted.seed, 40);

  test('the shared part of the CSV reads back to the bit, with the names of features and classes', () => {
    const csv = text(model, 'csv');
    const lines = csv.trimEnd().split('\n').length;
    const heads = model.classes && 'labels' in model.classes ? model.classes.labels.length : 1;
    expect(lines).toBe(1 + heads * (PARTICIPANTS.length + 1));
    const read = parseLinear(text(model, 'csv', 'shared'), 'w.csv');
    expect(read.features).toEqual(model.features);
    expect(read.classes).toEqual(model.classes && classNames(model.classes));
    expect(read.heads.map(({ coef, intercept }) => ({ coef, intercept }))).toEqual(rawHeads(model, model.w));
  });

  test.skipIf(!python)('the recipe in Python predicts the same', () => {
    const d = rows.features.length;
    const input = JSON.stringify({
      document: JSON.parse(text(model, 'sklearn')),
      rows: Array.from({ length: rows.n }, (_, i) => ({
        participant: rows.participants[rows.participantOf[i]],
        x: [...rows.x.subarray(i * d, (i + 1) * d)],
      })),
    });
    const program = `${RECIPE}
import json, sys
given = json.load(sys.stdin)
print(json.dumps([predict(given["document"], row["x"], row["participant"]) for row in given["rows"]]))
`;
    const { stdout, stderr } = spawnSync(python!, ['-c', program], { input, encoding: 'utf8' });
    expect(stderr).toBe('');
    const got = JSON.parse(stdout) as (string | number)[];
    for (const [i, { prediction }] of predict(model, rows).entries()) {
      if (typeof prediction === 'string') expect(got[i]).toBe(prediction);
      else expectClose(Number(got[i]), prediction);
    }
  });
});

test('classes that are numbers are numbers in scikit-learn', () => {
  const wanted = { kind: 'many classes', scale: 'none', bias: true, seed: 2 } as const;
  const model = { ...randomModel(wanted), classes: { labels: ['0', '1', '2.5', '10'] } };
  expect(JSON.parse(text(model, 'sklearn')).classes_).toEqual([0, 1, 2.5, 10]);
  expect(JSON.parse(text(randomModel(wanted), 'sklearn')).classes_[0]).toBe('lying');
});

test('names that a spreadsheet would run as formulas are written as text', () => {
  const csv = text(randomModel({ kind: 'many classes', scale: 'none', bias: true, seed: 2 }), 'csv');
  expect(csv).toContain(`"'=sum(A1), ""quoted"""`);
  expect(csv).toContain(`'=1+1`);
  expect(csv).toContain(`'+x`);
});

test('what a linear function cannot express is refused', () => {
  const model = {
    ...randomModel({ kind: 'regression', scale: 'none', bias: true, seed: 2 }),
    warp: { seed: 1 },
  };
  expect(() => exportModel(model, 'onnx')).toThrow(/"warp", which export cannot express/);
});

test('participants and shared parts that there are not are refused', () => {
  const model = randomModel({ kind: 'regression', scale: 'none', bias: true, seed: 2 });
  expect(() => exportModel(model, 'csv', { participant: 'Zoe' })).toThrow(
    /"Zoe" is not in the model, which has "7", "Ada"/,
  );
  const local = { ...model, method: 'local', servesNewcomers: false } as const;
  expect(() => exportModel(local, 'csv', 'shared')).toThrow(/method local has no shared part/);
  expect(text(local, 'csv').trimEnd().split('\n').length).toBe(1 + PARTICIPANTS.length);
});
