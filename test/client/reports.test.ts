/** What a participant tells the operator beside its answers: test metrics if it wants to, and failures by code. */
import { expect, test } from 'vitest';
import { KindredError } from '../../src/base/errors.ts';
import type { OpenSolver } from '../../src/client/ports.ts';
import { localSolver } from '../../src/client/row-work.ts';
import { rowsOfParticipant } from '../../src/data/participants.ts';
import { systemClock } from '../../src/node/clock.ts';
import { entropyStream } from '../../src/node/crypto.ts';
import { decodeFrom } from '../../src/protocol/codec.ts';
import type { ToCoordinator } from '../../src/protocol/messages.ts';
import { join, newDevice, serve } from '../helpers/memory-federation.ts';
import { slowStore } from '../helpers/memory-server.ts';
import { smallHar, smallRegression } from '../helpers/tables.ts';
import { optionsLike } from '../helpers/test-server.ts';

const table = smallHar(3, 2, 40);
const dataOf = (id: string) => ({ table: rowsOfParticipant(table, id)! });

/** Everything that participants send, beside being taken. */
function overheard(server: ReturnType<typeof serve>['server']): ToCoordinator[] {
  const messages: ToCoordinator[] = [];
  const receive = server.onFrame;
  server.onFrame = (from, frame) => {
    messages.push(decodeFrom('participant', frame));
    receive(from, frame);
  };
  return messages;
}

/** Solves two rounds; in the third it fails as it is told to. */
function failingSolver(failIn: (fail: (error: Error) => void) => void): OpenSolver {
  return (rows, events) => {
    const solver = localSolver(systemClock, entropyStream)(rows, events);
    return {
      prepare: (...given) => solver.prepare(...given),
      cancel: () => solver.cancel(),
      interrupt: () => solver.interrupt(),
      close: () => solver.close(),
      solve: (request) => (request.round < 3 ? solver.solve(request) : failIn(events.failed)),
    };
  };
}

test('[TESTS-1] only who chooses to reports tests, and the last report is that of the model it ends with', async () => {
  const { server, rows, close } = serve(optionsLike({ gap: 1e-3 }, { minParticipants: 2 }));
  const messages = overheard(server);
  const parts = ['1', '2'].map((participant) =>
    join(server, newDevice(), {
      participant,
      data: dataOf(participant),
      testFraction: 0.25,
      reportTests: participant === '1',
    }),
  );
  const [{ test: tested }] = await Promise.all(parts.map(({ done }) => done));
  close();
  const reports = messages.flatMap((message) => (message.kind === 'answer' ? [message.tests] : []));
  expect(reports.filter((report) => report === undefined)).toHaveLength(rows.length);
  for (const { tests } of rows) expect(tests).toMatchObject({ participants: 1, metric: 'balancedAccuracy' });
  // Answers are less exact than the model at the end, by far less than a row.
  const best = rows.map(({ tests }) => tests!.own.mean);
  expect(best).toContain(tested!.balancedAccuracy);
});

test('[TESTS-1] errors are in units of the target, whatever its scaling', async () => {
  const values = smallRegression();
  const [id] = values.participants;
  const { server, rows, close } = serve(
    optionsLike({ gap: 1e-4, objective: 'regression' }, { minParticipants: 1 }),
  );
  const part = join(server, newDevice(), {
    participant: id,
    data: { table: rowsOfParticipant(values, id)! },
    testFraction: 0.3,
    reportTests: true,
  });
  const { test: tested, target } = await part.done;
  close();
  expect(Math.abs(target!.scale - 1)).toBeGreaterThan(0.01);
  const { metric, own } = rows.at(-1)!.tests!;
  expect(metric).toBe('rmse');
  expect(Math.abs(own.mean / tested!.rmse! - 1)).toBeLessThan(0.05);
});

test('to report without test rows is a mistake', async () => {
  const { server, close } = serve(optionsLike({}, { minParticipants: 1 }));
  const part = join(server, newDevice(), { participant: '1', data: dataOf('1'), reportTests: true });
  await expect(part.done).rejects.toThrow(
    'option --report-tests: expected test rows, got none; --test-fraction 0.3 keeps some aside',
  );
  close();
});

test('[FAULT-1] [FAULT-2] a solver that fails: the operator is sent its code and nothing else', async () => {
  const { server, state, close } = serve(optionsLike({ gap: 0, rounds: 1000 }));
  const messages = overheard(server);
  const failing = failingSolver((fail) =>
    fail(new KindredError('SOLVER_FAILED', 'row 17: 4.25 is private', 'run')),
  );
  const part = join(server, newDevice(), { participant: '1', data: dataOf('1') }, slowStore, failing);
  await expect(part.done).rejects.toThrow('row 17');
  close();
  // On its way when the participant ended.
  await expect.poll(() => [...state.faults]).toEqual([['SOLVER_FAILED', 1]]);
  const faults = messages.filter(({ kind }) => kind === 'fault');
  expect(faults).toEqual([{ kind: 'fault', session: 1, round: 3, code: 'SOLVER_FAILED' }]);
  expect(state.members.get('1')).toMatchObject({ fault: 'SOLVER_FAILED' });
});

test('[FAULT-1] frames that it cannot read are reported once, and it goes on', async () => {
  const { server, state, close } = serve(optionsLike({ gap: 0, rounds: 20 }));
  let isFirst = true;
  const part = join(server, newDevice(), {
    participant: '1',
    data: dataOf('1'),
    onEvent: ({ type }) => {
      if (type !== 'solved' || !isFirst) return;
      isFirst = false;
      for (let i = 0; i < 5; i++) server.send('1', Uint8Array.of(1, 2, 3));
    },
  });
  expect((await part.done).reason).toBe('rounds');
  close();
  expect([...state.faults]).toEqual([['BAD_FRAME', 1]]);
  // It has answered since.
  expect(state.members.get('1')!.fault).toBeUndefined();
});

test('[FAULT-1] a failure while the connection is lost is reported with the next connection, before the participant ends', async () => {
  const { server, state, close } = serve(optionsLike({ gap: 0, rounds: 1000 }));
  const messages = overheard(server);
  const failing = failingSolver((fail) => {
    server.disconnect('1', 1006);
    fail(new KindredError('OUT_OF_MEMORY', 'too many rows', 'run'));
  });
  const options = { participant: '1', data: dataOf('1'), retryFromMs: 1 };
  const part = join(server, newDevice(), options, slowStore, failing);
  await expect(part.done).rejects.toThrow('too many rows');
  close();
  await expect.poll(() => [...state.faults]).toEqual([['OUT_OF_MEMORY', 1]]);
  expect(messages.at(-1)).toEqual({ kind: 'fault', session: 1, round: 3, code: 'OUT_OF_MEMORY' });
});
