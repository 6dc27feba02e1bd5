// Do the fault schedules find bugs? Plants one deliberate bug at a time in a copy of the sources, runs the schedules on it,
// and expects them to fail. Prints the table of docs/testing.md.
//   node scripts/mutation-check.mjs [schedules]
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const schedules = process.argv[2] ?? '2000';

const MUTATIONS = [
  {
    bug: 'a late update is aggregated',
    file: 'src/coordinator/rounds.ts',
    from: 'if (message.round < state.round || message.round <= member.barred) {',
    to: 'if (message.round <= member.barred) {',
  },
  {
    bug: 'the outcome is ignored: an accepted update is rolled back',
    file: 'src/participant/outcome.ts',
    from: 'if (accepted.round === round) {',
    to: 'if (accepted.round === round && round % 3 !== 0) {',
  },
  {
    bug: 'the participant stores its update after it has sent it',
    file: 'src/participant/machine.ts',
    from: ": [persist, { type: 'send', message: pending.message }];",
    to: ": [{ type: 'send', message: pending.message }, persist];",
  },
  {
    bug: 'the coordinator tells the outcome of a round before it is stored',
    file: 'src/coordinator/rounds.ts',
    from: "return [{ type: 'persist', changes: storedChanges(state, changed) }, ...announce(state, now)];",
    to: "const changes = storedChanges(state, changed);\n  return [...announce(state, now), { type: 'persist', changes }];",
  },
  {
    bug: 'an update is counted again in the next round',
    file: 'src/coordinator/rounds.ts',
    from: 'member.update = undefined;\n    member.answered = false;\n  }\n  return',
    to: 'member.answered = member.update !== undefined && state.round % 4 === 0;\n    if (!member.answered) member.update = undefined;\n  }\n  return',
  },
  {
    bug: 'the shared part of the first round is used for ever',
    file: 'src/participant/machine.ts',
    from: '    w: order.w,\n    committed,',
    to: '    w: new Float64Array(order.w.length),\n    committed,',
  },
  {
    bug: 'messages to an earlier life of the participant are believed',
    file: 'src/participant/machine.ts',
    from: "if ('session' in message && message.session !== 0 && message.session !== state.stored.session) return [];",
    to: '',
  },
];

const folder = mkdtempSync(join(tmpdir(), 'kindred-mutation-'));
for (const name of ['src', 'test', 'package.json', 'tsconfig.json', 'vitest.config.ts']) {
  cpSync(join(root, name), join(folder, name), { recursive: true });
}
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));

console.log('| bug | found after | by |\n| --- | --- | --- |');
let missed = 0;
try {
  for (const { bug, file, from, to } of MUTATIONS) {
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8');
    if (!text.includes(from)) throw new Error(`${file} no longer has: ${from}`);
    writeFileSync(path, text.replace(from, to));
    const run = spawnSync(
      process.execPath,
      ['node_modules/vitest/vitest.mjs', 'run', 'test/federation/faults.test.ts'],
      {
        cwd: folder,
        env: { ...process.env, KINDRED_SCHEDULES: schedules, NO_COLOR: '1' },
        encoding: 'utf8',
      },
    );
    writeFileSync(path, text);
    const found = /Property failed after (\d+) tests\s+\{ seed: (-?\d+), path: "([^"]+)"/.exec(
      run.stdout + run.stderr,
    );
    const cause = /Caused by: (.*)/.exec(run.stdout + run.stderr)?.[1] ?? '';
    if (!found) missed++;
    console.log(
      `| ${bug} | ${found ? `${found[1]} schedules (seed ${found[2]}, path ${found[3]})` : 'NOT FOUND'} | ${cause.slice(0, 90)} |`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = missed === 0 ? 0 : 1;
