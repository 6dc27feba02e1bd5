/** What `train`, `predict` and `evaluate` promise to those who call them from outside (DESIGN.md, section 8). */
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, test } from 'vitest';
import { splitRows } from '../../src/data/split.ts';
import type { Table } from '../../src/data/table.ts';
import {
  csvOf,
  rowsOf,
  run,
  runJson,
  Sandbox,
  smallHar,
  smallRegression,
  type TrainDocument,
} from './helpers.ts';

const sandbox = new Sandbox();
const har = smallHar();
const harCsv = sandbox.write('har.csv', csvOf(har));
const regression = smallRegression();
const regressionCsv = sandbox.write('regression.csv', csvOf(regression));

function untimed<T extends { timing?: unknown }>({ timing, ...rest }: T): Omit<T, 'timing'> {
  return rest;
}

const METHODS = ['mtl', 'local', 'global', 'mocha', 'fedavg'];
const RUNS = [
  ...METHODS.map((method) => ({ method, objective: 'classification', data: harCsv })),
  ...METHODS.filter((m) => m !== 'mocha').map((method) => ({
    method,
    objective: 'regression',
    data: regressionCsv,
  })),
];

describe.each(RUNS)('train --json with $method, $objective', ({ method, objective, data }) => {
  const argv = ['train', data, '--no-auto', '--method', method, '--objective', objective, '--rounds', '60'];

  test('has the promised fields', async () => {
    const document = await runJson(...argv);
    expect(document).toMatchObject({ method, objective, seed: 1 });
    const metrics =
      objective === 'classification'
        ? ['errorRate', 'balancedAccuracy', 'macroF1', 'auc']
        : ['r2', 'rmse', 'mae'];
    expect(Object.keys(document.mean).sort()).toEqual([...metrics].sort());
    for (const participant of document.participants) {
      expect(Object.keys(participant).sort()).toEqual(['id', 'rows', 'testRows', ...metrics].sort());
      expect(participant.testRows).toBe(Math.round(0.3 * participant.rows));
    }
    checkCourse(document);
    expect(document.timing!.loadMs).toBeGreaterThan(0);
    expect(document.timing!.solveMs).toBeGreaterThan(0);
    expect(document.options).toMatchObject({
      method,
      objective,
      c1: 1,
      c2: 1,
      testFraction: 0.3,
      task: 'task',
      label: 'y',
    });
    expect(document).not.toHaveProperty('model');
  });

  test('has means over participants', async () => {
    const { participants, mean } = await runJson(...argv);
    for (const [name, value] of Object.entries(mean)) {
      const values = participants.map((p) => p[name as keyof typeof mean]!).filter((v) => v !== undefined);
      expect(value).toBeCloseTo(values.reduce((a, b) => a + b, 0) / values.length, 12);
    }
  });

  test('is the same to the byte for the same seed, but for timing', async () => {
    const texts = await Promise.all([run([...argv, '--json']), run([...argv, '--json'])]);
    const [a, b] = texts.map(({ stdout }) => JSON.stringify(untimed(JSON.parse(stdout))));
    expect(a).toBe(b);
    expect(a).not.toContain(sandbox.folder);
    const other = await runJson(...argv, '--seed', '2');
    expect(other.participants).not.toEqual(JSON.parse(a).participants);
  });
});

function checkCourse(document: TrainDocument): void {
  const { method, history, rounds, certificate, conservation, passes } = document;
  // Answers are counted from the first query; steps and averages start with the model before them, in row 0.
  const first = method === 'mtl' ? 1 : 0;
  expect(history.map(({ round }) => round)).toEqual(
    Array.from({ length: rounds + 1 - first }, (_, r) => first + r),
  );
  expect(passes).toBeGreaterThan(0);
  if (method === 'fedavg') {
    expect(certificate).toBeUndefined();
    expect(history.every(({ dual, relativeGap }) => dual === null && relativeGap === null)).toBe(true);
  } else {
    const { primal, dual, relativeGap } = certificate!;
    expect(primal).toBeGreaterThanOrEqual(dual);
    expect(relativeGap).toBeCloseTo((primal - dual) / Math.abs(primal), 12);
    expect(history.at(-1)).toEqual({ round: rounds, primal, dual, relativeGap });
  }
  if (method === 'mtl') expect(conservation!.relativeError).toBeLessThan(1e-9);
  else expect(conservation).toBeUndefined();
}

