/** The real program: exit codes, what goes to which stream, and readers that leave early. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { csvOf, Sandbox, smallHar } from './helpers.ts';

const sandbox = new Sandbox();
const harCsv = sandbox.write('har.csv', csvOf(smallHar()));
const launcher = fileURLToPath(new URL('../../bin/kindred.js', import.meta.url));

function kindred(argv: readonly string[], input?: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [launcher, ...argv], {
    encoding: 'utf8',
    input,
    maxBuffer: 1 << 28,
  });
  return { code: status, stdout, stderr };
}

beforeAll(() => {
  const script = fileURLToPath(new URL('../../scripts/ensure-built.mjs', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  expect(status, stdout + stderr).toBe(0);
}, 120_000);

describe('the program', () => {
  test('exits 0 and prints one JSON document alone', () => {
    const { code, stdout, stderr } = kindred(['train', harCsv, '--no-auto', '--json']);
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout).method).toBe('mtl');
  });

  test('reads standard input', () => {
    const { code, stdout } = kindred(['train', '-', '--no-auto', '--json'], csvOf(smallHar()));
    expect(code).toBe(0);
    expect(JSON.parse(stdout).participants).toHaveLength(4);
  });

  test('exits 2 on bad input and bad usage, with one line on stderr', () => {
    for (const argv of [[], ['train'], ['train', sandbox.path('no.csv'), '--no-auto', '--json'], ['trian']]) {
      const { code, stdout, stderr } = kindred(argv);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/^kindred: [^\n]+ \[[A-Z_]+\]\n$/);
    }
  });

  test('exits 1 on a failed run', () => {
    const argv = ['data', 'fetch', 'uci-har', '--url', 'http://127.0.0.1:1/', '--out', sandbox.path('out')];
    const { code, stderr } = kindred(argv);
    expect(code).toBe(1);
    expect(stderr).toContain('[DOWNLOAD_FAILED]');
    expect(existsSync(sandbox.path('out'))).toBe(false);
  });

  test('writes all of a large output to a slow reader', () => {
    const { code, stdout } = kindred(['data', 'make', 'har', '--participants', '3', '--rows', '100']);
    expect(code).toBe(0);
    expect(stdout.endsWith('\n')).toBe(true);
    expect(
      new Set(
        stdout
          .trimEnd()
          .split('\n')
          .map((line) => line.split(',').length),
      ),
    ).toEqual(new Set([563]));
  });

  test('ends quietly when its reader leaves (| head)', async () => {
    const child = spawn(process.execPath, [launcher, 'data', 'make', 'har', '--participants', '5']);
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.stdout.once('data', () => child.stdout.destroy());
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect([code, stderr]).toEqual([0, '']);
  });
});
