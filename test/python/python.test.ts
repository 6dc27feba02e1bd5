/** clients/python/kindred.py and its example, with the python3 that is here: its own tests, which start real servers. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { programPath } from '../helpers/programs.ts';

const ROOT = join(import.meta.dirname, '../..');
const python3 = programPath('python3');

beforeAll(() => {
  expect(run(process.execPath, 'scripts/ensure-built.mjs').status).toBe(0);
}, 120_000);

function run(command: string, ...words: string[]) {
  // The program of this repository, not one that is installed.
  const KINDRED = `${process.execPath} ${join(ROOT, 'bin/kindred.js')}`;
  const env = { ...process.env, KINDRED, PYTHONDONTWRITEBYTECODE: '1' };
  return spawnSync(command, words, { cwd: ROOT, env, encoding: 'utf8', timeout: 170_000 });
}

test.runIf(python3)('the tests of kindred.py pass, and nothing stays open', { timeout: 180_000 }, () => {
  const words = ['-W', 'error::ResourceWarning', '-m', 'unittest', 'discover', '-s', 'clients/python'];
  const { status, stderr } = run(python3!, ...words);
  expect(status, stderr).toBe(0);
  expect(Number(/^Ran (\d+) tests/m.exec(stderr)?.[1])).toBeGreaterThanOrEqual(17);
});

test.runIf(python3)('the example trains, predicts and personalises', { timeout: 180_000 }, () => {
  const { status, stdout, stderr } = run(python3!, 'examples/python/first_federation.py');
  expect(status, stdout + stderr).toBe(0);
  const error = (model: string) => Number(new RegExp(`^${model} +\\d+ +([\\d.]+)$`, 'm').exec(stdout)?.[1]);
  expect(error('with 30 labelled rows')).toBeLessThan(error('shared part') / 2);
});

test('needs nothing but the standard library', () => {
  const text = readFileSync(join(ROOT, 'clients/python/kindred.py'), 'utf8');
  const imported = [...text.matchAll(/^(?:import|from) ([a-z_]+)/gm)].map(([, name]) => name);
  expect(new Set(imported)).toEqual(
    new Set([
      ...['__future__', 'contextlib', 'ipaddress', 'json', 'os', 're', 'shutil', 'ssl', 'subprocess'],
      ...['tempfile', 'threading', 'time', 'urllib', 'pathlib', 'typing'],
    ]),
  );
});

test('docs/python.md names every code that only Python has', () => {
  const text = readFileSync(join(ROOT, 'clients/python/kindred.py'), 'utf8');
  const page = readFileSync(join(ROOT, 'docs/python.md'), 'utf8');
  const errors = readFileSync(join(ROOT, 'docs/errors.md'), 'utf8');
  const codes = [...text.matchAll(/"([A-Z]+(?:_[A-Z]+)*)"/g)].map(([, code]) => code);
  const own = [...new Set(codes)].filter(
    (code) => !['GET', 'POST', 'DELETE', 'KINDRED', 'KINDRED_OPERATOR_TOKEN'].includes(code),
  );
  expect(own.length).toBeGreaterThan(8);
  for (const code of own) expect(page + errors, code).toContain(`\`${code}\``);
});
