/** Participants with different columns: what somebody does not have is a gap in all of its rows, and nothing else is different. */
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { JoinEvent } from '../../../src/client/participation-options.ts';
import { rowsOfParticipant } from '../../../src/data/participants.ts';
import { selectFeatures } from '../../../src/data/select-features.ts';
import type { Table } from '../../../src/data/table.ts';
import { modelFromJson, modelToJson } from '../../../src/methods/model.ts';
import { predict } from '../../../src/methods/predict.ts';
import { train } from '../../../src/methods/train.ts';
import type { TrainOptions } from '../../../src/settings/training.ts';
import { messyTable } from '../../helpers/messy.ts';
import { operate, QUICK, ServerTest, until } from '../../helpers/server.ts';
import { optionsLike, TestServer } from '../../helpers/test-server.ts';
import { difference, joinAs, temporaryFolder, useBuilt } from './helpers.ts';

useBuilt();
const servers = new ServerTest();
const folder = temporaryFolder();
const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});
let folders = 0;
const newFolder = () => join(folder, `state-${folders++}`);

const OPTIONS: TrainOptions = { testFraction: 0.3, gap: 1e-5, c1: 2, c2: 0.5, rounds: 60 };
const ALL = ['age', 'color', 'size', 'site'];

async function serve(minParticipants = 3): Promise<TestServer> {
  const server = await TestServer.start(optionsLike(OPTIONS, { minParticipants, columns: 'union' }));
  open.push(server);
  return server;
}

/** Somebody's rows with some of the columns, in this order. */
function withColumns(table: Table, id: string, columns: readonly string[]): Table {
  const own = rowsOfParticipant(table, id)!;
  return selectFeatures(
    own,
    columns.map((name) => own.features.indexOf(name)),
  );
}

/** The table of all columns, with gaps by hand where somebody does not have one. */
function withGaps(table: Table, columnsOf: readonly (readonly string[])[]): Table {
  const d = table.features.length;
  const x = table.x.map((value, at) => {
    const name = table.features[at % d];
    return columnsOf[table.participantOf[Math.floor(at / d)]].includes(name) ? value : Number.NaN;
  });
  return { ...table, x };
}

