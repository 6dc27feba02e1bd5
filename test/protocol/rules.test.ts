/** PROTOCOL.md and the tests hold together: every rule is cited by a test that checks it, and every citation is of a rule. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const TESTS = join(import.meta.dirname, '..');
const TEXT = readFileSync(join(TESTS, '../src/protocol/PROTOCOL.md'), 'utf8');

const rules = [...TEXT.matchAll(/^- \*\*([A-Z]+-\d+)\*\* /gm)].map(([, id]) => id);

/** By id, the files with a title that cites it. Only titles count: what a comment says is not checked. */
const cited = new Map<string, string[]>();
for (const name of readdirSync(TESTS, { recursive: true }).map(String)) {
  if (!name.endsWith('.test.ts')) continue;
  const text = readFileSync(join(TESTS, name), 'utf8');
  for (const [, ids] of text.matchAll(/['`]((?:\[[A-Z]+-\d+\] ?)+)[^\n]*/g))
    for (const [id] of ids.matchAll(/[A-Z]+-\d+/g)) cited.set(id, [...(cited.get(id) ?? []), name]);
}

describe('PROTOCOL.md', () => {
  test('every rule has an id of its own', () => {
    expect(rules.length).toBeGreaterThan(100);
    expect(rules.filter((id, i) => rules.indexOf(id) !== i)).toEqual([]);
  });

  test('every rule is cited in the title of at least one test', () => {
    expect(rules.filter((id) => !cited.has(id))).toEqual([]);
  });

  test('every id that a title cites is that of a rule', () => {
    expect([...cited].filter(([id]) => !rules.includes(id))).toEqual([]);
  });

  test('ids that its text refers to are those of rules', () => {
    const known = new Set(rules);
    const mentioned = [
      ...TEXT.matchAll(
        /\b((?:FRAME|TYPE|SETTINGS|RETRY|SESSION|JOIN|SCALE|ROUND|ANSWER|ACCEPT|EDITION|DP|LEAVE|REST|SECURE|ADMIT|REJECT|LIMIT|SIZE|VERSION)-\d+)\b/g,
      ),
    ];
    expect(mentioned.map(([, id]) => id).filter((id) => !known.has(id))).toEqual([]);
  });
});
