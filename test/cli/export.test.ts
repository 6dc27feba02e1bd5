/** kindred export, explain and train --start: what they write and print. */
import { describe, expect, test } from 'vitest';
import { csvOf, run, runJson, Sandbox, smallHar, type TrainDocument } from './helpers.ts';

const sandbox = new Sandbox();
const data = sandbox.write('har.csv', csvOf({ ...smallHar(), participants: ['1', '../2', 'a/b', '.x y'] }));
const model = sandbox.path('model.json');
await run(['train', data, '--c1', '10', '--model', model]);

interface Exported {
  format: string;
  participants: number;
  features: number;
  files: { path: string; bytes: number }[];
}

describe('export', () => {
  test('one file for all, one of a participant, the shared part', async () => {
    const all = await runJson<Exported>(
      'export',
      '--model',
      model,
      '--format',
      'csv',
      '--out',
      sandbox.path('w.csv'),
    );
    expect(all).toMatchObject({ format: 'csv', participants: 4, features: 12 });
    expect(sandbox.read('w.csv').trimEnd().split('\n').length).toBe(6);
    for (const [flags, lines] of [
      [['--participant', 'a/b'], 'a/b,'],
      [['--shared'], ','],
    ] as const) {
      const { code, stdout } = await run([
        'export',
        '--model',
        model,
        '--format',
        'csv',
        '--out',
        sandbox.path('o.csv'),
        ...flags,
      ]);
      expect(code).toBe(0);
      expect(stdout).toContain('Wrote');
      const [, line, ...more] = sandbox.read('o.csv').trimEnd().split('\n');
      expect(line.startsWith(lines)).toBe(true);
      expect(more).toEqual([]);
    }
  });

  test('a file for each, whatever the participants are called, and none outside the folder', async () => {
    const { files } = await runJson<Exported>(
      'export',
      '--model',
      model,
      '--format',
      'onnx',
      '--each',
      '--out',
      sandbox.path('each'),
    );
    expect(files.length).toBe(4);
    expect(sandbox.list().filter((name) => name.endsWith('.onnx'))).toEqual(
      ['each/%2E%2E%2F2.onnx', 'each/%2Ex%20y.onnx', 'each/1.onnx', 'each/a%2Fb.onnx'].sort(),
    );
  });

  test('the same model gives the same bytes', async () => {
    for (const format of ['onnx', 'csv', 'sklearn']) {
      const [a, b] = [sandbox.path(`a.${format}`), sandbox.path(`b.${format}`)];
      await run(['export', '--model', model, '--format', format, '--out', a]);
      await run(['export', '--model', model, '--format', format, '--out', b]);
      expect(sandbox.read(`a.${format}`)).toBe(sandbox.read(`b.${format}`));
    }
  });
});

describe('train --start', () => {
  test('files of export and models start a training that takes fewer rounds', async () => {
    const cold = await runJson<TrainDocument>('train', data, '--c1', '10');
    await run(['export', '--model', model, '--format', 'csv', '--out', sandbox.path('all.csv')]);
    await run([
      'export',
      '--model',
      model,
      '--format',
      'liblinear',
      '--shared',
      '--out',
      sandbox.path('w.model'),
    ]);
    for (const file of ['model.json', 'all.csv', 'w.model']) {
      const warm = await runJson<TrainDocument>('train', data, '--c1', '10', '--start', sandbox.path(file));
      expect(warm.rounds, file).toBeLessThan(cold.rounds);
      expect(warm.certificate!.relativeGap).toBeLessThanOrEqual(1e-3);
    }
  });

  test('names of LIBLINEAR classes come from the file beside it', async () => {
    const named = sandbox.write(
      'named.csv',
      sandbox.read('har.csv').replace(/,-1,/g, ',no,').replace(/,1,/g, ',yes,'),
    );
    const [text, start] = [sandbox.path('named.json'), sandbox.path('named.model')];
    const cold = await runJson<TrainDocument>('train', named, '--c1', '10', '--model', text);
    await run(['export', '--model', text, '--format', 'liblinear', '--shared', '--out', start]);
    expect(sandbox.read('named.model.labels')).toBe('no\nyes\n');
    expect(sandbox.read('named.model')).toContain('label 2 1\n');
    const warm = await runJson<TrainDocument>('train', named, '--c1', '10', '--start', start);
    expect(warm.rounds).toBeLessThan(cold.rounds);
  });

  test('threads give the same to the bit', async () => {
    const [one, two] = await Promise.all(
      ['1', '2'].map((threads) =>
        runJson<TrainDocument>('train', data, '--start', model, '--threads', threads),
      ),
    );
    expect({ ...two, timing: undefined }).toEqual({ ...one, timing: undefined });
  });
});

describe('explain', () => {
  test('prints tables for people, one document with --json, and draws a figure', async () => {
    const { code, stdout } = await run([
      'explain',
      '--model',
      model,
      '--top',
      '3',
      '--out',
      sandbox.path('m.svg'),
    ]);
    expect(code).toBe(0);
    expect(stdout).toContain('and 9 more (--top)');
    expect(stdout).toContain('a/b');
    expect(sandbox.read('m.svg')).toContain('What participants share');
    const document = await runJson<{ heads: { features: unknown[] }[]; participants: unknown[] }>(
      ...['explain', '--model', model, '--top', '3'],
    );
    expect(document.heads[0].features.length).toBe(3);
    expect(document.participants.length).toBe(4);
  });

  test('a row adds up in what is printed, and can be explained by another model', async () => {
    type Row = {
      participant: string;
      base: number;
      decision: number;
      contributions: { contribution: number }[];
    };
    const row = await runJson<Row>('explain', '--model', model, data, '--row', '3', '--top', '100');
    const sum = row.contributions.reduce((total, { contribution }) => total + contribution, row.base);
    expect(sum).toBeCloseTo(row.decision, 12);
    expect(row.participant).toBe('1');
    const other = await runJson<Row>('explain', '--model', model, data, '--row', '3', '--participant', 'a/b');
    expect(other.participant).toBe('a/b');
    expect(other.decision).not.toBe(row.decision);
    const { stdout } = await run(['explain', '--model', model, data, '--row', '3', '--participant', 'a/b']);
    expect(stdout).toContain('by the model of participant a/b');
    expect(stdout).toMatch(/2 other features[\s\S]*base[\s\S]*sum/);
  });

  test('one participant: own is shared plus personal', async () => {
    const { code, stdout } = await run([
      'explain',
      '--model',
      model,
      '--participant',
      '.x y',
      '--out',
      sandbox.path('p.svg'),
    ]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/feature +own +shared +personal/);
    expect(sandbox.read('p.svg')).toContain('Participant .x y');
  });
});
