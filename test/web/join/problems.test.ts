import { describe, expect, test } from 'vitest';
import { problemOf } from '../../../src/web/join/problems.ts';

describe('problems in words', () => {
  test.each([
    ['invitation: it has been used; ask the operator for another', 'It has been used'],
    ['invitation: it has expired; ask the operator for another', 'It has expired'],
    ['invitation: it is for another participant; ask the operator for another', 'somebody of another name'],
    [
      'invitation: expected one of this federation; ask the operator for another',
      'not one of this federation',
    ],
  ])('%s', (message, words) => {
    const problem = problemOf('INVITATION_INVALID', `http://host: ${message}`);
    expect(problem.text).toContain(words);
    expect(problem.text).toContain('new link');
    expect(problem.details).toContain(message);
  });

  test('other columns: says which, and offers another file', () => {
    const message = 'http://10.0.0.1:7070: participant "ada": expected column 2 to be "b", got "c"';
    const problem = problemOf('WRONG_FEATURES', message);
    expect(problem.text).toContain('Expected column 2 to be "b", got "c".');
    expect(problem.text).not.toContain('http');
    expect(problem.remedies).toEqual(['data']);
  });

  test('another version: reload', () => {
    expect(problemOf('WRONG_PROTOCOL', 'x').remedies).toEqual(['reload']);
  });

  test('an unknown code keeps the words of the library, without options of the command line', () => {
    const problem = problemOf('SOMETHING', 'http://h: no room; give --state');
    expect(problem).toMatchObject({ code: 'SOMETHING', text: 'No room.', remedies: ['retry'] });
    expect(problemOf(undefined, 'broken').code).toBe('UNKNOWN');
  });
});
