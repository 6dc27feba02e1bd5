import { describe, expect, test } from 'vitest';
import { makeHarLike } from '../../src/data/generate-har.ts';
import { makeRegression } from '../../src/data/generate-regression.ts';
import { describeTable } from '../../src/methods/describe.ts';
import { isUneven } from '../../src/methods/target-summary.ts';
import { tableOf } from '../data/helpers.ts';

/** 40 rows of two people with two alternating classes and three unsuspicious features. */
interface Data {
  readonly rows: number[][];
  readonly ids: string[];
  readonly targets: string[];
}

function plain(): Data {
  const rows = Array.from({ length: 40 }, (_, i) => [Math.sin(i), Math.cos(3 * i), Math.sin(7 * i)]);
  const ids = rows.map((_, i) => (i < 25 ? 'a' : 'b'));
  const targets = rows.map((_, i) => (i % 2 === 0 ? '1' : '-1'));
  return { rows, ids, targets };
}

/** Adds a fourth feature. */
function withFeature(value: (row: number[], i: number, target: string) => number) {
  return ({ rows, targets }: Data) => {
    for (const [i, row] of rows.entries()) row.push(value(row, i, targets[i]));
  };
}

function suspicious(change: (data: Data) => void, options = {}): string[] {
  const data = plain();
  change(data);
  const { suspicious } = describeTable(tableOf(data.ids, data.targets, data.rows), options);
  return [...suspicious];
}

describe('describeTable', () => {
  test('summarises participants and classes', () => {
    const { rows, ids, targets } = plain();
    const description = describeTable(tableOf(ids, targets, rows));
    expect(description).toEqual({
      source: 'test',
      rows: 40,
      columns: [],
      features: 3,
      participants: {
        count: 2,
        rowsMin: 15,
        rowsMedian: 20,
        rowsMax: 25,
        smallest: [
          { id: 'b', rows: 15 },
          { id: 'a', rows: 25 },
        ],
      },
      target: {
        kind: 'classes',
        distinct: 2,
        classes: [
          { value: '-1', rows: 20, share: 0.5 },
          { value: '1', rows: 20, share: 0.5 },
        ],
        byParticipant: [
          { id: 'a', rows: [12, 13] },
          { id: 'b', rows: [8, 7] },
        ],
      },
      suspicious: [],
    });
    expect(JSON.parse(JSON.stringify(description))).toEqual(description);
  });

  test('summarises numbers', () => {
    const table = makeRegression({ tasks: 3, rows: 20, features: 5 });
    const { target, suspicious } = describeTable(table, { objective: 'regression' });
    const numbers = table.targets!.map(Number);
    expect(target).toMatchObject({ kind: 'numbers', distinct: 60, min: Math.min(...numbers) });
    expect(suspicious).toEqual([]);
  });

  test('describes a table without targets', () => {
    const { rows, ids } = plain();
    const description = describeTable({ ...tableOf(ids, [], rows), targets: undefined });
    expect('target' in description).toBe(false);
  });

  test('finds nothing wrong with the embedded data, but that one activity of six is rare', () => {
    const { suspicious } = describeTable(makeHarLike({ participants: 4 }));
    expect(suspicious).toEqual([expect.stringMatching(/^Classes are uneven: "1" has 1\d\.\d%/)]);
  });
});

describe('describeTable suspects', () => {
  test('uneven classes: of two below a quarter, of six below a twelfth', () => {
    const found = suspicious(({ targets }) => targets.fill('-1', 9));
    expect(found).toContainEqual(expect.stringMatching(/uneven: "1" has 12\.5%.*--class-weight balanced/));
    expect([
      isUneven([0.24, 0.76]),
      isUneven([0.25, 0.75]),
      isUneven([1]),
      isUneven([1, 1, 1, 1, 1, 1].map((part) => part / 6)),
      isUneven([0.08, 0.184, 0.184, 0.184, 0.184, 0.184]),
    ]).toEqual([true, false, false, false, true]);
  });

  test.each([
    [305_000, 66_000, [/far from 0 \(mean 3\.05e\+5|far from 0 \(mean 305000/]],
    [0, 500, [/unusual spread/]],
    [0, 0.02, [/unusual spread/, /default epsilon of 0\.1.*--epsilon/]],
    [0.5, 1, []],
  ] as const)('regression targets around %d with a spread of %d: %j', (centre, spread, sentences) => {
    const found = suspicious(
      ({ targets }) => {
        for (const i of targets.keys()) targets[i] = String(centre + spread * Math.sqrt(2) * Math.sin(5 * i));
      },
      { objective: 'regression' },
    );
    expect(found).toEqual(sentences.map((sentence) => expect.stringMatching(sentence)));
  });

  test('constant features', () => {
    const found = suspicious(withFeature(() => 0.1));
    expect(found).toEqual(['1 feature is constant: x4']);
  });

  test('repeated features', () => {
    const found = suspicious(withFeature((row) => row[1]));
    expect(found).toEqual(['1 feature repeats another one exactly: x4 = x2']);
  });

  test('features of very different scale', () => {
    const found = suspicious(withFeature((_, i) => 1e6 * Math.cos(i)));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain('x4');
    expect(found[0]).toContain('scale');
  });

  test('participants with one class only, and with few rows', () => {
    const found = suspicious(({ ids }) => ids.splice(38, 2, 'c', 'd'));
    expect(found).toEqual([
      '2 participants have fewer than 10 rows: c, d',
      '2 participants have rows of one class only: c, d',
    ]);
  });

  test('a participant column that counts rows', () => {
    const found = suspicious(({ ids }) => ids.splice(0, 40, ...ids.map((_, i) => `${i}`)));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain('row number');
  });

  test('repeated rows', () => {
    const found = suspicious(({ rows }) => rows.splice(2, 3, rows[0], rows[1], rows[0]));
    expect(found).toEqual(['3 rows repeat an earlier row of the same participant exactly']);
  });

  test('a feature that equals the target, or tells the classes apart by itself', () => {
    const leak = suspicious(withFeature((_row, _i, target) => Number(target)));
    expect(leak).toEqual(['1 feature equals the target in every row: x4']);
    const coded = suspicious(withFeature((_, i, target) => (target === '1' ? 5 : 2) + Math.sin(i) / 2));
    expect(coded).toHaveLength(1);
    expect(coded[0]).toContain('leak: x4');
    // As the activity number does in UCI HAR: 2 is one class, 1 and 3 are the other.
    const activity = suspicious(withFeature((_, i, target) => (target === '1' ? 2 : i % 3 === 0 ? 1 : 3)));
    expect(activity).toHaveLength(1);
    expect(activity[0]).toContain('leak: x4');
  });

  test('a single class', () => {
    expect(suspicious(({ targets }) => targets.fill('1'))).toEqual(['All rows have the same target']);
  });

  test('a classification whose target looks like a measurement', () => {
    const change = ({ targets }: Data) => {
      for (const i of targets.keys()) targets[i] = String(i / 8);
    };
    const found = (options: object) =>
      suspicious(change, options).filter((sentence) => sentence.includes('looks like a regression'));
    expect(found({ objective: 'classification' })).toHaveLength(1);
    expect(suspicious(change, { objective: 'regression' })).toEqual([]);
    // Without a word about it they are numbers already.
    expect(found({})).toEqual([]);
  });
});
