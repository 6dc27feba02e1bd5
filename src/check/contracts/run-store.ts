/** What every `RunStore` must do: what has been saved is there again, whole, whatever happened in between. */
import { type Stream, stream } from '../../base/random.ts';
import { DEFAULT_OPTIONS } from '../../coordinator/options.ts';
import type { StoredMember, StoredRun } from '../../coordinator/stored.ts';
import type { FederationRecord, HistoryRow, RunStore } from '../../host/ports.ts';
import { type Define, expectEqual, expectFailure, type OpenStore, withStore } from './contract.ts';

const NAME = 'default';
const IDS = ['1', '2', 'drei "vier"', "o'neil", 'ü', '4/5', ' '];
const SEEDS = 20;
const ROUNDS = 25;

export function runStoreContract(define: Define, open: OpenStore<RunStore>): void {
  const test = withStore(define, open);

  test('a new store is empty', async (store) => {
    expectEqual(await store.federations(), [], 'federations');
    expectEqual(await store.loadRun(NAME), undefined, 'run');
    expectEqual(await store.history(NAME, 0, 10), [], 'history');
  });

  test('federations are listed by name, with their options', async (store, { reopen }) => {
    const records = ['wards', 'Alpha', 'b.2'].map(recordOf);
    for (const record of records) await store.addFederation(record);
    const byName = records.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    expectEqual(await store.federations(), byName, 'federations');
    expectEqual(await (await reopen()).federations(), byName, 'federations after a restart');
  });

  test('what was saved is there again, whatever came in between, also a save that failed', async (first, {
    reopen,
  }) => {
    let store = first;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const federation = `${NAME}-${seed}`;
      const random = stream(seed, 'store');
      const expected = new Map<string, StoredMember>();
      for (let round = 1; round <= ROUNDS; round++) {
        const changed = IDS.filter(() => random.uniform() < 0.6);
        const members = changed.map((id) => memberOf(id, round, random));
        const removed = IDS.filter((id) => !changed.includes(id) && random.uniform() < 0.1);
        const changes = { run: runOf(round), members, removed };
        if (random.uniform() < 0.2) {
          await expectFailure(
            () => store.saveRun(federation, changes, [unstorable(round)]),
            'a row that cannot be stored',
          );
        }
        await store.saveRun(federation, changes, [rowOf(round)]);
        for (const member of members) expected.set(member.id, member);
        for (const id of removed) expected.delete(id);
        if (random.uniform() < 0.1) store = await reopen();
      }
      const saved = await store.loadRun(federation);
      expectEqual(saved?.run, runOf(ROUNDS), 'run');
      expectEqual(byId(saved?.members ?? []), byId([...expected.values()]), 'members');
      const rows = await store.history(federation, 0, 100);
      expectEqual(
        rows,
        Array.from({ length: ROUNDS }, (_, i) => rowOf(i + 1)),
        'history',
      );
    }
  });

  test('a save that fails changes nothing', async (store) => {
    const random = stream(1, 'store');
    const before = { run: runOf(1), members: [memberOf('1', 1, random)], removed: [] };
    await store.saveRun(NAME, before, [rowOf(1)]);
    const changes = { run: runOf(2), members: [memberOf('2', 2, random)], removed: ['1'] };
    await expectFailure(
      () => store.saveRun(NAME, changes, [rowOf(2), unstorable(3)]),
      'a row that cannot be stored',
    );
    expectEqual(await store.loadRun(NAME), { run: before.run, members: before.members }, 'run');
    expectEqual(await store.history(NAME, 0, 10), [rowOf(1)], 'history');
  });

  test('what was given, and what was loaded, may be changed afterwards', async (store) => {
    const u = Float64Array.of(1, 2, 3);
    const member = { ...memberOf('1', 1, stream(1, 'store')), known: { u } };
    await store.saveRun(NAME, { run: runOf(1), members: [member], removed: [] }, []);
    u.fill(7);
    for (let time = 1; time <= 2; time++) {
      const loaded = (await store.loadRun(NAME))?.members[0].known?.u;
      expectEqual(loaded, Float64Array.of(1, 2, 3), 'a vector');
      loaded?.fill(9);
    }
  });

  test('numbers stay the bits they were', async (store, { reopen }) => {
    const u = Float64Array.of(0, -0, 5e-324, 0.1, -1e308, Number.POSITIVE_INFINITY, Number.NaN);
    const member = { ...memberOf('1', 1, stream(1, 'store')), known: { u } };
    const row = { ...rowOf(1), relativeGap: Number.POSITIVE_INFINITY, primal: -0 };
    await store.saveRun(NAME, { run: runOf(1), members: [member], removed: [] }, [row]);
    const again = await reopen();
    expectEqual((await again.loadRun(NAME))?.members[0].known?.u, u, 'a vector');
    expectEqual(await again.history(NAME, 0, 1), [row], 'a row');
  });

  test('history comes in order, page by page; a round that is closed again replaces its row', async (store) => {
    const changes = (round: number) => ({ run: runOf(round), members: [], removed: [] });
    await store.saveRun(NAME, changes(1), [rowOf(1)]);
    await store.saveRun(
      NAME,
      changes(12),
      Array.from({ length: 11 }, (_, i) => rowOf(i + 2)),
    );
    const again = { ...rowOf(10), closedMs: 99 };
    await store.saveRun(NAME, changes(13), [again]);
    expectEqual(await store.history(NAME, 8, 3), [rowOf(9), again, rowOf(11)], 'a page');
    expectEqual(await store.history(NAME, 11, 3), [rowOf(12)], 'the last page');
    expectEqual(await store.history(NAME, 12, 3), [], 'after the last page');
  });

  test('federations do not see each other', async (store) => {
    const changes = { run: runOf(1), members: [memberOf('1', 1, stream(1, 'store'))], removed: [] };
    await store.saveRun('a', changes, [rowOf(1)]);
    expectEqual(await store.loadRun('b'), undefined, 'run of another');
    expectEqual(await store.history('b', 0, 10), [], 'history of another');
    await store.saveRun('b', { run: runOf(5), members: [], removed: ['1'] }, []);
    expectEqual((await store.loadRun('a'))?.members.length, 1, 'members of a');
    expectEqual((await store.loadRun('a'))?.run, runOf(1), 'run of a');
  });

  test('a federation that is removed is gone with its run and its history, and others stay', async (store, {
    reopen,
  }) => {
    const changes = { run: runOf(1), members: [memberOf('1', 1, stream(1, 'store'))], removed: [] };
    for (const name of ['a', 'b']) {
      await store.addFederation(recordOf(name));
      await store.saveRun(name, changes, [rowOf(1)]);
    }
    await store.removeFederation('a');
    await store.removeFederation('never was');
    const again = await reopen();
    expectEqual(await again.federations(), [recordOf('b')], 'federations');
    expectEqual(await again.loadRun('a'), undefined, 'run');
    expectEqual(await again.history('a', 0, 10), [], 'history');
    expectEqual((await again.loadRun('b'))?.members.length, 1, 'members of another');
    expectEqual(await again.history('b', 0, 10), [rowOf(1)], 'history of another');
  });
}

