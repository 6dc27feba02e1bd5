import { expect, test } from 'vitest';
import { plainMessage } from '../../../src/web/shared/plain-message.ts';

test.each([
  [
    'a.csv line 1: expected a target column "y", got columns "a", "b"; name it with --label <column>',
    'a.csv line 1: expected a target column "y", got columns "a", "b"',
  ],
  [
    'a.csv line 3, column "age": expected a number, got "x"; --drop age leaves the column out, --categorical age takes its values as categories',
    'a.csv line 3, column "age": expected a number, got "x"',
  ],
  [
    'a.csv line 1: cannot drop "y" (--drop), it is the target column (--label)',
    'a.csv line 1: cannot drop "y", it is the target column',
  ],
  [
    'a.csv line 2: expected the target "a --b" or "c", got "--x, y"',
    'a.csv line 2: expected the target "a --b" or "c", got "--x, y"',
  ],
  [
    'a.csv: unpacks to more than the allowed 4 GiB; raise --max-bytes',
    'a.csv: unpacks to more than the allowed 4 GiB',
  ],
  ['a.csv: expected CSV text, got an empty file', 'a.csv: expected CSV text, got an empty file'],
])('%s', (message, plain) => {
  expect(plainMessage(message)).toBe(plain);
});
