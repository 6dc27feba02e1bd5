/** Real clients over real sockets: threads that solve, folders that remember, and the machine of the coordinator. */
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Participation } from '../../../src/client/participation-options.ts';
import type { Table } from '../../../src/data/table.ts';
import { train } from '../../../src/methods/train.ts';
import { readParticipantState } from '../../../src/node/client/state-folder.ts';
import type { TrainOptions } from '../../../src/settings/training.ts';
import { smallHar, smallRegression } from '../../helpers/tables.ts';
import { optionsLike, TestServer } from '../../helpers/test-server.ts';
import { difference, joinAs, temporaryFolder, until, useBuilt } from './helpers.ts';

useBuilt();
const folder = temporaryFolder();
const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});
let folders = 0;
const newFolder = () => join(folder, `state-${folders++}`);

async function serve(...[train, changes]: Parameters<typeof optionsLike>): Promise<TestServer> {
  const server = await TestServer.start(optionsLike(train, { minParticipants: 3, ...changes }));
  open.push(server);
  return server;
}

function everybody(server: TestServer, table: Table, testFraction: number, folderOf = newFolder) {
  return table.participants.map((id) => {
    const participation = joinAs(server, table, id, { stateFolder: folderOf(), testFraction });
    open.push(participation);
    return participation;
  });
}

/** Everybody has the model that `train` comes to. */
function expectSameAsTrain(
  table: Table,
  options: TrainOptions,
  participants: readonly Participation[],
): void {
  const { model } = train(table, options);
  for (const [k, participation] of participants.entries()) {
    const own = participation.model()!;
    expect(difference(own.w, model.w)).toBeLessThan(1e-9);
    const id = table.participants[k];
    expect(difference(own.personal.get(id)!, model.personal.get(id)!)).toBeLessThan(1e-9);
    expect(own.classes).toEqual(model.classes);
    expect(own.features).toEqual(model.features);
  }
}

describe('a federation of three', () => {
  test.each(['classification', 'regression'] as const)(
    'comes to the very model of train, and everybody knows how good it is: %s',
    async (objective) => {
      const table = objective === 'classification' ? smallHar(3, 3, 40) : smallRegression(2);
      const options = { objective, testFraction: 0.3, gap: 1e-4, c1: 2, c2: 0.5, rounds: 30 } as const;
      const server = await serve(options, { minParticipants: table.participants.length });
      const participants = everybody(server, table, 0.3);
      const results = await Promise.all(participants.map(({ done }) => done));
      expectSameAsTrain(table, options, participants);
      const trained = train(table, options);
      for (const [k, { reason, test, base, passes }] of results.entries()) {
        const { id: _i, rows: _r, testRows, ...metrics } = trained.participants[k];
        expect(reason).toBe(trained.stopped);
        expect(test).toEqual({ rows: testRows, ...metrics });
        expect(base).toBeGreaterThan(0);
        expect(passes).toBeGreaterThan(0);
      }
    },
  );

  test('goes on where it was when all connections are cut in the middle of rounds', async () => {
    const table = smallHar(3, 3, 40);
    const options = { testFraction: 0, gap: 1e-4, rounds: 30 } as const;
    const server = await serve(options);
    const participants = everybody(server, table, 0);
    for (const round of [2, 4, 5]) {
      await until(server, () => server.state.round >= round && server.state.phase === 'open');
      server.disconnect();
    }
    const results = await Promise.all(participants.map(({ done }) => done));
    expect(results.map(({ reason }) => reason)).toEqual(['gap', 'gap', 'gap']);
    expectSameAsTrain(table, options, participants);
  });

  test('what the folders hold adds up to what the coordinator has', async () => {
    const table = smallHar(5, 3, 30);
    const server = await serve({ gap: 1e-3 });
    const participants = everybody(server, table, 0);
    const results = await Promise.all(participants.map(({ done }) => done));
    const { sum: held, u } = server.books;
    const sum = new Float64Array(held.length);
    for (const { state, participant } of results) {
      const { stored, federation } = readParticipantState(state);
      expect(federation).toEqual(server.federation);
      expect(difference(stored.committed!.u, u.get(participant)!)).toBeLessThan(1e-12);
      for (let j = 0; j < sum.length; j++) sum[j] += stored.committed!.u[j];
    }
    expect(difference(sum, held)).toBeLessThan(1e-9);
  });
});
