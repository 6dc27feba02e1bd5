/** Kinds of settings: what they accept, what they say where they do not, and that JSON goes there and back. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KindredError } from '../../src/base/errors.ts';
import type { Kind } from '../../src/settings/kind.ts';
import {
  accepted,
  choice,
  either,
  list,
  milliseconds,
  number,
  orEndless,
  record,
  text,
  toggle,
  whole,
} from '../../src/settings/kinds.ts';
import { object, partial, readSettings, variants } from '../../src/settings/objects.ts';
import { flagOf, OPTIONS } from '../../src/settings/refused.ts';

const FILE = { code: 'BAD', name: 'a.json' };

function refusal(kind: Kind<unknown, unknown>, given: unknown, source = FILE): string {
  try {
    readSettings(kind, given, source);
  } catch (error) {
    expect(error).toBeInstanceOf(KindredError);
    return `${(error as Error).message} [${(error as KindredError).code}]`;
  }
  throw new Error('expected a refusal');
}

const shape = variants('kind', {
  round: { radius: number({ above: 0 }).default(1) },
  square: { side: number({ above: 0 }) },
});
const everything = object({
  share: number({ min: 0, below: 1 }).default(0.5),
  count: whole(1, 10),
  waitMs: orEndless(milliseconds()).default(Infinity),
  on: toggle().optional(),
  name: text('a name', 5).optional(),
  colour: choice('red', 'blue').default('red'),
  sizes: list(whole(1), 'a list of sizes', { most: 3 }).default([]),
  byName: record(whole(1), 'sizes by name').optional(),
  rows: either(whole(1), record(whole(1), 'one for each')).optional(),
  shape: shape
    .short<'round'>((given) => (given === 'round' ? { kind: given } : given), {
      schema: { type: 'string' },
    })
    .optional(),
  inner: object({ deep: whole(0).default(3) }).optional(),
});

describe('what is refused is said in one sentence', () => {
  test.each<[unknown, string]>([
    [3, 'a.json: expected an object, got 3'],
    [[], 'a.json: expected an object, got []'],
    [{}, 'a.json: count: expected a whole number from 1 to 10, got nothing'],
    [{ count: 11 }, 'a.json: count: expected a whole number from 1 to 10, got 11'],
    [{ count: 1, other: 2 }, 'a.json: other: there is no such field'],
    [{ count: 1, share: 1 }, 'a.json: share: expected a number of at least 0 and below 1, got 1'],
    [{ count: 1, share: Number.NaN }, 'a.json: share: expected a number of at least 0 and below 1, got NaN'],
    [
      { count: 1, waitMs: -1 },
      'a.json: waitMs: expected a number of milliseconds above 0 and at most 2147483647, or null for no limit, got -1',
    ],
    [{ count: 1, on: 'yes' }, 'a.json: on: expected true or false, got "yes"'],
    [{ count: 1, name: 'too long' }, 'a.json: name: expected a name, got "too long"'],
    [{ count: 1, colour: 'green' }, 'a.json: colour: expected one of red, blue, got "green"'],
    [{ count: 1, sizes: [1, 0] }, 'a.json: sizes[1]: expected a whole number of at least 1, got 0'],
    [{ count: 1, sizes: [1, 2, 3, 4] }, 'a.json: sizes: expected a list of sizes, got [1,2,3,4]'],
    [{ count: 1, byName: { a: 0 } }, 'a.json: byName.a: expected a whole number of at least 1, got 0'],
    [
      { count: 1, rows: 'all' },
      'a.json: rows: expected a whole number of at least 1, or one for each, got "all"',
    ],
    [{ count: 1, rows: { a: 0 } }, 'a.json: rows.a: expected a whole number of at least 1, got 0'],
    [{ count: 1, shape: { kind: 'oval' } }, 'a.json: shape.kind: expected one of round, square, got "oval"'],
    [{ count: 1, shape: { kind: 'square' } }, 'a.json: shape.side: expected a number above 0, got nothing'],
    [{ count: 1, shape: 7 }, 'a.json: shape: expected an object whose kind is one of round, square, got 7'],
    [{ count: 1, inner: { deep: -1 } }, 'a.json: inner.deep: expected a whole number of at least 0, got -1'],
  ])('%j', (given, sentence) => {
    expect(refusal(everything, given)).toBe(`${sentence} [BAD]`);
  });

  test('of options, by their flags', () => {
    expect(refusal(everything, { count: 'many' }, OPTIONS)).toBe(
      'option --count: expected a whole number from 1 to 10, got many [BAD_OPTION]',
    );
    expect(refusal(everything, { count: '' }, OPTIONS)).toContain('got ""');
    expect(refusal(everything, { conut: 1 }, OPTIONS)).toBe(
      'option "conut": there is no such option [UNKNOWN_OPTION]',
    );
    expect(['c1', 'testFraction', 'maxWaitMs'].map(flagOf)).toEqual([
      '--c1',
      '--test-fraction',
      '--max-wait',
    ]);
  });
});

test('what is missing has its default, is absent, or is refused where nothing is left to a default', () => {
  expect(readSettings(everything, { count: 1 }, FILE)).toEqual({
    share: 0.5,
    count: 1,
    waitMs: Infinity,
    colour: 'red',
    sizes: [],
  });
  expect(readSettings(object(partial({ share: number().default(1) })), {}, FILE)).toEqual({});
  expect(() => everything.read({ count: 1 }, { path: [], missing: 'refused' })).toThrow();
  expect(accepted(everything, { count: 1, shape: 'round' })?.shape).toEqual({ kind: 'round', radius: 1 });
  expect(accepted(everything, { count: 0 })).toBeUndefined();
});

test('names that mean something to JavaScript are names', () => {
  const given = JSON.parse('{"__proto__": 3, "constructor": 4}');
  const read = readSettings(record(whole(1), 'sizes'), given, FILE);
  expect(Object.entries(read)).toEqual([
    ['__proto__', 3],
    ['constructor', 4],
  ]);
  expect(refusal(everything, JSON.parse('{"count": 1, "__proto__": {"share": 7}}'))).toContain('__proto__');
  expect(refusal(everything, JSON.parse('{"__proto__": {"count": 1}}'))).toContain('__proto__');
});

test('what was read comes back from its JSON', () => {
  const size = fc.integer({ min: 1, max: 10 });
  const given = fc.record(
    {
      share: fc.double({ min: 0, max: 0.99, noNaN: true }).map((value) => value + 0),
      count: size,
      waitMs: fc.option(size),
      on: fc.boolean(),
      name: fc.string({ minLength: 1, maxLength: 5 }),
      colour: fc.constantFrom('red', 'blue'),
      sizes: fc.array(size, { maxLength: 3 }),
      byName: fc.dictionary(fc.string(), size),
      rows: fc.oneof(size, fc.dictionary(fc.string(), size)),
      shape: fc.oneof(
        fc.constant('round'),
        fc.record({ kind: fc.constant('round'), radius: size }),
        fc.record({ kind: fc.constant('square'), side: size }),
      ),
      inner: fc.record({ deep: size }, { requiredKeys: [] }),
    },
    { requiredKeys: ['count'] },
  );
  fc.assert(
    fc.property(given, (written) => {
      const value = readSettings(everything, written, FILE);
      const json = JSON.parse(JSON.stringify(everything.toJson(value)));
      expect(readSettings(everything, json, FILE)).toEqual(value);
      // Complete: nothing is left to a default.
      expect(everything.read(json, { path: [], missing: 'refused' })).toEqual(value);
    }),
  );
});
