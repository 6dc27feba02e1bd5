import { describe, expect, test } from 'vitest';
import {
  applyMapping,
  classificationTargets,
  classNames,
  headsOf,
  headTargets,
  regressionTargets,
} from '../../src/data/labels.ts';
import { naturallySorted } from '../../src/data/participants.ts';
import { refused } from './helpers.ts';

function labelled(...targets: string[]) {
  return { source: 'a.csv', targets, lines: Uint32Array.from(targets, (_, i) => i + 2) };
}

describe('classificationTargets', () => {
  test('makes the larger of two numbers the positive class, by value and not by text', () => {
    const { y, classes, note } = classificationTargets(labelled('10', '9', '9.0', '+10', '1e1'));
    expect([...y]).toEqual([1, -1, -1, 1, 1]);
    expect(classes).toEqual({ positive: '10', negative: '9' });
    expect(note).toBe('"10" is the positive class (+1), "9" the negative one (-1)');
  });

  test('takes 1, 1.0 and +1 for one class, and -0 for 0', () => {
    expect([...classificationTargets(labelled('1', '-1', '1.0', '+1')).y]).toEqual([1, -1, 1, 1]);
    expect([...classificationTargets(labelled('-0', '1', '0')).y]).toEqual([-1, 1, -1]);
  });

  test('orders two texts as text', () => {
    expect(classificationTargets(labelled('yes', 'no')).classes).toEqual({ positive: 'yes', negative: 'no' });
  });

  test('takes the positive class that is asked for', () => {
    const two = classificationTargets(labelled('a', 'b', 'a'), { positive: 'a' });
    expect([...two.y]).toEqual([1, -1, 1]);
    expect(two.classes).toEqual({ positive: 'a', negative: 'b' });
    const many = classificationTargets(labelled('4', '5', '6', '4.0'), { positive: '4' });
    expect([...many.y]).toEqual([1, -1, -1, 1]);
    expect(many.classes).toEqual({ positive: '4', negative: undefined });
    expect(many.note).toContain('everything else');
  });

  test('numbers more than two classes in natural order, and gives each a head against all others', () => {
    const { y, classes, note } = classificationTargets(labelled('10', '9', 'a', '9.0'));
    expect(classes).toEqual({ labels: ['9', '10', 'a'] });
    expect([...y]).toEqual([1, 0, 2, 0]);
    expect(note).toBe('3 classes, one head for each: "9", "10", "a"');
    expect([...headTargets(y, headsOf(classes))]).toEqual([-1, 1, -1, 1, 1, -1, -1, -1, -1, -1, 1, -1]);
    expect(classNames(classes)).toEqual(['9', '10', 'a']);
    expect([...applyMapping(labelled('a', '9'), classes)]).toEqual([2, 0]);
  });

  test('refuses what has no answer', async () => {
    const three = labelled('b', 'a', 'c');
    const many = labelled(...Array.from({ length: 30 }, (_, i) => `${i}.5`));
    await refused(() => classificationTargets(many), 'TOO_MANY_CLASSES', '"7.5" and 22 more', 'regression');
    const names = labelled(...Array.from({ length: 101 }, (_, i) => `name ${i}`));
    await refused(() => classificationTargets(names), 'TOO_MANY_CLASSES', 'at most 100 classes', '--label');
    await refused(() => classificationTargets(labelled('1', '1.0')), 'ONE_CLASS', 'a.csv', '"1"');
    const positive = { positive: 'd' };
    await refused(() => classificationTargets(three, positive), 'UNKNOWN_POSITIVE', '"a", "b", "c"', '"d"');
    const none = { source: 'a.csv', targets: undefined, lines: undefined };
    await refused(() => classificationTargets(none), 'NO_TARGETS', 'a.csv');
  });
});

describe('applyMapping', () => {
  test('maps targets of another table by a known mapping, even where only one class is left', () => {
    const mapping = { positive: '1', negative: '-1' };
    expect([...applyMapping(labelled('1.0', '1'), mapping)]).toEqual([1, 1]);
  });

  test('refuses an unknown label, unless it is one against the rest', async () => {
    const act = () => applyMapping(labelled('1', '2'), { positive: '1', negative: '-1' });
    await refused(act, 'UNKNOWN_CLASS', 'a.csv line 3', '"1" or "-1"', '"2"');
    expect([...applyMapping(labelled('1', '2'), { positive: '1', negative: undefined })]).toEqual([1, -1]);
  });
});

describe('regressionTargets', () => {
  test('gives numbers', () => {
    expect([...regressionTargets(labelled('1.5', '-2e3'))]).toEqual([1.5, -2000]);
  });

  test.each(['abc', '', 'NaN', '1e99', 'Infinity'])('refuses %j with its line', async (text) => {
    await refused(() => regressionTargets(labelled('1', text)), 'TARGET_NOT_A_NUMBER', 'a.csv line 3');
  });
});

test('natural order puts numbers by value before text by code units', () => {
  const sorted = ['-1', '1', '1.0', '9', '10', 'B', 'a', 'p10', 'p9', 'é'];
  expect(naturallySorted([...sorted].reverse())).toEqual(sorted);
});
