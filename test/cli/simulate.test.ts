import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { csvOf, run, Sandbox, smallHar } from './helpers.ts';

const sandbox = new Sandbox();
const scenario = (name: string, content: object) => sandbox.write(name, JSON.stringify(content));
const tiny = { generator: 'har', participants: 3, rows: 24, features: 6 };
const repeated = scenario('repeated.json', {
  data: tiny,
  passes: 4,
  rounds: 5,
  repeats: 4,
  link: { delayMs: 3, jitterMs: 4, loss: 0.1 },
});

// Worker threads run the built files.
beforeAll(() => {
  const script = fileURLToPath(new URL('../../scripts/ensure-built.mjs', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  expect(status, stdout + stderr).toBe(0);
}, 120_000);

describe('kindred simulate', () => {
  test('writes the same bytes with 1 and with 2 threads', async () => {
    const files = ['rows.jsonl', 'rows.csv', 'summary.json', 'curve.svg', 'chart.svg'];
    const results = [];
    for (const threads of ['1', '2']) {
      const out = `out${threads}`;
      const { code, stdout, stderr } = await run([
        'simulate',
        repeated,
        '--threads',
        threads,
        '--out',
        sandbox.path(out),
        '--json',
      ]);
      expect([code, stderr]).toEqual([0, '']);
      results.push([stdout, ...files.map((file) => sandbox.read(`${out}/${file}`))]);
    }
    expect(results[0]).toEqual(results[1]);
    const seeds = results[0][1]
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).seed);
    expect([...new Set(seeds)]).toEqual([1, 2, 3, 4]);
    expect(sandbox.list().filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test('tells people what happened', async () => {
    const file = scenario('quarter.json', {
      data: tiny,
      passes: 3,
      rounds: 4,
      responders: 0.5,
      straggler: 'restart',
    });
    const { code, stdout, stderr } = await run(['simulate', file]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/Waiting +[\d.]+ ms, for 50% of responders; stragglers restart/);
    expect(stdout).toMatch(/% \(wanted 50%\)/);
    expect(stdout).toMatch(/Bytes +\d+ up and \d+ down per participant and round/);
  });

  test('says what privacy was spent, and who is under suspicion', async () => {
    const dp = { clip: 0.1, noiseMultiplier: 3, epsilon: 4 };
    const hidden = scenario('private.json', { data: tiny, passes: 3, rounds: 40, scale: 'none', dp });
    const spent = await run(['simulate', hidden]);
    expect([spent.code, spent.stderr]).toEqual([0, '']);
    expect(spent.stdout).toMatch(
      /Privacy +epsilon 3\.\d\d of 4\.00 at delta 0\.00001; clip 0\.1, noise 3 x clip/,
    );
    expect(spent.stdout).toContain('privacy budget spent');
    expect(spent.stdout).not.toMatch(/NaN|estimate/);
    const idle = scenario('idle.json', {
      data: { ...tiny, participants: 6 },
      rounds: 8,
      gap: 0,
      defence: { scores: 'on' },
      misbehaving: [{ participant: '2', kind: 'free-rider' }],
    });
    const { stdout } = await run(['simulate', idle]);
    expect(stdout).toMatch(/^ {2}2 .* idle$/m);
    const { runs } = JSON.parse((await run(['simulate', idle, '--json'])).stdout);
    expect(runs[0].participants[1].contribution.suspicions).toEqual(['idle']);
    const rows = sandbox.path('private');
    await run(['simulate', hidden, '--out', rows]);
    expect(sandbox.read('private/rows.csv').split('\n')[0]).toContain(',certified,epsilonSpent,metricMean,');
    expect(sandbox.read('private/rows.csv')).not.toContain('NaN');
    expect(sandbox.read('private/curve.svg')).not.toMatch(/NaN|Infinity/);
  });

  test('reported test metrics: in the summary, in the rows, and never with dp', async () => {
    const reporting = scenario('reporting.json', { data: tiny, rounds: 3, reportTests: true });
    const { stdout, code } = await run(['simulate', reporting, '--out', sandbox.path('reporting')]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Reported +balanced accuracy on test rows by \d participants: own 0\.\d+, shared part 0\.\d+ \(means\)$/m,
    );
    expect(sandbox.read('reporting/rows.csv').split('\n')[0]).toContain(
      ',certified,testReports,testOwnMean,testSharedMean,metricMean,',
    );
    const { runs } = JSON.parse((await run(['simulate', reporting, '--json'])).stdout);
    expect(runs[0].tests).toMatchObject({ metric: 'balancedAccuracy', own: { worst: expect.any(Number) } });
  });

  test('reads rows and calibrations that lie beside the scenario, and takes another seed', async () => {
    sandbox.write('rows.csv', csvOf(smallHar()));
    sandbox.write('fit.json', '{"fixedMs":7,"perValueMs":0,"spread":0}');
    const file = scenario('beside.json', {
      data: 'rows.csv',
      compute: 'fit.json',
      rounds: 1,
      passes: 1,
      gap: 0,
    });
    const { code, stdout } = await run(['simulate', file, '--seed', '9', '--json']);
    expect(code).toBe(0);
    const { runs, data } = JSON.parse(stdout);
    expect(data.participants).toBe(4);
    expect(runs[0].seed).toBe(9);
    // One answer: a query that everybody has answered needs no second look.
    expect(runs[0].virtualMs).toBe(7);
  });

  test.each([
    [['nowhere.json'], 'FILE_NOT_FOUND'],
    [[scenario('bad.json', { c1: -1 })], 'BAD_SCENARIO'],
    [[scenario('fit-missing.json', { compute: 'none.json' })], 'FILE_NOT_FOUND'],
    [[repeated, '--chart', '1-3'], 'BAD_OPTION'],
    [[repeated, '--chart', '3-1', '--out', sandbox.path('x')], 'BAD_OPTION'],
    [[repeated, '--threads', '0'], 'BAD_OPTION'],
    [[repeated, '--out', repeated], 'NOT_A_FOLDER'],
  ])('refuses %j with one sentence and %s', async (argv, code) => {
    const outcome = await run(['simulate', ...argv]);
    expect([outcome.code, outcome.stdout]).toEqual([2, '']);
    expect(outcome.stderr.trim().split('\n')).toHaveLength(1);
    expect(outcome.stderr).toContain(`[${code}]`);
  });
});

test('kindred calibrate measures, fits, and writes what simulate reads', async () => {
  const out = sandbox.path('calibration.json');
  const { code, stdout } = await run(['calibrate', '--out', out]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/A pass +[\d.e-]+ ms \+ /);
  const fit = JSON.parse(sandbox.read('calibration.json'));
  expect(fit.points).toHaveLength(16);
  expect(fit.perValueMs + fit.perRowMs).toBeGreaterThan(0);
  expect(sandbox.read('calibration.svg')).toMatch(/^<svg/);
  const file = scenario('calibrated.json', { data: tiny, compute: 'calibration.json', rounds: 2 });
  expect((await run(['simulate', file])).code).toBe(0);
});
