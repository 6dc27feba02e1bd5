import { describe, expect, test } from 'vitest';
import { readUciHar, UCI_HAR_FILES, uciHarFiles, verifyUciHar } from '../../src/data/uci-har.ts';
import { bytesOf, refused } from './helpers.ts';

const shape = { trainRows: 3, testRows: 2, features: 4 };

const texts: Record<string, string> = {
  'features.txt': '1 tBodyAcc-mean()-X\n2 bands()-1,8\n3 bands()-1,8\n4 angle(X,g)\n',
  'activity_labels.txt': '1 WALKING\n2 UP\n3 DOWN\n4 SITTING\n5 STANDING\n6 LAYING\n',
  'train/X_train.txt':
    '  2.8858451e-001 -2.0294171e-002 -1.3290514e-001 -9.9527860e-001\n  1 2 3 4\r\n  5 6 7 8\n',
  'train/y_train.txt': '5\n4\n1\n',
  'train/subject_train.txt': '10\n10\n2\n',
  'test/X_test.txt': ' -1 -2 -3 -4\n -5 -6 -7 -8.000000000000000000\n',
  'test/y_test.txt': '4\n6\n',
  'test/subject_test.txt': '2\n10\n',
};

function folder(changes: Record<string, string | undefined> = {}): Record<string, Uint8Array> {
  const files: Record<string, Uint8Array> = {};
  for (const [path, text] of Object.entries({ ...texts, ...changes })) {
    if (text !== undefined) files[path] = bytesOf(text);
  }
  return files;
}

describe('readUciHar', () => {
  test('joins train and test, with 1 for sitting and -1 for the rest', () => {
    const table = readUciHar(folder(), 'har', { shape });
    expect(table.n).toBe(5);
    expect(table.participants).toEqual(['2', '10']);
    expect([...table.participantOf]).toEqual([1, 1, 0, 0, 1]);
    expect(table.targets).toEqual(['-1', '1', '-1', '1', '-1']);
    expect([...table.x.subarray(0, 4)]).toEqual([0.28858451, -0.020294171, -0.13290514, -0.9952786]);
    expect([...table.x.subarray(16)]).toEqual([-5, -6, -7, -8]);
  });

  test('tells features of the same name apart', () => {
    const names = ['tBodyAcc-mean()-X', 'bands()-1,8 #2', 'bands()-1,8 #3', 'angle(X,g)'];
    expect(readUciHar(folder(), 'har', { shape }).features).toEqual(names);
  });

  test('gives the activity where asked', () => {
    const table = readUciHar(folder(), 'har', { shape, target: 'activity' });
    expect(table.targets).toEqual(['5', '4', '1', '4', '6']);
  });

  test('lists the files as published', () => {
    expect(UCI_HAR_FILES).toContainEqual({ path: 'train/X_train.txt', rows: 7352, columns: 561 });
    expect(UCI_HAR_FILES).toContainEqual({ path: 'test/subject_test.txt', rows: 2947, columns: 1 });
    expect(UCI_HAR_FILES.map(({ path }) => path).sort()).toEqual(Object.keys(texts).sort());
    expect(uciHarFiles(shape)).toHaveLength(8);
  });

  test.each<[string, Record<string, string | undefined>, string, string[]]>([
    [
      'missing files, all at once',
      { 'test/y_test.txt': undefined, 'features.txt': undefined },
      'UCI_HAR_MISSING_FILE',
      ['features.txt, test/y_test.txt'],
    ],
    [
      'a short file',
      { 'train/y_train.txt': '5\n4\n' },
      'UCI_HAR_ROWS',
      ['har/train/y_train.txt', 'expected 3', 'got 2'],
    ],
    [
      'a line with too few values',
      { 'test/X_test.txt': ' 1 2 3 4\n 1 2 3\n' },
      'UCI_HAR_COLUMNS',
      ['har/test/X_test.txt line 2', 'expected 4', 'got 3'],
    ],
    [
      'an unknown activity',
      { 'test/y_test.txt': '4\n7\n' },
      'UCI_HAR_ACTIVITY',
      ['y_test.txt line 2', '"7"'],
    ],
    [
      'text among the values',
      { 'test/X_test.txt': ' 1 2 3 4\n 1 x 3 4\n' },
      'NOT_A_NUMBER',
      ['line 2, value 2', '"x"'],
    ],
  ])('refuses %s', async (_, changes, code, words) => {
    await refused(() => readUciHar(folder(changes), 'har', { shape }), code, ...words);
  });

  test('verifies a folder without reading its numbers', () => {
    expect(() => verifyUciHar(folder(), 'har', shape)).not.toThrow();
  });
});
