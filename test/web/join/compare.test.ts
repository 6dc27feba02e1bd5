/** The comparison that the page shows, against the library's own numbers for the same rows. */
import { describe, expect, test } from 'vitest';
import { makeHarLike } from '../../../src/data/generate-har.ts';
import { makeRegression } from '../../../src/data/generate-regression.ts';
import { rowsOfParticipant } from '../../../src/data/participants.ts';
import { writeCsv } from '../../../src/data/write-csv.ts';
import { predict } from '../../../src/methods/predict.ts';
import { train } from '../../../src/methods/train.ts';
import { guessChoices } from '../../../src/web/join/choices.ts';
import { compare, trainAlone } from '../../../src/web/join/compare.ts';
import { columnOfFeature } from '../../../src/web/join/feature-columns.ts';
import { type DataSource, readOwnRows } from '../../../src/web/join/read-rows.ts';
import { tryRow, valuesOf } from '../../../src/web/join/row-values.ts';
import { SPLIT } from '../../../src/web/join/test-rows.ts';

const everybody = makeHarLike({ participants: 4, rowsPerParticipant: 60, features: 20 });
const trained = train(everybody, { ...SPLIT });

function fileOf(text: string, choices = {}): DataSource {
  const guess = guessChoices({ names: text.split('\n')[0].split(','), rows: [] }, '');
  return { kind: 'file', file: new Blob([text]), name: 'mine.csv', choices: { ...guess, ...choices } };
}

/** Person 2 as the page reads it, from a file with the rows of all. */
async function person2() {
  const source = fileOf([...writeCsv(everybody)].join(''), { own: '2' });
  const { own, summary } = await readOwnRows(source, '2', 'classification');
  return {
    own,
    summary,
    model: { ...trained.model, personal: new Map([['2', trained.model.personal.get('2')!]]) },
  };
}

describe('own, shared and alone', () => {
  test('are those of the library on the same test rows', async () => {
    const { own, model } = await person2();
    const compared = compare(model, own);
    expect(compared.metric).toBe('balancedAccuracy');
    expect(compared.own).toBe(trained.participants[1].balancedAccuracy);
    const shared = train(everybody, { ...SPLIT });
    const onlyW = { ...shared.model, personal: new Map() };
    const mine = rowsOfParticipant(everybody, '2')!;
    const predictions = predict(onlyW, mine);
    const right = (label: string) => {
      const rows = [...own.split.test].filter((i) => mine.targets![i] === label);
      return rows.filter((i) => predictions[i].prediction === label).length / rows.length;
    };
    expect(compared.shared).toBeCloseTo((right('1') + right('-1')) / 2, 12);
    const local = train(everybody, { ...SPLIT, method: 'local' });
    const alone = trainAlone(own, model);
    // One person's own scaling in place of that of all: near, not equal.
    expect(alone).toMatchObject({ type: 'measured' });
    const onlyMine = train(mine, { ...SPLIT, method: 'local' });
    expect((alone as { value: number }).value).toBe(onlyMine.participants[0].balancedAccuracy);
    expect(local.participants[1].testRows).toBe(own.split.test.length);
  });

  test('of a regression in the units of the target', async () => {
    const table = makeRegression({ tasks: 3, rows: 40, features: 4 });
    const { model, participants } = train(table, { ...SPLIT, objective: 'regression' });
    const source = fileOf([...writeCsv(table)].join(''), { own: '3' });
    const { own, summary } = await readOwnRows(source, '3', 'regression');
    const mine = { ...model, personal: new Map([['3', model.personal.get('3')!]]) };
    expect(compare(mine, own).own).toBe(participants[2].rmse);
    expect(summary.target).toMatchObject({ kind: 'numbers' });
    expect(trainAlone(own, mine)).toMatchObject({ type: 'measured' });
  });

  test('rows of one class teach nobody alone, and the page says so', async () => {
    const rows = Array.from({ length: 12 }, (_, i) => `1,${i},${i * i}`).join('\n');
    const { own } = await readOwnRows(fileOf(`y,x1,x2\n${rows}\n`), 'ada', 'classification');
    const { model } = train(makeHarLike({ participants: 2, rowsPerParticipant: 30, features: 2 }));
    const alone = trainAlone(own, { ...model, personal: new Map([['ada', new Float64Array(3)]]) });
    expect(alone).toMatchObject({ type: 'impossible', why: expect.stringContaining('expected two classes') });
  });
});

