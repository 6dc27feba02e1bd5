/** What every `StateStore` must do: what has been saved is there again, whole, and one process at a time has it. */

import type { Eventually } from '../../base/ports.ts';
import { type Stream, stream } from '../../base/random.ts';
import type { NewParticipant, ParticipantFile } from '../../client/participant-file.ts';
import type { StateStore } from '../../client/ports.ts';
import { NOTHING_STORED, type Stored } from '../../participant/state.ts';
import { type Define, expectEqual, expectFailure, withOpened } from './contract.ts';

/** A place for one state, which outlives whoever opens it. */
export interface StatePlace {
  open(newcomer: NewParticipant): Eventually<StateStore>;
  /** Leaves nothing behind. */
  close(): Eventually<void>;
}

const ADA: NewParticipant = {
  participant: 'ada',
  features: ['x1', 'ü', ''],
  schema: 'digest of the features',
  columns: { task: 'task', label: 'y', drop: ['z'], own: undefined },
  rows: 'digest of the rows',
};
const SEEDS = 10;
const SAVES = 40;

export function stateStoreContract(define: Define, make: () => Eventually<StatePlace>): void {
  const test = withOpened(define, make);

  test('a new state is that of the newcomer, with a secret and nothing stored', async (place) => {
    const store = await place.open(ADA);
    const { secret, ...file } = store.file;
    expectEqual(file, { ...ADA, stored: NOTHING_STORED }, 'a new state');
    expectEqual(secret.length, 32, 'length of the secret');
    await store.release();
  });

  test('a state that is there stays what it is, whoever opens it', async (place) => {
    const store = await place.open(ADA);
    const { file } = store;
    await store.release();
    const again = await place.open({ ...ADA, participant: 'ben', rows: 'others' });
    expectEqual(again.file, file, 'a state opened again');
    await again.release();
  });

  test('one at a time has it', async (place) => {
    const store = await place.open(ADA);
    await expectFailure(() => place.open(ADA), 'a state that is in use');
    await store.save({ rows: 'others' });
    await store.release();
    const again = await place.open(ADA);
    expectEqual(again.file.rows, 'others', 'rows');
    await again.release();
  });

  test('what was saved is there again, and what was dropped is not', async (place) => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const random = stream(seed, 'state store');
      let store = await place.open(ADA);
      let expected: ParticipantFile = store.file;
      for (let save = 1; save <= SAVES; save++) {
        const changes = changesOf(expected, save, random);
        expected = { ...expected, ...changes };
        await store.save(changes);
        expectEqual(store.file, expected, 'the file after a save');
        if (random.uniform() > 0.1) continue;
        await store.release();
        store = await place.open(ADA);
        expectEqual(store.file, expected, 'the file after a restart');
        // By value from here on: identity does not last longer than a process.
        expected = store.file;
      }
      await store.release();
    }
  });

  test('what was rewritten is there again, and saves go on from it', async (place) => {
    const store = await place.open(ADA);
    await store.save({ rows: 'others', excluded: new Float64Array([1, 2]) });
    await store.rewrite({ rows: 'fewer', excluded: undefined });
    await store.save({ schema: 'another' });
    expectEqual([store.file.rows, store.file.excluded], ['fewer', undefined], 'what was rewritten');
    await store.release();
    const again = await place.open(ADA);
    const { rows, schema, excluded } = again.file;
    expectEqual(
      [rows, schema, excluded],
      ['fewer', 'another', undefined],
      'what was rewritten, after a restart',
    );
    await again.release();
  });

  test('release waits for what is being saved', async (place) => {
    const store = await place.open(ADA);
    const saved = store.save({ rows: 'the last ones' });
    await store.release();
    await saved;
    const again = await place.open(ADA);
    expectEqual(again.file.rows, 'the last ones', 'rows');
    await again.release();
  });
}

function changesOf({ stored }: ParticipantFile, save: number, random: Stream): Partial<ParticipantFile> {
  const vector = () =>
    Float64Array.from({ length: 1 + Math.floor(3 * random.uniform()) }, () => random.normal());
  const solution = () => ({ beta: vector(), u: vector(), s: random.normal() });
  const maybe = <T>(value: T) => (random.uniform() < 0.3 ? undefined : value);
  const changed: Partial<Stored> = {
    ...(random.uniform() < 0.5 && { session: save, base: Math.floor(10 * random.uniform()) }),
    ...(random.uniform() < 0.5 && { committed: maybe(stored.committed ?? solution()) }),
    ...(random.uniform() < 0.5 && {
      model: maybe({ round: save, w: stored.model?.w ?? vector(), u: maybe(vector()) }),
    }),
    ...(random.uniform() < 0.2 && { summed: maybe([{ value: -0, constant: Number.MIN_VALUE }]) }),
    ...(random.uniform() < 0.2 && {
      agreement: maybe({
        classes: maybe({ labels: ['no', 'yes'], positive: 'yes' }),
        target: maybe({ shift: random.normal(), scale: 2 }),
      }),
    }),
    ...(random.uniform() < 0.2 && { finished: maybe('gap' as const), isForgotten: maybe(true) }),
  };
  return {
    stored: { ...stored, ...changed },
    ...(random.uniform() < 0.2 && { federation: { id: `f${save}`, name: 'ü' } }),
  };
}
