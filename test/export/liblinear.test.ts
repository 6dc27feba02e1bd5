/** LIBLINEAR text models, used by `liblinear-predict` (Debian: liblinear-tools) on raw rows and compared with `predict`. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { classNames } from '../../src/data/labels.ts';
import type { Table } from '../../src/data/table.ts';
import { exportModel } from '../../src/export/export-model.ts';
import { parseLinear } from '../../src/export/read-linear.ts';
import { predict } from '../../src/methods/predict.ts';
import { rawHeads } from '../../src/solver/linear-model.ts';
import { type Model, modelFor } from '../../src/solver/model.ts';
import { programPath } from '../helpers/programs.ts';
import { everyKind, expectClose, randomModel, randomRows, servedAs } from './models.ts';

const folder = mkdtempSync(join(tmpdir(), 'kindred-liblinear-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const liblinear = programPath('liblinear-predict');

function libsvmText({ n, x, features: { length: d } }: Table): string {
  const row = (i: number) =>
    [0, ...Array.from({ length: d }, (_, j) => `${j + 1}:${x[i * d + j]}`)].join(' ');
  return Array.from({ length: n }, (_, i) => `${row(i)}\n`).join('');
}

/** What the program prints for each row: a label, or a number. */
function predictedBy(files: ReturnType<typeof exportModel>, table: Table): string[] {
  for (const { suffix, bytes } of files) writeFileSync(join(folder, `model${suffix}`), bytes);
  writeFileSync(join(folder, 'rows'), libsvmText(table));
  const names = ['rows', 'model', 'out'].map((name) => join(folder, name));
  const { status, stderr } = spawnSync(liblinear!, names, { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return readFileSync(names[2], 'utf8').trim().split('\n');
}

const textOf = (files: ReturnType<typeof exportModel>, suffix: string) =>
  new TextDecoder().decode(files.find((file) => file.suffix === suffix)!.bytes);

describe.each([...everyKind()])('$kind, scaling $scale, bias $bias', (wanted) => {
  const model = randomModel(wanted);
  const rows = servedAs(randomRows(200 + wanted.seed, 60), 'Ada');
  const files = exportModel(model, 'liblinear', { participant: 'Ada' });

  test.skipIf(!liblinear)('liblinear-predict gives the same prediction for every row', () => {
    const expected = predict(model, rows);
    const got = predictedBy(files, rows);
    expect(got.length).toBe(rows.n);
    if (!model.classes) {
      for (const [i, { decision }] of expected.entries()) expectClose(Number(got[i]), decision);
      return;
    }
    const names = textOf(files, '.labels').trimEnd().split('\n');
    expect(names).toEqual(classNames(model.classes));
    expect(got.map((label) => names[Number(label) - 1])).toEqual(
      expected.map(({ prediction }) => prediction),
    );
    expect(new Set(got).size).toBeGreaterThanOrEqual(2);
  });

  test('reading the file gives the same weights to the bit, under the same names', () => {
    const names = model.classes && textOf(files, '.labels').trimEnd().split('\n');
    const read = parseLinear(textOf(files, ''), 'a.model', names);
    expect(read.heads).toEqual(rawHeads(model, modelFor(model, 'Ada')));
    expect(read.classes).toEqual(model.classes && classNames(model.classes));
  });
});

test.skipIf(!liblinear)('classes that are whole numbers keep them as labels', () => {
  const wanted = { scale: 'standard', bias: true, seed: 9 } as const;
  const two: Model = {
    ...randomModel({ kind: 'two classes', ...wanted }),
    classes: { positive: '1', negative: '-1' },
  };
  const many: Model = {
    ...randomModel({ kind: 'many classes', ...wanted }),
    classes: { labels: ['-2', '0', '7', '12'] },
  };
  for (const model of [two, many]) {
    const files = exportModel(model, 'liblinear', 'shared');
    expect(files.map(({ suffix }) => suffix)).toEqual(['']);
    const rows = servedAs(randomRows(33, 60), 'newcomer');
    expect(predictedBy(files, rows)).toEqual(predict(model, rows).map(({ prediction }) => prediction));
  }
});

test('several models do not fit into one file', () => {
  const model = randomModel({ kind: 'two classes', scale: 'none', bias: true, seed: 1 });
  expect(() => exportModel(model, 'liblinear')).toThrow(/one model, got 5; choose --participant/);
});