describe('options of train', () => {
  const train = (...argv: string[]) => runJson('train', harCsv, '--no-auto', ...argv);

  test('--test-fraction 0 trains on everything and has nothing to test', async () => {
    const { participants, mean } = await train('--test-fraction', '0');
    expect(mean).toEqual({});
    expect(participants.every(({ testRows, errorRate }) => testRows === 0 && errorRate === undefined)).toBe(
      true,
    );
    const { stdout } = await run(['train', harCsv, '--no-auto', '--test-fraction', '0']);
    expect(stdout).toContain('No test rows');
  });

  test('--participants takes the first ones', async () => {
    const all = await train();
    const { participants } = await train('--participants', '2');
    expect(participants.map(({ id }) => id)).toEqual(['1', '2']);
    expect(participants.map(({ rows }) => rows)).toEqual(
      all.participants.slice(0, 2).map(({ rows }) => rows),
    );
  });

  test('--no-bias, --scale, --class-weight, --c1 and --c2 change the result', async () => {
    const primals = new Set<number>();
    for (const more of [
      [],
      ['--no-bias'],
      ['--scale', 'center'],
      ['--scale', 'none'],
      ['--class-weight', 'balanced'],
      ['--c1', '2'],
      ['--c2', '1e1'],
    ]) {
      primals.add((await train('--rounds', '20', ...more)).certificate!.primal);
    }
    expect(primals.size).toBe(7);
  });

  test('--no-bias makes vectors as long as there are features', async () => {
    await train('--no-bias', '--model', sandbox.path('nobias.json'));
    const model = JSON.parse(sandbox.read('nobias.json'));
    expect(model).toMatchObject({ bias: false });
    expect(model.w).toHaveLength(har.features.length);
  });

  test('--positive turns the classes round', async () => {
    const notes = async (...argv: string[]) =>
      ((await train(...argv)) as unknown as { notes: string[] }).notes;
    expect(await notes()).toEqual(['"1" is the positive class (+1), "-1" the negative one (-1)']);
    expect(await notes('--positive', '-1')).toEqual([
      '"-1" is the positive class (+1), "1" the negative one (-1)',
    ]);
  });

  test.each(['answers', 'safe'])('--aggregation %s comes to the same optimum', async (rule) => {
    const { certificate } = await train('--aggregation', rule, '--gap', '1e-3', '--rounds', '5000');
    const { certificate: sharp } = await train('--gap', '1e-6', '--rounds', '5000');
    expect(certificate!.relativeGap).toBeLessThanOrEqual(1e-3);
    expect(Math.abs(certificate!.dual - sharp!.primal) / sharp!.primal).toBeLessThan(1.1e-3);
  });

  test.each(['exact', 'line-search', 'ANSWERS', ''])(
    '--aggregation "%s" is refused in one sentence',
    async (rule) => {
      const { code, stdout, stderr } = await run(['train', harCsv, '--no-auto', '--aggregation', rule]);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toBe(
        `kindred: option --aggregation: expected one of answers, safe, sum, got ${rule || '""'} [BAD_OPTION]\n`,
      );
    },
  );

  test('--aggregation safe and sum have a row for the model before the first step', async () => {
    for (const rule of ['safe', 'sum']) {
      const { history, rounds } = await train('--aggregation', rule, '--rounds', '4', '--gap', '1e-9');
      expect(history.map(({ round }) => round)).toEqual([0, 1, 2, 3, 4]);
      expect(rounds).toBe(4);
    }
  });

  test('a tiny C1 with a large C2 is trained, not given up', async () => {
    const { certificate, rounds } = await train('--c1', '1e-4', '--c2', '1000');
    expect(certificate!.relativeGap).toBeLessThanOrEqual(1e-3);
    expect(rounds).toBeLessThanOrEqual(3);
  });

  test('stopping before the target gap is a warning on stderr, not a failure', async () => {
    const { code, stdout, stderr } = await run(['train', harCsv, '--no-auto', '--rounds', '1', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).rounds).toBe(1);
    expect(stderr).toMatch(
      /^kindred: warning: stopped after 1 rounds \(--rounds\) at a relative gap of .*\n$/,
    );
  });

  test('the gap that a warning names is above the target that it names', async () => {
    // One round of 4 problems: a target that their sum meets and the worst of them does not.
    const local = async (gap: number) => {
      const { stdout, stderr } = await run([
        'train',
        harCsv,
        '--method',
        'local',
        '--c1',
        '100',
        '--rounds',
        '1',
        '--gap',
        `${gap}`,
        '--json',
      ]);
      return { ...JSON.parse(stdout), stderr };
    };
    const { certificate, unfinished } = await local(1e-9);
    expect(unfinished.largestGap).toBeGreaterThan(certificate.relativeGap);
    const target = Math.sqrt(certificate.relativeGap * unfinished.largestGap);
    const between = await local(target);
    expect(between.certificate.relativeGap).toBeLessThan(target);
    expect(between.unfinished).toEqual({
      problems: expect.any(Number),
      of: 4,
      largestGap: unfinished.largestGap,
    });
    const sentence =
      /(\d) of 4 participants stopped .* the worst at a relative gap of (\S+), before the target of (\S+)\n/;
    const [, problems, worst, named] = sentence.exec(between.stderr)!;
    expect(Number(problems)).toBe(between.unfinished.problems);
    expect(Number(worst)).toBeGreaterThan(Number(named));
  });
});