function recordOf(name: string): FederationRecord {
  return { name, id: `id of ${name}`, createdMs: 1.5, options: DEFAULT_OPTIONS };
}

function runOf(round: number): StoredRun {
  return {
    phase: 'open',
    round,
    purpose: 'train',
    features: 6,
    scaling: undefined,
    agreement: {
      classes: { labels: ['mild', 'severe'], positive: 'severe' },
      target: { shift: round, scale: 0.5 },
    },
    aggregated: round - 1,
    wokenRound: 0,
    gap: 1 / round,
    bestGap: 1 / round,
    bestRound: round,
    certificate: { primal: 3, dual: 2, relativeGap: Number.NaN },
    missing: IDS.slice(0, round % 3),
    best: undefined,
    finish: undefined,
    forgotten: [['gone', round]],
    accepted: Float64Array.of(0, round, 1),
  };
}

/** What a round does to a member: with steps a new u. */
function memberOf(id: string, round: number, random: Stream): StoredMember {
  const u = Float64Array.from({ length: 7 }, () => random.normal());
  return {
    id,
    index: IDS.indexOf(id),
    rows: 3,
    benchmarkMs: 1.5,
    session: round,
    barred: 0,
    presence: 'here',
    accepted: { round, factor: 0.25 },
    edition: 0,
    known: random.uniform() < 0.1 ? undefined : { u },
  };
}

function rowOf(round: number): HistoryRow {
  return {
    round,
    atMs: round + 0.5,
    closedMs: round,
    purpose: 'train',
    responders: IDS.slice(0, 1 + (round % 4)),
    outcome: 'aggregated',
    certified: true,
    missing: [],
    sigma: 1,
    primal: 2 / round,
    dual: 1 / round,
    relativeGap: Number.NaN,
  };
}

/** Fails after the rest of the change has been looked at. */
function unstorable(round: number): HistoryRow {
  return { ...rowOf(round), scores: [() => round] } as unknown as HistoryRow;
}

function byId(members: readonly StoredMember[]): StoredMember[] {
  return members.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
