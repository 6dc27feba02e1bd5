import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { CLAIMS } from '../../src/reproduce/claims/all.ts';
import { EXPERIMENT_IDS } from '../../src/reproduce/experiments/all.ts';
import { run } from './helpers.ts';

const folder = mkdtempSync(join(tmpdir(), 'kindred-reproduce-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Everything a small data set needs to be reproduced on in seconds. */
function smallCsv(): string {
  const path = join(folder, 'small.csv');
  const lines = ['task,y,a,b'];
  for (let k = 0; k < 5; k++)
    for (let i = 0; i < 24; i++) {
      const y = i % 2 ? 1 : -1;
      const wave = Math.sin(7 * i + k);
      lines.push(`p${k},${y},${(y * 0.8 + wave).toFixed(3)},${(Math.cos(3 * i * k) + 0.3 * y).toFixed(3)}`);
    }
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

describe('kindred reproduce', () => {
  test('knows the fifteen experiments and at least fifteen claims, each with its own id', () => {
    expect(EXPERIMENT_IDS).toHaveLength(15);
    const ids = CLAIMS.map(({ id }) => id);
    expect(ids.length).toBeGreaterThanOrEqual(15);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { needs } of CLAIMS) for (const id of needs) expect(EXPERIMENT_IDS).toContain(id);
  });

  test('writes a report, figures, curves and numbers; again it computes nothing, and writes the same', async () => {
    const out = join(folder, 'out');
    const args = [
      'reproduce',
      'cls-all',
      'sequence',
      'loss',
      '--quick',
      '--repeats',
      '2',
      '--data',
      smallCsv(),
      '--out',
      out,
    ];
    const first = await run(args);
    expect(first.stderr).toBe('');
    expect(first.code).toBe(0);
    expect(first.stdout).toContain('mtl-best');
    const html = readFileSync(join(out, 'report.html'), 'utf8');
    expect(html).not.toMatch(/(?:src|href)="https?:/);
    expect(html.indexOf('mtl-best')).toBeLessThan(html.indexOf('<svg'));
    expect(readdirSync(join(out, 'figures')).sort()).toEqual(['cls-all.svg', 'loss.svg', 'sequence.svg']);
    const { findings } = JSON.parse(readFileSync(join(out, 'data/cls-all.json'), 'utf8'));
    expect(findings.methods.mtl.final).toHaveLength(2);
    const stamps = () =>
      readdirSync(join(out, 'cache')).map((name) => statSync(join(out, 'cache', name)).mtimeMs);
    const before = stamps();
    const again = await run(args);
    expect(again.code).toBe(0);
    expect(stamps()).toEqual(before);
    expect(readFileSync(join(out, 'report.html'), 'utf8')).toBe(html);
  });

  test('a result that is not whole is computed again', async () => {
    const out = join(folder, 'broken');
    mkdirSync(out);
    const args = ['reproduce', 'sequence', '--out', out];
    expect((await run(args)).code).toBe(0);
    const [name] = readdirSync(join(out, 'cache'));
    const path = join(out, 'cache', name);
    const whole = readFileSync(path, 'utf8');
    writeFileSync(path, whole.slice(0, whole.length / 2));
    expect((await run(args)).code).toBe(0);
    const result = (text: string) => JSON.parse(text).result;
    expect(result(readFileSync(path, 'utf8'))).toEqual(result(whole));
  });

  test('--json is one document', async () => {
    const out = join(folder, 'json');
    const { code, stdout } = await run(['reproduce', 'loss', '--json', '--out', out]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      profile: 'full',
      seeds: [1, 2, 3, 4, 5],
      verdicts: [],
      sections: [{ id: 'loss' }],
    });
  });

  test.each([
    [['reproduce', 'nothing'], /experiment: expected all, or some of cls-all, .* got nothing/],
    [
      ['reproduce', 'loss', '--repeats', '0'],
      /option --repeats: expected a whole number from 1 to 100, got 0/,
    ],
    [['reproduce', 'loss', '--data', 'missing.csv'], /missing\.csv/],
  ])('%j is refused', async (args, sentence) => {
    const { code, stderr } = await run(args);
    expect(code).toBe(2);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toMatch(sentence);
  });
});