describe('all formats give the same result', () => {
  const expected = runJson('train', harCsv, '--no-auto').then(untimed);

  test('gzipped CSV', async () => {
    const path = sandbox.write('har.csv.gz', gzipSync(csvOf(har)));
    expect(untimed(await runJson('train', path, '--no-auto'))).toEqual(await expected);
  });

  test('CSV on standard input', async () => {
    const stdin = async () => new TextEncoder().encode(csvOf(har));
    const { stdout } = await run(['train', '-', '--no-auto', '--json'], { stdin });
    expect(untimed(JSON.parse(stdout))).toEqual(await expected);
  });

  test('Parquet', async () => {
    const path = sandbox.write('har.parquet', parquetOf(har));
    expect(untimed(await runJson('train', path, '--no-auto'))).toEqual(await expected);
  });

  test('LIBSVM with a task file', async () => {
    const path = sandbox.write('har.libsvm', libsvmOf(har));
    const ids = sandbox.write('ids.txt', idsOf(har).join('\n'));
    expect(untimed(await runJson('train', path, '--no-auto', '--task-file', ids))).toEqual(await expected);
  });

  test('other names of the columns, and one to drop', async () => {
    const text = csvOf(har).replace(/^task,y,/, 'who,what,');
    const lines = text
      .split('\n')
      .map((line, i) => (line === '' ? '' : `${line},${i === 0 ? 'note' : 'so, so'}`));
    const path = sandbox.write('renamed.csv', lines.join('\n').replaceAll('so, so', '"so, so"'));
    const document = await runJson(
      'train',
      path,
      '--no-auto',
      '--task',
      'who',
      '--label',
      'what',
      '--drop',
      'note',
    );
    expect(document.options).toMatchObject({ task: 'who', label: 'what', drop: ['note'] });
    expect({ ...untimed(document), options: 0 }).toEqual({ ...(await expected), options: 0 });
  });
});

