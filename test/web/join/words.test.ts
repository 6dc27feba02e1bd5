import { describe, expect, test } from 'vitest';
import { byColumn } from '../../../src/web/join/feature-columns.ts';
import { invitationIn } from '../../../src/web/join/link.ts';
import { withRound } from '../../../src/web/join/run.ts';
import { gainText } from '../../../src/web/join/scores.ts';
import { modelFileName } from '../../../src/web/join/words.ts';

describe('an invitation that somebody pastes', () => {
  const token = 'aB3-_'.repeat(8);

  test.each([`https://host/join/steps#invitation=${token}&name=ada`, `#invitation=${token}`, ` ${token}\n`])(
    '%s',
    (text) => expect(invitationIn(text)).toBe(token),
  );

  test.each(['', 'hello', 'https://host/join/steps', 'https://host/join/steps#name=ada'])(
    'not in "%s"',
    (text) => expect(invitationIn(text)).toBeUndefined(),
  );
});

test('files are called as people are, as far as files can be', () => {
  expect(modelFileName('ada')).toBe('ada.json');
  expect(modelFileName('Zoë B/../x')).toBe('Zoë-B-..-x.json');
  expect(modelFileName('../../etc')).toBe('etc.json');
  expect(modelFileName('💥')).toBe('model.json');
});

describe('the history of rounds', () => {
  const measured = (own: number) => ({ metric: 'balancedAccuracy', own, shared: undefined }) as const;

  test('grows, and a round that is measured again replaces itself and what was after it', () => {
    let history = withRound(undefined, 1, measured(0.5));
    history = withRound(history, 3, measured(0.7));
    expect(history).toEqual({
      metric: 'balancedAccuracy',
      rounds: [1, 3],
      own: [0.5, 0.7],
      shared: [null, null],
    });
    expect(withRound(history, 3, measured(0.8)).own).toEqual([0.5, 0.8]);
    expect(withRound(history, 1, measured(0.9)).rounds).toEqual([1]);
  });

  test('begins anew where something else is measured', () => {
    const history = withRound(undefined, 4, measured(0.5));
    expect(withRound(history, 5, { metric: 'rmse', own: 2, shared: 3 }).rounds).toEqual([5]);
  });
});

test('what was gained: percentage points, or a change of the error', () => {
  expect(gainText('balancedAccuracy', 0.955, 0.909)).toBe('+4.6');
  expect(gainText('balancedAccuracy', 0.9, 0.95)).toBe('−5.0');
  expect(gainText('balancedAccuracy', 0.9, 0.9)).toBe('0');
  expect(gainText('rmse', 1.5, 2)).toBe('−0.5');
  expect(gainText('rmse', null, 2)).toBe('–');
});

test('levels of a text column count together, the strongest column first', () => {
  const contributions = [
    { feature: 'age', contribution: -0.5 },
    { feature: 'colour=red', contribution: 0.4 },
    { feature: 'colour=blue', contribution: 0.3 },
  ];
  const encoding = { columns: ['colour', 'age'].map((name) => ({ name, code: { kind: 'number' } })) };
  expect([...byColumn({ encoding: encoding as never }, contributions)]).toEqual([
    ['colour', 0.7],
    ['age', -0.5],
  ]);
});
