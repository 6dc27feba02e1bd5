import { describe, expect, test } from 'vitest';
import { type LibsvmOptions, readLibsvm } from '../../src/data/libsvm.ts';
import { bytesOf, refused } from './helpers.ts';

function read(text: string, ids: string, options: LibsvmOptions = {}) {
  return readLibsvm(bytesOf(text), 'a.libsvm', { bytes: bytesOf(ids), source: 'tasks.txt' }, options);
}

describe('readLibsvm', () => {
  test('fills absent features with 0, skips blank lines and comments', () => {
    const table = read(
      '# made by hand\n+1 1:0.5 3:-2 # a comment 9:9\r\n\n-1\n+1\t2:1e-3 \n',
      'b\na\r\nb\n\n',
    );
    expect(table.features).toEqual(['x1', 'x2', 'x3']);
    expect([...table.x]).toEqual([0.5, 0, -2, 0, 0, 0, 0, 0.001, 0]);
    expect(table.targets).toEqual(['+1', '-1', '+1']);
    expect(table.participants).toEqual(['a', 'b']);
    expect([...table.participantOf]).toEqual([1, 0, 1]);
    expect([...table.lines!]).toEqual([2, 4, 5]);
  });

  test('needs no ids where all rows are of one participant', () => {
    const table = readLibsvm(bytesOf('+1 1:5\n-1 2:6\n'), 'a.libsvm', undefined);
    expect(table.participants).toEqual(['']);
    expect([...table.participantOf]).toEqual([0, 0]);
  });

  test('takes the number of features from a model', async () => {
    expect(read('1 2:5\n', 'a\n', { features: 4 }).x).toEqual(Float64Array.of(0, 5, 0, 0));
    await refused(() => read('1 5:5\n', 'a\n', { features: 4 }), 'FEATURE_COUNT', 'at most 4', '5');
  });

  test.each<[string, string, string, string[]]>([
    ['index 0', '1 0:5\n', 'LIBSVM_PAIR', ['line 1', '"0:5"']],
    ['a fractional index', '1 1.5:5\n', 'LIBSVM_PAIR', ['"1.5:5"']],
    ['no colon', '1 1:5\n1 7\n', 'LIBSVM_PAIR', ['line 2', '"7"']],
    ['qid', '1 qid:3 1:2\n', 'LIBSVM_PAIR', ['"qid:3"']],
    ['descending indices', '1 2:5 1:3\n', 'LIBSVM_ORDER', ['1 after 2']],
    ['a repeated index', '1 2:5 2:3\n', 'LIBSVM_ORDER', ['2 after 2']],
    ['text as value', '1 1:abc\n', 'NOT_A_NUMBER', ['line 1, index 1', '"abc"']],
    ['no value', '1 1:\n', 'MISSING_VALUE', ['index 1']],
    ['NaN', '1 1:nan\n', 'MISSING_VALUE', ['index 1']],
    ['a huge value', '1 1:1e300\n', 'NUMBER_TOO_LARGE', ['1e300']],
    ['no label', '1:2 2:3\n', 'MISSING_TARGET', ['line 1', '"1:2"']],
    ['labels only', '1\n', 'NO_FEATURES', ['a.libsvm']],
    ['comments only', '# x\n', 'NO_ROWS', ['a.libsvm']],
    ['an empty file', '', 'EMPTY_FILE', ['a.libsvm']],
    ['too few ids', '1 1:1\n1 1:2\n1 1:3\n', 'TASK_COUNT', ['tasks.txt', 'expected 3', 'got 2']],
  ])('refuses %s', async (_, text, code, words) => {
    const ids = 'a\n'.repeat(Math.min(2, text.split('\n').length - 1) || 1);
    await refused(() => read(text, ids), code, ...words);
  });

  test('refuses an empty participant id', async () => {
    await refused(() => read('1 1:1\n1 1:2\n', '\nb\n'), 'MISSING_PARTICIPANT', 'tasks.txt line 1');
  });

  test('states what a dense table would need, before making it', async () => {
    const sentence = ['2 rows', '1,000,000,000 features', '14.90 GiB', '2.00 GiB', 'dense', '--max-bytes'];
    await refused(() => read('1 1:1\n1 1000000000:2\n', 'a\nb'), 'TABLE_TOO_LARGE', ...sentence);
    await refused(
      () => read('1 9:1\n', 'a', { memoryLimitBytes: 64 }),
      'TABLE_TOO_LARGE',
      '72 bytes',
      '64 bytes',
    );
    expect(read('1 8:1\n', 'a', { memoryLimitBytes: 64 }).n).toBe(1);
  });

  test('refuses a wide sparse file at once, and says what would fit', async () => {
    const line = `1 ${Array.from({ length: 100 }, (_, i) => `${1000 * i + 1000}:1`).join(' ')}\n`;
    const bytes = bytesOf(line.repeat(20_000));
    const before = process.memoryUsage().arrayBuffers;
    const started = performance.now();
    const words = ['20,000 rows with 100,000 features', '14.90 GiB', '0.10% of its values', '2,684 rows'];
    await refused(() => readLibsvm(bytes, 'wide.svm', undefined), 'TABLE_TOO_LARGE', ...words);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1e7);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