describe('a model file', () => {
  const tested = splitRows(har, { testFraction: 0.3, seed: 1 }).test;
  const testCsv = sandbox.write('test.csv', csvOf(rowsOf(har, tested)));

  test.each(METHODS)('of %s evaluates to what train measured on the same rows', async (method) => {
    const model = sandbox.path(`${method}.json`);
    const trained = await runJson(
      'train',
      harCsv,
      '--no-auto',
      '--method',
      method,
      '--model',
      model,
      '--rounds',
      '30',
    );
    const evaluated = await runJson<TrainDocument>('evaluate', '--model', model, testCsv);
    expect(evaluated).toMatchObject({ method, objective: 'classification', mean: trained.mean });
    expect(evaluated.participants).toEqual(
      trained.participants.map((participant) => ({ ...participant, rows: participant.testRows })),
    );
  });

  test('of a regression does so, too', async () => {
    const model = sandbox.path('regression.json');
    const trained = await runJson(
      'train',
      regressionCsv,
      '--no-auto',
      '--objective',
      'regression',
      '--model',
      model,
    );
    const rows = splitRows(regression, { testFraction: 0.3, seed: 1 }).test;
    const path = sandbox.write('regression-test.csv', csvOf(rowsOf(regression, rows)));
    const evaluated = await runJson<TrainDocument>('evaluate', '--model', model, path);
    expect(evaluated.mean).toEqual(trained.mean);
    const { stdout } = await run(['predict', '--model', model, path]);
    const [, first] = stdout.split('\n').map((line) => line.split(','));
    expect(first[2]).toBe(first[3]);
    expect(Number(first[2])).toBeTypeOf('number');
  });

  test('predicts what evaluate counts', async () => {
    const model = sandbox.path('predicting.json');
    const { participants } = await runJson('train', harCsv, '--no-auto', '--model', model);
    const { code, stdout, stderr } = await run(['predict', '--model', model, testCsv]);
    expect([code, stderr]).toEqual([0, '']);
    const [header, ...lines] = stdout.trimEnd().split('\n');
    expect(header).toBe('row,participant,prediction,decision');
    expect(lines).toHaveLength(tested.length);
    const wrong = new Map<string, number>();
    for (const [t, line] of lines.entries()) {
      const [row, id, prediction, decision] = line.split(',');
      expect(Number(row)).toBe(t + 1);
      expect(prediction).toBe(Number(decision) > 0 ? '1' : '-1');
      if (prediction !== har.targets![tested[t]]) wrong.set(id, (wrong.get(id) ?? 0) + 1);
    }
    for (const { id, testRows, errorRate } of participants) {
      expect((wrong.get(id) ?? 0) / testRows).toBe(errorRate);
    }
  });

  test('--out writes the same CSV, and --json has the same rows', async () => {
    const model = sandbox.path('out.json');
    await runJson('train', harCsv, '--no-auto', '--model', model);
    const out = sandbox.path('predictions.csv');
    const { stdout: csv } = await run(['predict', '--model', model, testCsv]);
    expect((await run(['predict', '--model', model, testCsv, '--out', out])).stdout).toContain('predictions');
    expect(sandbox.read('predictions.csv')).toBe(csv);
    const { predictions } = await runJson<{ predictions: Record<string, unknown>[] }>(
      'predict',
      '--model',
      model,
      testCsv,
    );
    const fields = predictions.map((p) => [p.row, p.participant, p.prediction, p.decision].join(','));
    expect(fields.join('\n')).toBe(csv.trimEnd().split('\n').slice(1).join('\n'));
  });

  test('finds its features by name, in any order, and its columns as in training', async () => {
    const model = sandbox.path('order.json');
    const who = sandbox.write('who.csv', csvOf(har).replace(/^task,y,/, 'who,what,'));
    await runJson(
      'train',
      who,
      '--no-auto',
      '--task',
      'who',
      '--label',
      'what',
      '--drop',
      'x3',
      '--model',
      model,
    );
    const columns = csvOf(har)
      .split('\n')
      .map((line) => line.split(','));
    // Without the column that training dropped: nobody asks for it again.
    const turned = columns.map((c) =>
      [
        ...c
          .slice(2)
          .filter((_, j) => j !== 2)
          .reverse(),
        c[1],
        c[0],
      ].join(','),
    );
    const other = sandbox.write(
      'turned.csv',
      turned.join('\n').replace('y,task', 'what,who').replaceAll('\n,', '\n'),
    );
    const [a, b] = [
      await run(['predict', '--model', model, who]),
      await run(['predict', '--model', model, other]),
    ];
    expect(b).toEqual(a);
    expect(await runJson('evaluate', '--model', model, other)).toEqual(
      await runJson('evaluate', '--model', model, who),
    );
  });

  test('serves newcomers and rows of nobody by w alone, and says so', async () => {
    const model = sandbox.path('newcomers.json');
    await runJson('train', harCsv, '--no-auto', '--model', model);
    const features = csvOf(har)
      .split('\n')
      .map((line) => line.split(',').slice(2).join(','));
    const nobody = sandbox.write('nobody.csv', features.slice(0, 4).join('\n'));
    const stranger = sandbox.write(
      'stranger.csv',
      features
        .slice(0, 4)
        .map((line, i) => `${i === 0 ? 'task' : 'new'},${line}`)
        .join('\n'),
    );
    const [a, b] = [
      await run(['predict', '--model', model, nobody]),
      await run(['predict', '--model', model, stranger]),
    ];
    expect(a.code).toBe(0);
    expect(a.stderr).toMatch(/^kindred: note: 3 of 3 rows .* predicted with the shared part w\n$/);
    const decisions = (csv: string) =>
      csv
        .trimEnd()
        .split('\n')
        .map((line) => line.split(',')[3]);
    expect(decisions(a.stdout)).toEqual(decisions(b.stdout));
    expect(b.stdout).toContain('\n1,new,');
  });

  test('of one class against the rest names the rest after that class', async () => {
    const three = sandbox.write(
      'three.csv',
      csvOf({ ...har, targets: har.targets!.map((y, i) => (i % 5 === 0 ? 'x' : y)) }),
    );
    const model = sandbox.path('three.json');
    await runJson('train', three, '--no-auto', '--positive', '1', '--model', model);
    const { stdout } = await run(['predict', '--model', model, three]);
    const names = new Set(
      stdout
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',')[2]),
    );
    expect([...names].sort()).toEqual(['1', 'not 1']);
    expect((await run(['evaluate', '--model', model, three])).code).toBe(0);
  });

  test('works on LIBSVM text whose last features are all zero', async () => {
    const model = sandbox.path('sparse.json');
    await runJson('train', harCsv, '--no-auto', '--model', model);
    const rows = sandbox.write('sparse.libsvm', '1 1:0.5\n-1 2:0.5\n');
    const ids = sandbox.write('sparse.txt', '1\n2\n');
    const { code, stderr } = await run(['predict', '--model', model, rows, '--task-file', ids]);
    expect([code, stderr]).toEqual([0, '']);
  });
});

function idsOf(table: Table): string[] {
  return Array.from(table.participantOf, (k) => table.participants[k]);
}

function parquetOf(table: Table): Uint8Array {
  const d = table.features.length;
  const columnData = [
    { name: 'task', data: idsOf(table), type: 'STRING' as const },
    { name: 'y', data: table.targets!.map(Number), type: 'INT32' as const },
    ...table.features.map((name, j) => ({
      name,
      data: Array.from({ length: table.n }, (_, i) => table.x[i * d + j]),
      type: 'DOUBLE' as const,
    })),
  ];
  return new Uint8Array(parquetWriteBuffer({ columnData }));
}

function libsvmOf(table: Table): string {
  const d = table.features.length;
  const line = (y: string, i: number) =>
    `${y} ${Array.from(table.x.subarray(i * d, (i + 1) * d), (value, j) => `${j + 1}:${value}`).join(' ')}`;
  return table.targets!.map(line).join('\n');
}