describe('what the page says of rows', () => {
  test('how many, which columns, which classes, whose', async () => {
    const { summary } = await person2();
    expect(summary).toMatchObject({ source: 'mine.csv', testRows: Math.round(0.3 * summary.rows) });
    expect(summary.people.map(([id]) => id)).toEqual(['1', '2', '3', '4']);
    expect(summary.columns).toHaveLength(20);
    expect(summary.target).toMatchObject({
      kind: 'classes',
      classes: [
        ['-1', expect.any(Number)],
        ['1', expect.any(Number)],
      ],
    });
  });

  test('text and gaps', async () => {
    const { summary } = await readOwnRows(
      fileOf('colour,age,y\nred,1,a\nblue,,b\nred,3,a\n'),
      'ada',
      'classification',
    );
    expect(summary.columns).toEqual([
      { name: 'colour', kind: 'text', missing: 0, levels: 2 },
      { name: 'age', kind: 'numbers', missing: 1, levels: undefined },
    ]);
  });

  test('a demo person is the one of the generator', async () => {
    const { own } = await readOwnRows(
      { kind: 'demo', demo: { seed: 3, person: 2 } },
      'ada',
      'classification',
    );
    expect(own.table.x).toEqual(rowsOfParticipant(makeHarLike({ seed: 3, participants: 2 }), '2')!.x);
  });

  test('refuses a target that cannot be learnt, before anything is sent', async () => {
    const many = `y,x\n${Array.from({ length: 150 }, (_, i) => `v${i},${i}`).join('\n')}\n`;
    await expect(readOwnRows(fileOf(many), 'ada', 'classification')).rejects.toMatchObject({
      code: 'TOO_MANY_CLASSES',
    });
    await expect(readOwnRows(fileOf('y,x\na,1\n'), 'ada', 'regression')).rejects.toMatchObject({
      code: 'TARGET_NOT_A_NUMBER',
    });
    await expect(
      readOwnRows(fileOf('task,y,x\n1,a,1\n', { own: '9' }), 'ada', 'classification'),
    ).rejects.toMatchObject({
      code: 'UNKNOWN_TASK',
    });
  });
});

describe('a row to try', () => {
  test('is predicted as the library predicts it, and contributions add up to the decision', async () => {
    const { own, model } = await person2();
    const expected = predict(model, own.table);
    for (const i of [0, 7, 20]) {
      const tried = tryRow(model, own.table.features, valuesOf(own.table, i));
      expect(tried.own).toBe(expected[i].prediction);
      const { base, contributions, decision } = tried.explained!;
      const sum = contributions.reduce((total, { contribution }) => total + contribution, base);
      expect(sum).toBeCloseTo(decision, 10);
      expect(decision).toBeCloseTo(expected[i].decision, 12);
    }
  });

  test('text, gaps and categories that look like numbers', () => {
    const text = 'task,y,colour,floor,age\n';
    const rows = Array.from({ length: 30 }, (_, i) => ({
      colour: ['red', 'blue'][i % 2],
      floor: i % 3,
      age: i,
    }));
    const csv =
      text +
      rows
        .map(({ colour, floor, age }, i) => `a,${i % 2},${colour},${floor},${i === 4 ? '' : age}`)
        .join('\n');
    return readOwnRows(fileOf(csv), 'a', 'classification').then(({ own }) => {
      const { model } = train(own.table, { testFraction: 0, rare: 1 });
      const tried = tryRow(model, own.table.features, ['red', 1, null]);
      expect(tried.own).toBe('0');
      expect(tryRow(model, own.table.features, ['blue', 1, 3]).own).toBe('1');
      expect(tried.explained!.contributions.map(({ feature }) => feature)).toContain('colour=red');
      expect(columnOfFeature(model, 'colour=red')).toBe('colour');
      expect(columnOfFeature(model, 'age')).toBe('age');
    });
  });
});
