import { describe, expect, test } from 'vitest';
import { guessChoices, nameFromFile } from '../../../src/web/join/choices.ts';

describe('what is likely about a file', () => {
  test('a column with a telling name is the target, another says whose row it is', () => {
    const preview = { names: ['task', 'y', 'x1'], rows: [['3', '1', '0.5']] };
    expect(guessChoices(preview, 'ada')).toEqual({
      label: 'y',
      task: 'task',
      own: undefined,
      drop: [],
      decimal: 'point',
      header: true,
    });
    expect(guessChoices(preview, '3').own).toBe('3');
  });

  test('without one it is the last column', () => {
    const { label, task } = guessChoices({ names: ['age', 'weight', 'ill'], rows: [] }, 'ada');
    expect([label, task]).toEqual(['ill', undefined]);
    expect(guessChoices({ names: ['Outcome', 'a'], rows: [] }, '').label).toBe('Outcome');
  });

  test('a header of numbers is a row, and columns are numbered', () => {
    const guess = guessChoices({ names: ['1', '2.5', '-3'], rows: [['1', '2', '3']] }, 'ada');
    expect(guess).toMatchObject({ header: false, label: 'c3' });
  });

  test('commas before decimals are noticed', () => {
    const rows = [
      ['1,5', '2,25', 'a'],
      ['', '3,0', 'b'],
    ];
    expect(guessChoices({ names: ['a', 'b', 'y'], rows }, '').decimal).toBe('comma');
    expect(guessChoices({ names: ['a', 'y'], rows: [['1.5', '2']] }, '').decimal).toBe('point');
  });
});

test('a name from that of the file', () => {
  expect(nameFromFile('mine.csv.gz')).toBe('mine');
  expect(nameFromFile('.hidden')).toBe('.hidden');
  expect(nameFromFile('noending')).toBe('noending');
});
