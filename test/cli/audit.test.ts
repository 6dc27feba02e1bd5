import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AuditResult } from '../../src/audit/audit.ts';
import { makeHarLike } from '../../src/data/generate-har.ts';
import { csvOf, run, Sandbox } from './helpers.ts';

const sandbox = new Sandbox();

test('audit: what leaks, under every protection, as a table, as JSON and as figures', async () => {
  const table = makeHarLike({ participants: 5, rowsPerParticipant: 30, features: 6, seed: 3 });
  const data = sandbox.write('people.csv', csvOf(table));
  const out = sandbox.path('leaks');
  const { code, stdout, stderr } = await run(['audit', data, '--json', '--out', out]);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  const { attacks, results } = JSON.parse(stdout) as { attacks: string; results: AuditResult[] };
  expect(attacks).toBe('quick');
  const [{ modes }] = results;
  expect(modes.every(({ leak }) => leak.equations === undefined)).toBe(true);
  const leakOf = (name: string) => modes.find(({ mode }) => mode === name)!.leak;
  expect(leakOf('none').personal.cosine).toBeGreaterThan(0.999);
  expect(leakOf('bernoulli, consistent').personal.cosine).toBeGreaterThan(0.999);
  expect(leakOf('bernoulli, paper').personal.cosine).toBeLessThan(0.999);
  expect(leakOf('secure aggregation').personal.relativeError).toBeGreaterThan(0.5);
  expect(leakOf('secure aggregation').rows.recovered).toBe(0);
  expect(readdirSync(out).sort()).toEqual(['audit-membership.svg', 'audit-recovered.svg', 'audit.json']);
  expect(readFileSync(join(out, 'audit-membership.svg'), 'utf8')).toContain('false alarms');
  const text = await run(['audit', data, '--participants', '3']);
  expect(text.stdout).toContain('bernoulli, paper');
  expect(text.stdout).toContain('--full');
});

test('audit: data that cannot be audited are refused', async () => {
  const data = sandbox.write('three.csv', 'task,y,a\np,1,2\np,2,3\nq,3,4\n');
  const { code, stderr } = await run(['audit', data]);
  expect(code).toBe(2);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});
