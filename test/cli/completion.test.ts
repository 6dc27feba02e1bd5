/** kindred completion, by the shells themselves where they are here. */
import { execFileSync, spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { run, Sandbox } from './helpers.ts';

const sandbox = new Sandbox();

async function script(shell: string): Promise<string> {
  const { code, stdout, stderr } = await run(['completion', shell]);
  expect([code, stderr]).toEqual([0, '']);
  return sandbox.write(`kindred.${shell}`, stdout);
}

function has(shell: string): boolean {
  return spawnSync(shell, ['-c', 'exit 0']).status === 0;
}

test.skipIf(!has('bash'))('bash completes commands, options and their values', async () => {
  const file = await script('bash');
  const complete = (...words: string[]) => {
    const line = ['kindred', ...words].map((word) => `'${word}'`).join(' ');
    const program = `source '${file}'; COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _kindred; echo "\${COMPREPLY[*]}"`;
    return execFileSync('bash', ['-u', '-c', program], { encoding: 'utf8' }).trim().split(' ');
  };
  expect(complete('tr')).toEqual(['train']);
  expect(complete('')).toContain('completion');
  expect(complete('train', '--test')).toEqual(['--test-fraction']);
  expect(complete('train', 'har.csv', '--method', '')).toEqual(['mtl', 'local', 'global', 'mocha', 'fedavg']);
  expect(complete('train', 'har.csv', '--method', 'm')).toEqual(['mtl', 'mocha']);
  expect(complete('serve', '--dp-')).toContain('--dp-epsilon');
  expect(complete('data', '').sort()).toEqual(['convert', 'describe', 'fetch', 'make']);
  expect(complete('data', 'describe', '--obj')).toEqual(['--objective']);
  expect(complete('data', 'describe', '--objective', 'r')).toEqual(['regression']);
  // Names of files are left to the shell.
  expect(complete('train', 'har')).toEqual(['']);
});

test.each(['zsh', 'fish'])('what %s gets has every command and is accepted by it', async (shell) => {
  const file = await script(shell);
  const text = sandbox.read(`kindred.${shell}`);
  for (const word of ['train', 'describe', 'min-participants', 'mtl local global mocha fedavg'])
    expect(text).toContain(word);
  if (has(shell))
    expect(spawnSync(shell, ['-n', file], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
});

test('another shell is refused', async () => {
  const { code, stderr } = await run(['completion', 'csh']);
  expect(code).toBe(2);
  expect(stderr).toContain('argument <shell>: expected one of bash, zsh, fish, got csh');
});
