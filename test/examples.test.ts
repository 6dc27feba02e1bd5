/** The examples as a reader would run them: real processes, through the package's own exports. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { optionsLike, TestServer } from './helpers/test-server.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'kindred-examples-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function node(...argv: string[]): { code: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { cwd: root, encoding: 'utf8' });
  return { code: status, stdout, stderr };
}

beforeAll(() => {
  const { code, stdout, stderr } = node('scripts/ensure-built.mjs');
  expect(code, stdout + stderr).toBe(0);
}, 120_000);

/** "  mtl   4.6%  9.0%" -> [4.6, 9]: the numbers of the line that starts with a word. */
function numbersAfter(word: string, text: string): number[] {
  const line = text.split('\n').find((candidate) => candidate.trim().startsWith(word));
  expect(line, `a line that starts with ${word}`).toBeDefined();
  return [
    ...line!
      .trim()
      .slice(word.length)
      .matchAll(/-?\d+(?:\.\d+)?/g),
  ].map(([digits]) => Number(digits));
}

test('every example has a test here', () => {
  const names = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.mjs'));
  expect(names.sort()).toEqual(['classification.mjs', 'join.mjs', 'regression.mjs', 'serve.mjs']);
});

test('classification: mtl errs least, a newcomer is served, and the model file works', () => {
  const file = join(folder, 'model.json');
  const { code, stdout, stderr } = node('examples/classification.mjs', file);
  expect([code, stderr]).toEqual([0, '']);
  const [mtl, local, globally] = ['mtl', 'local', 'global'].map((name) => numbersAfter(name, stdout)[0]);
  expect(mtl).toBeLessThan(Math.min(local, globally));
  expect(stdout).toContain('"stressed" is the positive class (+1), "calm" the negative one (-1)');
  expect(numbersAfter('Mia is new and labelled nothing: error', stdout)[0]).toBeLessThan(20);
  expect(stdout).toContain('saved and read back: the same decisions');
  expect(JSON.parse(readFileSync(file, 'utf8')).format).toBe('kindred-model');
});

test('regression: mtl explains most, and five days of its own help a new house', () => {
  const { code, stdout, stderr } = node('examples/regression.mjs');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/best of 20 by 5-fold rmse: C1 = [\d.]+, C2 = [\d.]+/);
  const [mtl, local, globally] = ['mtl', 'local', 'global'].map((name) => numbersAfter(name, stdout)[0]);
  expect(mtl).toBeGreaterThan(Math.max(local, globally));
  const [before, after] = ['w alone', 'after 5 days'].map((name) => numbersAfter(name, stdout).at(-1)!);
  expect(after).toBeLessThan(before);
  expect(stdout).toMatch(/house 1 on a day of -5 degrees: [\d.]+ kWh/);
});

test('join: takes part in a federation, and predicts', async () => {
  const server = await TestServer.start(optionsLike({ gap: 1e-3 }));
  const child = spawn(process.execPath, ['examples/join.mjs', server.url, join(folder, 'room')], {
    cwd: root,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  const code = await new Promise((resolve) => child.on('close', resolve));
  await server.close();
  expect(code, output).toBe(0);
  expect(output).toMatch(/^round 1: \d+ passes$/m);
  expect(output).toMatch(/^ended after \d+ rounds: gap; errors on 15 rows kept aside: 0$/m);
  expect(output).toContain('somebody is in the room');
});

test('serve: a coordinator runs inside a service until it is stopped', async () => {
  const child = spawn(process.execPath, ['examples/serve.mjs', join(folder, 'embedded.db')], { cwd: root });
  let stdout = '';
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
    if (stdout.endsWith('connected\n')) child.kill('SIGINT');
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^coordinator at http:\/\/127\.0\.0\.1:\d+\n/);
  expect(stdout).toContain('federation "default": gathering, 0 connected\nstopped\n');
});
