/** Frames that wait are taken in order and in slices: what else there is to do is done between them. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Bus, type CoreConnection } from '../../src/nats/bus.ts';
import { Inbox } from '../../src/nats/inbox.ts';
import { ProtocolError } from '../../src/protocol/protocol-error.ts';
import { until } from '../helpers/server.ts';

/** As long as some frames of a crowd take. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('timers and answers have their turn while many wait, and the order stays', async () => {
  const inbox = new Inbox();
  const taken: number[] = [];
  for (let k = 0; k < 50; k++)
    inbox.put(1, () => {
      work(3);
      taken.push(k);
    });
  const seen: number[] = [];
  const timer = setInterval(() => seen.push(taken.length), 1);
  await until(() => taken.length === 50, 'all are taken');
  clearInterval(timer);
  expect(taken).toEqual(Array.from({ length: 50 }, (_, k) => k));
  // In one go it would have been seen at the end only.
  expect(seen.filter((count) => count > 0 && count < 50).length).toBeGreaterThan(3);
});

test('one that throws does not keep the rest from being taken', async () => {
  const inbox = new Inbox();
  const failures: unknown[] = [];
  const note = (error: unknown) => failures.push(error);
  const before = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException').once('uncaughtException', note);
  let isTaken = false;
  inbox.put(1, () => {
    throw new Error('a defect');
  });
  inbox.put(1, () => {
    isTaken = true;
  });
  await until(() => isTaken, 'the next is taken');
  process.removeAllListeners('uncaughtException');
  for (const listener of before) process.on('uncaughtException', listener);
  expect(failures).toMatchObject([{ message: 'a defect' }]);
});

test('what would take too much memory is lost, and what was taken makes room', async () => {
  const inbox = new Inbox();
  const most = 128 * 1024 * 1024;
  expect([inbox.put(most, () => {}), inbox.put(1, () => {})]).toEqual([true, false]);
  await nextTurn();
  expect(inbox.put(most, () => {})).toBe(true);
});

test('after the end of a subscription nothing is taken, not even what waits; what is not understood is counted', async () => {
  let arrive: ((data: Uint8Array) => void) | undefined;
  const connection: CoreConnection = {
    isClosed: () => false,
    publish: () => {},
    subscribe: (subject, { callback }) => {
      arrive = (data) => callback(null, { data, subject, respond: () => true });
      return { unsubscribe: () => {} };
    },
    request: async () => ({ data: new Uint8Array(0) }),
    flush: async () => {},
    status: async function* () {},
  };
  const bus = new Bus(connection);
  const taken: number[] = [];
  const end = bus.subscribe('a', ([first]) => {
    if (first === 9) throw new ProtocolError('BAD_FRAME', 'nine');
    taken.push(first);
  });
  for (const byte of [1, 9, 2]) arrive!(Uint8Array.of(byte));
  await nextTurn();
  expect([taken, bus.counts.bad]).toEqual([[1, 2], 1]);
  arrive!(Uint8Array.of(3));
  end();
  await nextTurn();
  expect(taken).toEqual([1, 2]);
});
