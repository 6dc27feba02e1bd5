import { expect, test } from 'vitest';
import { tableFrom } from '../../src/data/arrays.ts';

test('arrays of several participants become one table, participants in natural order', () => {
  const table = tableFrom(
    [
      { id: '10', x: [1, 2, 3, 4], y: [1, -1] },
      { id: '9', x: Float32Array.of(5, 6), y: ['1'] },
    ],
    { features: ['a', 'b'] },
  );
  expect(table.participants).toEqual(['9', '10']);
  expect([...table.participantOf]).toEqual([1, 1, 0]);
  expect([...table.x]).toEqual([1, 2, 3, 4, 5, 6]);
  expect(table.targets).toEqual(['1', '-1', '1']);
});

test('wrong shapes and values that are no numbers are refused with participant and place', () => {
  expect(() => tableFrom([])).toThrow(/at least one participant/);
  expect(() => tableFrom([{ id: 'a', x: [1, 2, 3], y: [1, -1] }])).toThrow(/participant "a".*got 3 values/);
  expect(() => tableFrom([{ id: 'a', x: [1, Number.NaN], y: [1] }])).toThrow(/"a" row 1, feature 2.*got NaN/);
});
