/** What is wrong with a scenario, in one sentence: file, field, what was expected, what is there. */
import type { z } from 'zod';
import { inputError, type KindredError } from '../base/errors.ts';

export function scenarioError(source: string, field: string, expected: string, got: unknown): KindredError {
  const where = field === '' ? source : `${source}: ${field}`;
  return inputError('BAD_SCENARIO', `${where}: expected ${expected}, got ${shown(got)}`);
}

/** The first issue only: the others are often its consequences. */
export function errorFromIssues(source: string, given: unknown, error: z.ZodError): KindredError {
  const [issue] = error.issues;
  if (issue.code === 'unrecognized_keys') {
    const field = fieldName([...issue.path, issue.keys[0]]);
    return inputError('BAD_SCENARIO', `${source}: ${field}: there is no such field`);
  }
  return scenarioError(source, fieldName(issue.path), expectation(issue), valueAt(given, issue.path));
}

function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'int' ? 'a whole number' : `${article(issue.expected)} ${issue.expected}`;
    case 'too_small':
      if (issue.origin === 'array' || issue.origin === 'string') return 'something, not nothing';
      return `${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`;
    case 'too_big':
      return `${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}`;
    case 'invalid_value':
      return `one of ${issue.values.map(String).join(', ')}`;
    default:
      // Unions and refinements carry their own words.
      return issue.message;
  }
}

function article(noun: string): string {
  return /^[aeiou]/.test(noun) ? 'an' : 'a';
}

function fieldName(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, key) => {
    if (typeof key === 'number') return `${name}[${key}]`;
    return name === '' ? String(key) : `${name}.${String(key)}`;
  }, '');
}

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  let value = given;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return value;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

const LONGEST = 60;

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 3)}...` : text;
}
