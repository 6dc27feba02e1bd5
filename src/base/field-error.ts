/** What is wrong with something that was given as JSON, in one sentence: source, field, what was expected, what is there. */
import type { z } from 'zod';
import { inputError, type KindredError } from './errors.ts';

/** Where it was given, and the code of everything that is wrong with it. */
export interface Given {
  readonly code: string;
  readonly source: string;
}

export function fieldError(
  { code, source }: Given,
  field: string,
  expected: string,
  got: unknown,
): KindredError {
  const where = field === '' ? source : `${source}: ${field}`;
  return inputError(code, `${where}: expected ${expected}, got ${shown(got)}`);
}

/** The first issue only: the others are often its consequences. */
export function errorFromIssues(given: Given, value: unknown, error: z.ZodError): KindredError {
  const issue = deepest(error.issues[0]);
  if (issue.code === 'unrecognized_keys') {
    const field = fieldName([...issue.path, issue.keys[0]]);
    return inputError(given.code, `${given.source}: ${field}: there is no such field`);
  }
  return fieldError(given, fieldName(issue.path), expectation(issue), valueAt(value, issue.path));
}

/** Where something may be one of several, what is wrong with the one that was meant: the one that goes furthest. */
function deepest(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue;
  const inner = issue.errors
    .flatMap(([first]) => (first ? [deepest(first)] : []))
    .filter(({ path, code }) => path.length > 0 || code === 'unrecognized_keys')
    .sort((a, b) => b.path.length - a.path.length);
  return inner.length === 0 ? issue : { ...inner[0], path: [...issue.path, ...inner[0].path] };
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
  const text = spelt(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 3)}...` : text;
}

/** JSON can be parsed at any depth, but not written. */
function spelt(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return 'something that is nested too deeply';
  }
}
