/** What people see: help, reports, tables, progress. */

import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { layoutFor, wrapped } from '../../src/cli/layout.ts';
import { sparkline } from '../../src/cli/train-report.ts';
import { AGGREGATIONS } from '../../src/settings/training.ts';
import { csvOf, run, runJson, Sandbox, smallHar, smallRegression } from './helpers.ts';

const sandbox = new Sandbox();
const harCsv = sandbox.write('har.csv', csvOf(smallHar()));
const regressionCsv = sandbox.write('regression.csv', csvOf(smallRegression()));

const COMMANDS = [
  ...['demo', 'train', 'predict', 'evaluate', 'personalise', 'serve', 'join', 'invite', 'revoke', 'verify'],
  ...['data', 'data make', 'data describe', 'data convert', 'data fetch'],
];

describe('help', () => {
  test.each([
    [['--help'], 'Usage: kindred'],
    [['help', 'train'], 'Usage: kindred train'],
    ...COMMANDS.map((command): [string[], string] => [
      [...command.split(' '), '--help'],
      `Usage: kindred ${command}`,
    ]),
  ])('%j exits 0 and has an example', async (argv, usage) => {
    const { code, stdout, stderr } = await run(argv);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(usage);
    expect(stdout).toMatch(/\nExamples?:\n {2}\$ kindred /);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  });

  test('train names the rules of aggregation that there are', async () => {
    const { stdout } = await run(['train', '--help']);
    const [, names] = /--aggregation <rule> +[^:]*: (.*?)(?: \(|\n)/.exec(stdout)!;
    expect(names.split(/, | or /)).toEqual([...AGGREGATIONS]);
  });

  test('--version is that of the package', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(await run(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  test('the defaults of train are those of the contract', async () => {
    const { options } = await runJson('train', harCsv, '--no-auto');
    expect(options).toEqual({
      method: 'mtl',
      objective: 'classification',
      loss: 'hinge',
      c1: 1,
      c2: 1,
      epsilon: 0.1,
      quantile: 0.5,
      lambda: 0.001,
      classWeight: 'none',
      scale: 'standard',
      scaleTarget: 'standard',
      rare: 5,
      bias: true,
      probabilities: false,
      testFraction: 0.3,
      seed: 1,
      aggregation: 'answers',
      passes: 100,
      rounds: 200,
      gap: 0.001,
      task: 'task',
      label: 'y',
      drop: [],
    });
  });
});

describe('the report of train', () => {
  test('fits a terminal and names what matters', async () => {
    const { stdout } = await run(['train', harCsv, '--no-auto', '--model', sandbox.path('m.json')]);
    for (const label of [
      'Data',
      'Classes',
      'Method',
      'Certificate',
      'Gap',
      'Work',
      'Conservation',
      'Time',
      'Model',
    ]) {
      expect(stdout).toMatch(new RegExp(`^${label} `, 'm'));
    }
    expect(stdout).toMatch(/4 participants, \d+ rows, 12 features/);
    expect(stdout).toMatch(/^ {2}mean +\d+\.\d\d% +0\.\d{4}$/m);
    expect(stdout).not.toContain('\x1b');
  });

  test('lists the worst twelve participants first', async () => {
    const many = sandbox.path('many.csv');
    await runJson(
      'data',
      'make',
      'har',
      '--participants',
      '30',
      '--rows',
      '20',
      '--features',
      '6',
      '--out',
      many,
    );
    const { stdout } = await run(['train', many, '--no-auto']);
    expect(stdout).toContain('and 18 more');
    const accuracies = [...stdout.matchAll(/^ {2}\d+ .* ([\d.]+)$/gm)].map(([, text]) => Number(text));
    expect(accuracies).toHaveLength(12);
    expect(accuracies).toEqual([...accuracies].sort((a, b) => a - b));
    expect(stdout).toContain('(--all lists every participant, --json has all)');

    const model = sandbox.path('many.json');
    const all = await run(['train', many, '--no-auto', '--all', '--model', model]);
    const evaluated = await run(['evaluate', '--model', model, many, '--all']);
    for (const { stdout: whole } of [all, evaluated]) {
      expect([...whole.matchAll(/^ {2}\d+ .* ([\d.]+)$/gm)]).toHaveLength(30);
      expect(whole).not.toContain('more');
      expect(whole).not.toContain('--all');
    }
    expect((await run(['evaluate', '--model', model, many])).stdout).toContain('--all lists');
    expect((await run(['personalise', '--model', model, many])).stdout).toContain('--all lists');
  });

  test('has R2 and RMSE for a regression, and no gap without a dual', async () => {
    const { stdout } = await run([
      'train',
      regressionCsv,
      '--no-auto',
      '--objective',
      'regression',
      '--method',
      'fedavg',
    ]);
    expect(stdout).toMatch(/R2 +RMSE/);
    expect(stdout).toContain('none (no dual)');
    expect(stdout).not.toMatch(/^Gap/m);
  });

  test('is bold on a terminal, unless NO_COLOR asks for none', async () => {
    const onTerminal = async (env: Record<string, string>) => {
      let text = '';
      await run(['train', harCsv, '--no-auto'], {
        env,
        stdout: {
          isTerminal: true,
          write: (more) => {
            text += more;
          },
        },
      });
      return text;
    };
    expect(await onTerminal({})).toContain('\x1b[1m');
    expect(await onTerminal({ NO_COLOR: '1' })).not.toContain('\x1b');
    expect(await onTerminal({ TERM: 'dumb' })).not.toContain('\x1b');
  });
});

describe('progress', () => {
  const onTerminal = async (msPerLook: number) => {
    let text = '';
    let clock = 0;
    await run(['train', harCsv, '--no-auto'], {
      now: () => (clock += msPerLook),
      stderr: {
        isTerminal: true,
        write: (more) => {
          text += more;
        },
      },
    });
    return text;
  };

  test('is shown when it takes long, and gone at the end', async () => {
    const text = await onTerminal(500);
    expect(text.split('\r\x1b[2K')[1]).toMatch(/^mtl: round \d+, relative gap [\d.e-]+$/);
    expect(text.endsWith('\r\x1b[2K')).toBe(true);
    expect(text).not.toContain('\n');
  });

  test('is not shown when it does not', async () => {
    expect(await onTerminal(1)).toBe('');
  });

  test('is not shown where nobody watches', async () => {
    let clock = 0;
    expect((await run(['train', harCsv, '--no-auto'], { now: () => (clock += 500) })).stderr).toBe('');
  });
});

describe('data', () => {
  test('make gives the same bytes for the same seed, packed or not', async () => {
    const argv = [
      'data',
      'make',
      'har',
      '--participants',
      '3',
      '--rows',
      '10',
      '--features',
      '4',
      '--seed',
      '7',
    ];
    const [plain, packed] = [sandbox.path('made.csv'), sandbox.path('made.csv.gz')];
    await runJson(...argv, '--out', plain);
    await runJson(...argv, '--out', packed);
    const { stdout } = await run(argv);
    expect(readFileSync(plain, 'utf8')).toBe(stdout);
    expect(gunzipSync(readFileSync(packed)).toString()).toBe(stdout);
    expect((await run([...argv.slice(0, -1), '8'])).stdout).not.toBe(stdout);
    expect(stdout.split('\n')[0]).toBe('task,y,x1,x2,x3,x4');
  });

  test('make regression obeys its options', async () => {
    const argv = ['data', 'make', 'regression', '--participants', '2', '--rows', '5', '--features', '3'];
    const { stdout } = await run(argv);
    expect(stdout.trimEnd().split('\n')).toHaveLength(11);
    const { stdout: diverse } = await run([...argv, '--heterogeneity', 'diverse', '--snr', '3']);
    expect(diverse).not.toBe(stdout);
  });

  test('describe says what is there and what is suspicious', async () => {
    const { stdout } = await run(['data', 'describe', harCsv]);
    expect(stdout).toMatch(/^Features +12$/m);
    expect(stdout).toMatch(/^Participants +4, /m);
    expect(stdout).toMatch(/^ {2}-1 +\d+ +\d+\.\d\d%$/m);
    const constant = sandbox.write('constant.csv', 'task,y,x1,x2\na,1,5,1\na,-1,5,2\nb,1,5,3\nb,-1,5,4\n');
    expect((await run(['data', 'describe', constant])).stdout).toContain('  - 1 feature is constant: x1.');
    const document = await runJson<{ suspicious: string[] }>('data', 'describe', constant);
    expect(document.suspicious).toContain('1 feature is constant: x1');
  });

  test('describe takes a regression target for numbers', async () => {
    expect((await run(['data', 'describe', regressionCsv])).stdout).toMatch(
      /^Target +120 distinct numbers from /m,
    );
  });
});

describe('demo', () => {
  test('a federation of processes: compares three methods, verifies itself and says where everything is', async () => {
    const { code, stdout, stderr } = await run(['demo', '--participants', '3']);
    expect([code, stderr]).toEqual([0, '']);
    for (const method of ['mtl', 'local', 'global'])
      expect(stdout).toMatch(new RegExp(`^ {2}${method} `, 'm'));
    expect(stdout).toContain('Verified: the contributions of all 3 participants add up');
    const [, folder] = /^All files are in (\S+)\. /m.exec(stdout)!;
    expect(readdirSync(join(folder, 'state'))).toEqual(['1', '2', '3']);
    rmSync(folder, { recursive: true });
  });

  test('--json has the same numbers', async () => {
    const { methods, federation } = await runJson<{
      methods: { method: string; mean: { errorRate: number } }[];
      federation: { folder: string; verified: boolean; conservation: number };
    }>('demo', '--participants', '3');
    expect(methods.map(({ method }) => method)).toEqual(['mtl', 'local', 'global']);
    for (const { mean } of methods) expect(mean.errorRate).toBeLessThan(0.5);
    expect(federation.verified).toBe(true);
    expect(federation.conservation).toBeLessThan(1e-9);
    rmSync(federation.folder, { recursive: true });
  });
});

describe('pieces', () => {
  test('a sparkline falls from dark to light on a logarithmic scale', () => {
    expect(sparkline([1, 0.1, 0.01, 0.001, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8])).toBe('@%#*+=-:.');
    expect(sparkline([1, 0, null, 1e-8])).toBe('@.');
    expect(sparkline([3, 3])).toBe('..');
    expect(sparkline([null])).toBe('');
    expect(sparkline(Array.from({ length: 500 }, (_, i) => 10 ** -i / 1e3))).toHaveLength(48);
  });

  test('a table aligns its columns and cuts what is too long', () => {
    const { table } = layoutFor({ stdout: { write: () => {}, isTerminal: false }, env: {} });
    expect(
      table(
        ['<id', 'n'],
        [
          ['a', '1'],
          ['b'.repeat(50), '22'],
        ],
      ),
    ).toEqual([`  id${' '.repeat(30)}    n`, `  a${' '.repeat(31)}    1`, `  ${'b'.repeat(29)}...   22`]);
  });

  test('long sentences are wrapped and indented', () => {
    expect(wrapped('- ', 'one two three four', 10)).toEqual(['- one two', '  three', '  four']);
    expect(wrapped('', 'a b', 80)).toEqual(['a b']);
  });
});