describe('a federation with columns union', () => {
  test.each([
    ['one lacks a number, one a text', 1, [ALL, ['size', 'color', 'site'], ['site', 'age', 'size']]],
    [
      'nobody has all',
      2,
      [
        ['age', 'color'],
        ['color', 'size'],
        ['size', 'site'],
      ],
    ],
    ['everybody has all, in another order', 3, [ALL, [...ALL].reverse(), ['color', 'site', 'age', 'size']]],
    ['numbers alone, without gaps', 4, [['size'], ['size', 'age'], ['age', 'size']]],
  ])('[COLUMNS-8] is training on the table with gaps in what is absent: %s', async (_, seed, columnsOf) => {
    const whole = messyTable({ seed, ...(seed === 4 && { gapsOf: () => false }) });
    const known = ALL.filter((name) => columnsOf.some((columns) => columns.includes(name)));
    const table = withColumnsOfAll(withGaps(whole, columnsOf), [...new Set(columnsOf.flat())]);
    expect(new Set(table.features)).toEqual(new Set(known));
    const server = await serve();
    const own = whole.participants.map((id, k) => withColumns(whole, id, columnsOf[k]));
    const participants = own.map((rows, k) =>
      joinAs(server, rows, whole.participants[k], { stateFolder: newFolder(), testFraction: 0.3 }),
    );
    open.push(...participants);
    const results = await Promise.all(participants.map(({ done }) => done));
    const trained = train(table, OPTIONS);
    for (const [k, participation] of participants.entries()) {
      const id = whole.participants[k];
      const model = participation.model()!;
      // Also where nobody has a gap, and `train` needs no encoding.
      expect(model.encoding!.absent).toBe('missing');
      expect(model.features).toEqual(trained.model.features);
      expect(difference(model.w, trained.model.w)).toBeLessThan(1e-6);
      expect(difference(model.personal.get(id)!, trained.model.personal.get(id)!)).toBeLessThan(1e-6);
      const { id: _i, rows: _r, testRows, ...metrics } = trained.participants[k];
      expect(results[k].test).toEqual({ rows: testRows, ...metrics });
      // From the state, written and read, with nothing but its own columns.
      const again = modelFromJson(modelToJson(model), 'model.json');
      expect(predict(again, own[k]).map(({ prediction }) => prediction)).toEqual(
        predict(trained.model, rowsOfParticipant(table, id)!).map(({ prediction }) => prediction),
      );
    }
  });

  test('[COLUMNS-9] a newcomer: what it has besides is ignored, what it lacks is missing, and it is said', async () => {
    const table = messyTable({ participants: 4 });
    const server = await serve(2);
    const begun = ['p0', 'p1'].map((id) =>
      joinAs(server, withColumns(table, id, ['age', 'size']), id, {
        stateFolder: newFolder(),
        keepGoing: true,
      }),
    );
    open.push(...begun);
    await until(() => begun.every(({ status }) => status.phase === 'finished'), 'rest');
    const agreed = server.state.agreement;
    const events: JoinEvent[] = [];
    const rows = withColumns(table, 'p2', ['site', 'size']);
    const late = joinAs(server, rows, 'p2', {
      stateFolder: newFolder(),
      onEvent: (event) => events.push(event),
    });
    open.push(late);
    await late.done;
    expect(server.state.agreement).toEqual(agreed);
    expect(server.state.features).toBe(2);
    expect(events).toContainEqual({ type: 'columns differ', absent: ['age'], ignored: ['site'] });
    const model = late.model()!;
    expect(model.features).toEqual(begun[0].model()!.features);
    expect(predict(model, rows)).toEqual(
      predict(model, withGaps(withColumns(table, 'p2', ['size', 'age']), [['size']])),
    );
    const stranger = joinAs(server, withColumns(table, 'p3', ['site']), 'p3', { stateFolder: newFolder() });
    open.push(stranger);
    await expect(stranger.done).rejects.toMatchObject({
      code: 'WRONG_FEATURES',
      message: expect.stringMatching(
        /expected at least one column of the federation, such as "age", "size", got "site"/,
      ),
    });
  });

  test('[COLUMNS-8] a column that is text here and numbers there is refused in one sentence', async () => {
    const table = messyTable();
    const server = await serve();
    const first = joinAs(server, withColumns(table, 'p0', ['size', 'site']), 'p0', {
      stateFolder: newFolder(),
    });
    open.push(first);
    await until(() => server.state.measured === 1, 'moments');
    const own = withColumns(table, 'p1', ['age', 'size']);
    const other = joinAs(server, { ...own, features: ['age', 'site'] }, 'p1', { stateFolder: newFolder() });
    open.push(other);
    await expect(other.done).rejects.toMatchObject({
      code: 'WRONG_FEATURES',
      message: expect.stringMatching(
        /expected text in column "site", as other participants have, got numbers; --categorical/,
      ),
    });
  });

  test('the server admits other columns with union only, and its model takes any of them', async () => {
    const table = messyTable({ participants: 2 });
    const exact = await servers.start({}, QUICK);
    const union = await servers.start({}, { ...QUICK, columns: 'union' });
    const [a, b] = [withColumns(table, 'p0', ['age', 'size']), withColumns(table, 'p1', ['size', 'site'])];
    const joined = (server: { readonly url: string }, rows: Table, id: string) => {
      const participation = joinAs(server, rows, id, { stateFolder: newFolder() });
      open.push(participation);
      return participation;
    };
    const waiting = joined(exact, a, 'p0');
    await until(() => waiting.status.awaited === 1, 'joined');
    await expect(joined(exact, b, 'p1').done).rejects.toMatchObject({
      code: 'WRONG_FEATURES',
      message: expect.stringMatching(/without "age", with "site \(text\)" besides/),
    });
    await Promise.all([joined(union, a, 'p0').done, joined(union, b, 'p1').done]);
    const { text } = await operate(union, '/v1/federations/default/model');
    const model = modelFromJson(text, 'served');
    expect(model.encoding!.columns.map(({ name }) => name)).toEqual(['age', 'size', 'site']);
    expect(predict(model, b)).toHaveLength(b.n);
  });
});

/** In the order in which the first who has a column brings it. */
function withColumnsOfAll(table: Table, columns: readonly string[]): Table {
  return selectFeatures(
    table,
    columns.map((name) => table.features.indexOf(name)),
  );
}
