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
  expect(() => tableFrom([{ id: 'a', x: [1, Number.POSITIVE_INFINITY], y: [1] }])).toThrow(
    /"a" row 1, feature 2.*got Infinity/,
  );
});

test('rows without targets are rows to predict; their number follows from the names of the features', () => {
  const table = tableFrom([{ id: 'a', x: [1, 2, 3, 4] }], { features: ['f', 'g'] });
  expect([table.n, table.targets]).toEqual([2, undefined]);
  expect(() => tableFrom([{ id: 'a', x: [1, 2] }])).toThrow(/"a".*names of the features/);
  expect(() => tableFrom([{ id: 'a', x: [1, 2, 3] }], { features: ['f', 'g'] })).toThrow(/got 3 values/);
  expect(() => tableFrom([{ id: 'a', x: [], y: [] }])).toThrow(/at least one row/);
  const some = [
    { id: 'a', x: [1], y: [1] },
    { id: 'b', x: [2] },
  ];
  expect(() => tableFrom(some)).toThrow(/"b".*or targets/);
});
