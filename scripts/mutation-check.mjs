// Do the fault schedules find bugs? Plants one deliberate bug at a time in a copy of the sources, runs the schedules on it (or the
// test that is meant to find it), and expects a failure. Prints the table of docs/testing.md.
//   node scripts/mutation-check.mjs [schedules]
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MUTATIONS, SCHEDULES } from './mutations.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const schedules = process.argv[2] ?? '2000';

const folder = mkdtempSync(join(tmpdir(), 'kindred-mutation-'));
for (const name of ['src', 'test', 'package.json', 'tsconfig.json', 'vitest.config.ts']) {
  cpSync(join(root, name), join(folder, name), { recursive: true });
}
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));

console.log('| bug | found after | by |\n| --- | --- | --- |');
let missed = 0;
try {
  for (const { bug, file, from, to, by = SCHEDULES } of MUTATIONS) {
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8');
    if (!text.includes(from)) throw new Error(`${file} no longer has: ${from}`);
    writeFileSync(path, text.replace(from, to));
    const run = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', by], {
      cwd: folder,
      env: { ...process.env, KINDRED_SCHEDULES: schedules, NO_COLOR: '1' },
      encoding: 'utf8',
    });
    writeFileSync(path, text);
    const output = run.stdout + run.stderr;
    const found = /Property failed after (\d+) tests\s+\{ seed: (-?\d+), path: "([^"]+)"/.exec(output);
    const cause = /Caused by: (.*)/.exec(output)?.[1] ?? /\w*Error: (.*)/.exec(output)?.[1] ?? '';
    const failed = run.status !== 0 && /Tests .*\d+ failed/.test(output);
    if (!failed) missed++;
    const after = found ? `${found[1]} schedules (seed ${found[2]}, path ${found[3]})` : `at once (${by})`;
    console.log(`| ${bug} | ${failed ? after : 'NOT FOUND'} | ${cause.slice(0, 90)} |`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = missed === 0 ? 0 : 1;
