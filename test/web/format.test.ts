import { describe, expect, test } from 'vitest';
import { elapsedText, powersOfTen } from '../../src/web/shared/chart-ticks.ts';
import {
  ago,
  bytes,
  counted,
  decimal,
  duration,
  percent,
  scientific,
  UNKNOWN,
} from '../../src/web/shared/format.ts';
import { sparkPath } from '../../src/web/shared/spark-path.ts';
import { rowsInView, scrollFor } from '../../src/web/shared/window.ts';

describe('numbers as people read them', () => {
  test.each([
    [0, '0'],
    [0.25, '0.25'],
    [0.123456, '0.123'],
    [-12.345, '-12.3'],
    [1e-5, '1e-5'],
    [1.234e-7, '1.23e-7'],
    [2_345_678, '2.35e6'],
    [null, UNKNOWN],
    [Number.NaN, UNKNOWN],
  ])('decimal %s is %s', (value, text) => expect(decimal(value)).toBe(text));

  test.each([
    [1e-4, '1e-4'],
    [0.000123, '1.2e-4'],
    [0, '0'],
    [12, '1.2e1'],
  ])('scientific %s is %s', (value, text) => expect(scientific(value)).toBe(text));

  test.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.00 kB'],
    [12_345, '12.3 kB'],
    [999_600, '1.00 MB'],
    [123_456_789, '123 MB'],
    [undefined, UNKNOWN],
  ])('%s bytes are %s', (n, text) => expect(bytes(n)).toBe(text));

  test.each([
    [0, '0 ms'],
    [1.25, '1.3 ms'],
    [740, '740 ms'],
    [999.7, '1.0 s'],
    [9960, '10 s'],
    [59_960, '1 min'],
    [200_000, '3 min 20 s'],
    [3_599_800, '1 h'],
    [7_500_000, '2 h 5 min'],
    [100 * 3_600_000, '4 d 4 h'],
    [-1500, '-1.5 s'],
  ])('%s ms are %s', (ms, text) => expect(duration(ms)).toBe(text));

  test.each([
    [100, 'now'],
    [12_900, '12 s ago'],
    [61_000, '1 min ago'],
    [7_200_000, '2 h ago'],
    [4 * 86_400_000, '4 d ago'],
  ])('%s ms ago is "%s"', (ms, text) => expect(ago(ms)).toBe(text));

  test('shares and counts', () => {
    expect(percent(0.97345)).toBe('97.3%');
    expect(percent(null)).toBe(UNKNOWN);
    expect(counted(1, 'answer')).toBe('1 answer');
    expect(counted(1234, 'answer')).toBe('1,234 answers');
  });
});

describe('marks of axes', () => {
  test('powers of ten, all that there is room for', () => {
    expect(powersOfTen(1e-4, 1, 10)).toEqual([1e-4, 1e-3, 1e-2, 1e-1, 1]);
    expect(powersOfTen(1e-9, 1, 5)).toEqual([1e-8, 1e-6, 1e-4, 1e-2, 1]);
    expect(powersOfTen(2e-3, 0.5, 5)).toEqual([1e-2, 1e-1]);
  });

  test('elapsed times', () => {
    expect([0, 0.05, 30, 60, 5400, 172_800].map(elapsedText)).toEqual([
      '0',
      '0.05 s',
      '30 s',
      '1 min',
      '1 h 30 min',
      '2 d',
    ]);
  });
});

describe('sparks', () => {
  test('fill their box, also on a log scale, and leave out what is unknown', () => {
    expect(sparkPath([1, null, 3], 'linear')).toBe('M0 28L100 2');
    expect(sparkPath([1, 0.1, 0.01, 0], 'log')).toBe('M0 2L50 15L100 28');
    expect(sparkPath([5, 5], 'linear')).toBe('M0 28L100 28');
    expect(sparkPath([1], 'linear')).toBe('');
  });
});

describe('rows in view', () => {
  test('are those that show, and a few beyond', () => {
    expect(rowsInView(1000, 36, 0, 360)).toEqual({ from: 0, to: 16 });
    expect(rowsInView(1000, 36, 3600, 360)).toEqual({ from: 94, to: 116 });
    expect(rowsInView(3, 36, 0, 360)).toEqual({ from: 0, to: 3 });
    // Fewer than were scrolled past.
    expect(rowsInView(3, 36, 36_000, 360)).toEqual({ from: 0, to: 3 });
  });

  test('scrolling goes no further than needed', () => {
    expect(scrollFor(5, 36, 0, 360)).toBeUndefined();
    expect(scrollFor(10, 36, 0, 360)).toBe(36);
    expect(scrollFor(2, 36, 360, 360)).toBe(72);
  });
});
