import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { KindredError } from '../../src/base/errors.ts';
import type { Table } from '../../src/data/table.ts';
import { modelToJson } from '../../src/methods/model.ts';
import { train } from '../../src/methods/train.ts';
import { type TuneOptions, tune } from '../../src/methods/tune.ts';
import { onThreads, Thread } from '../../src/node/threads/threads.ts';
import { trainOnThreads } from '../../src/node/threads/training-pool.ts';
import { tuneOnThreads } from '../../src/node/threads/tuning-pool.ts';
import type { TrainOptions } from '../../src/settings/training.ts';
import { smallHar, smallRegression } from '../helpers/tables.ts';

const har = smallHar(3, 5, 40);
const uneven: TrainOptions = { trainRows: { '1': 3, '2': 1, '4': 11 } };

const CASES: readonly [string, Table, TrainOptions][] = [
  ['classification', har, {}],
  ['regression', smallRegression(), { objective: 'regression' }],
  ['class weights', har, { classWeight: 'balanced', c1: 3 }],
  ['uneven participants', har, uneven],
  ['few passes, no bias', har, { passes: 2, bias: false, scale: 'center' }],
  ['every participant alone', har, { ...uneven, method: 'local' }],
  ['two participants', smallHar(3, 2, 40), {}],
  ['the first two participants', har, { participants: 2 }],
  ['random features', har, { features: 'rff:40' }],
  ['a method that does not ask', har, { method: 'mocha', rounds: 10 }],
];

/** Everything, with each bit of the model. */
function documentOf(result: ReturnType<typeof train>): string {
  return JSON.stringify({ ...result, model: modelToJson(result.model) });
}

describe('training', () => {
  test.each(CASES)('%s: 1, 2 and 3 threads give the same bits', async (_, table, options) => {
    const alone = documentOf(train(table, options));
    for (const threads of [1, 2, 3])
      expect(documentOf(await trainOnThreads(threads, table, options))).toBe(alone);
  });

  test('rounds are shown as they are with one thread', async () => {
    const rounds = async (threads: number) => {
      const seen: unknown[] = [];
      await trainOnThreads(
        threads,
        har,
        {},
        {
          onRound: ({ row, w, personal }) => seen.push({ row, w: [...w], v: [...personal(4)] }),
        },
      );
      return seen;
    };
    expect(await rounds(2)).toEqual(await rounds(1));
  });

  test('a bad option is refused as with one thread, and no thread is left', async () => {
    await expect(trainOnThreads(2, har, { c1: -1 })).rejects.toThrow(/--c1: expected a number above 0/);
    await expect(trainOnThreads(2, har, { positive: 'standing' })).rejects.toMatchObject({
      code: 'UNKNOWN_POSITIVE',
    });
  });
});

describe('tuning', () => {
  const grid = { c1: [0.1, 1], c2: [0.1, 1] };
  const cases: readonly [string, Table, TuneOptions][] = [
    ['classification', har, { grid, folds: 3 }],
    ['regression', smallRegression(), { objective: 'regression', grid, folds: 3 }],
    ['class weights', har, { classWeight: 'balanced', grid, folds: 2 }],
    ['every participant alone', har, { method: 'local', grid: { c1: [0.1, 1, 10] }, folds: 2 }],
    ['a search that drops and widens', har, { folds: 2, rounds: 5 }],
    ['fewer parts than threads', har, { grid: { ...grid, scale: ['center'] }, folds: 2, participants: 2 }],
  ];
  test.each(cases)('%s: 1, 2 and 3 threads give the same table', async (_, table, options) => {
    const alone = JSON.stringify(tune(table, options));
    for (const threads of [1, 2, 3])
      expect(JSON.stringify(await tuneOnThreads(threads, table, options))).toBe(alone);
  });

  test('progress is counted over all threads', async () => {
    const seen: number[] = [];
    const onProgress = (done: number, total: number) => seen.push(done / total);
    await tuneOnThreads(2, har, { grid, folds: 3, classWeight: 'none' }, { onProgress });
    expect(seen).toEqual(Array.from({ length: 25 }, (_, i) => i / 24));
  });
});

describe('a thread', () => {
  /** Rows that no arena can hold: asked for, never written. */
  const endless = {
    rows: {
      x: new Float64Array(0),
      scaling: { mode: 'none', shift: new Float64Array(1), factor: new Float64Array(1) },
      bias: true,
      own: [{ id: 'a', n: 2 ** 27, places: new Uint32Array(0), y: new Float64Array(0), weights: undefined }],
    },
    forms: ['rows'],
    problem: { objective: 'classification', c1: 1, c2: 1, epsilon: 0 },
  };

  test('passes on a KindredError with code, sentence and kind, and goes on', async () => {
    const thread = new Thread<unknown, never, unknown[]>('threads/training-worker', undefined);
    try {
      const error = await thread.ask(endless).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(KindredError);
      expect(error).toMatchObject({ code: 'OUT_OF_MEMORY', kind: 'run' });
      expect((error as Error).message).toMatch(
        /^memory: \d+ MiB needed in addition to .* fewer rows or features$/,
      );
      expect(await thread.ask({ kind: 'sum', members: [], questions: [] })).toEqual([]);
    } finally {
      await thread.end();
    }
  });

  test('whose request fails ends the others, and its error is that of all', async () => {
    const nothing = { kind: 'sum', members: [], questions: [] };
    const done: number[] = [];
    const working = onThreads<unknown, never, unknown[]>(
      {
        file: 'threads/training-worker',
        workerData: undefined,
        requests: [nothing, endless, nothing, nothing],
        threads: 1,
      },
      () => {},
      (_, place) => done.push(place),
    );
    await expect(working).rejects.toMatchObject({ name: 'KindredError', code: 'OUT_OF_MEMORY' });
    expect(done).toEqual([0]);
  });

  test('passes on any other error, with its message', async () => {
    const thread = new Thread<unknown, never, unknown[]>('threads/training-worker', undefined);
    try {
      await expect(thread.ask({ kind: 'sum', members: [0], questions: [0] })).rejects.toThrow(/undefined/);
    } finally {
      await thread.end();
    }
  });

  test('that is gone refuses at once', async () => {
    const thread = new Thread<unknown, never, unknown[]>('threads/training-worker', undefined);
    await thread.end();
    await expect(thread.ask({})).rejects.toThrow(/a worker thread ended/);
  });

  test('that does not start is an error of the request', async () => {
    const thread = new Thread<unknown, never, unknown[]>('no-such-worker', undefined);
    await expect(thread.ask({})).rejects.toThrow(/no-such-worker/);
  });
});

test('a process ends by itself after a training, a tuning and a failure on threads', () => {
  const dist = fileURLToPath(new URL('../../dist', import.meta.url));
  const program = `
    import { makeHarLike } from '${dist}/data/generate-har.js';
    import { trainOnThreads } from '${dist}/node/threads/training-pool.js';
    import { tuneOnThreads } from '${dist}/node/threads/tuning-pool.js';
    const table = makeHarLike({ participants: 4, rowsPerParticipant: 30, features: 6, seed: 1 });
    await trainOnThreads(2, table);
    await tuneOnThreads(2, table, { grid: { c1: [1], c2: [1] } });
    await trainOnThreads(2, table, { positive: 'no such class' }).catch((error) => console.log(error.code));
  `;
  const argv = ['--input-type=module', '--eval', program];
  expect(execFileSync(process.execPath, argv, { encoding: 'utf8', timeout: 30_000 })).toBe(
    'UNKNOWN_POSITIVE\n',
  );
});
