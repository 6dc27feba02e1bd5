import { expect, test } from 'vitest';
import { inputError } from '../../../src/base/errors.ts';
import { answerCalls, WorkerCalls } from '../../../src/web/shared/worker-calls.ts';

const log: string[] = [];
const calls = {
  add: (a: number, b: number) => a + b,
  async slow(name: string) {
    log.push(`begin ${name}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
    log.push(`end ${name}`);
    return name;
  },
  refuse: () => {
    throw inputError('BAD_FILE', 'a.csv: expected rows');
  },
  fail: () => {
    throw new Error('broken');
  },
};

/** Two ends of a channel in place of a worker and its page. */
function worker(): Worker {
  const { port1, port2 } = new MessageChannel();
  answerCalls(calls, port2);
  return Object.assign(port1, { terminate: () => port1.close() }) as unknown as Worker;
}

test('calls are answered with results, and with errors that keep their code', async () => {
  const remote = new WorkerCalls<typeof calls>(worker);
  expect(await remote.calls.add(2, 3)).toBe(5);
  await expect(remote.calls.refuse()).rejects.toMatchObject({
    code: 'BAD_FILE',
    message: 'a.csv: expected rows',
  });
  await expect(remote.calls.fail()).rejects.toThrow('broken');
  remote.close();
});

test('one call after the other, in order', async () => {
  const remote = new WorkerCalls<typeof calls>(worker);
  expect(await Promise.all([remote.calls.slow('a'), remote.calls.slow('b'), remote.calls.add(1, 1)])).toEqual(
    ['a', 'b', 2],
  );
  expect(log).toEqual(['begin a', 'end a', 'begin b', 'end b']);
  remote.close();
});

test('a worker is started at the first call, and a failed one is replaced at the next', async () => {
  let started = 0;
  const remote = new WorkerCalls<typeof calls>(() => {
    started++;
    return worker();
  });
  expect(started).toBe(0);
  const first = remote.calls.slow('c');
  const broken = (remote as unknown as { worker: Worker }).worker;
  broken.onerror!({ message: 'load failed', preventDefault() {} } as ErrorEvent);
  await expect(first).rejects.toMatchObject({ code: 'WORKER_FAILED' });
  expect(await remote.calls.add(1, 2)).toBe(3);
  expect(started).toBe(2);
  remote.close();
});
