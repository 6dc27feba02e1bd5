/**
 * The durable state of one participant in IndexedDB. A state is cut into its fields, a record each, so that a save writes only those that
 * have changed; one transaction writes them all, or none.
 *
 *   [name, '']             { version }
 *   [name, 'rows']         a field of the participant's file
 *   [name, 'stored.base']  a field of what its machine stores
 */
import { inputError } from '../base/errors.ts';
import type { Eventually } from '../base/ports.ts';
import { type NewParticipant, newParticipantFile, type ParticipantFile } from '../client/participant-file.ts';
import type { StateStore } from '../client/ports.ts';
import { reading, requested, writing } from './database.ts';
import { randomBytes } from './entropy.ts';
import { checkOwner } from './ownership.ts';

/** Of what a state holds; the same as of a state folder. */
export const STATE_VERSION = 3;
const SECRET_BYTES = 32;
const STORED = 'stored.';

type Fields = ReadonlyMap<string, unknown>;

/** The state of a name as it is; undefined: there is none. */
export function readStateFile(database: IDBDatabase, name: string): Promise<ParticipantFile | undefined> {
  return reading(database, ['states'], async (transaction) => {
    const store = transaction.objectStore('states');
    const range = allOf(name);
    const [keys, values] = await Promise.all([
      requested(store.getAllKeys(range)),
      requested(store.getAll(range)),
    ]);
    const fields = keys.map((key, i) => [(key as [string, string])[1], values[i]] as const);
    return keys.length === 0 ? undefined : fileOf(name, new Map(fields));
  });
}

/** `newcomer` begins where there is nothing yet. The token is that of the owner (ownership.ts). */
export async function openStateStore(
  database: IDBDatabase,
  name: string,
  token: string,
  newcomer: NewParticipant,
): Promise<StateStore> {
  const known = await readStateFile(database, name);
  const file = known ?? newParticipantFile(newcomer, randomBytes(SECRET_BYTES));
  const store = new IndexedStateStore(database, name, token, file);
  if (!known) await store.rewrite({});
  return store;
}

class IndexedStateStore implements StateStore {
  readonly place: string;
  private readonly database: IDBDatabase;
  private readonly name: string;
  private readonly token: string;
  private current: ParticipantFile;
  /** One after the other, each from what the one before has left. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(database: IDBDatabase, name: string, token: string, file: ParticipantFile) {
    this.place = `state "${name}" of this browser`;
    this.database = database;
    this.name = name;
    this.token = token;
    this.current = file;
  }

  get file(): ParticipantFile {
    return this.current;
  }

  save(changes: Partial<ParticipantFile>): Promise<void> {
    return this.next(async () => {
      const file = { ...this.current, ...changes };
      const before = fieldsOf(this.current);
      const now = fieldsOf(file);
      const changed = [...now].filter(([field, value]) => !Object.is(before.get(field), value));
      const gone = [...before.keys()].filter((field) => !now.has(field));
      if (changed.length + gone.length > 0) {
        await this.write((store) => {
          for (const field of gone) store.delete([this.name, field]);
          for (const [field, value] of changed) store.put(value, [this.name, field]);
        });
      }
      this.current = file;
    });
  }

  rewrite(changes: Partial<ParticipantFile>): Promise<void> {
    return this.next(async () => {
      const file = { ...this.current, ...changes };
      await this.write((store) => {
        store.delete(allOf(this.name));
        store.put({ version: STATE_VERSION }, [this.name, '']);
        for (const [field, value] of fieldsOf(file)) store.put(value, [this.name, field]);
      });
      this.current = file;
    });
  }

  async release(): Promise<void> {
    await this.last;
  }

  private next(act: () => Promise<void>): Promise<void> {
    const done = this.last.then(act);
    this.last = done.catch(() => {});
    return done;
  }

  private write(act: (store: IDBObjectStore) => Eventually<void>): Promise<void> {
    return writing(this.database, ['states', 'owners'], async (transaction) => {
      await checkOwner(transaction, this.name, this.token);
      await act(transaction.objectStore('states'));
    });
  }
}

export function allOf(name: string): IDBKeyRange {
  // Arrays come after all texts.
  return IDBKeyRange.bound([name], [name, []]);
}

function fieldsOf({ stored, ...file }: ParticipantFile): Fields {
  const own = Object.entries(file);
  const inner = Object.entries(stored).map(([field, value]) => [STORED + field, value] as const);
  return new Map([...own, ...inner].filter(([, value]) => value !== undefined));
}

function fileOf(name: string, fields: Fields): ParticipantFile {
  const { version } = (fields.get('') ?? {}) as { version?: unknown };
  if (version !== STATE_VERSION) {
    throw inputError(
      'STORED_VERSION',
      `state "${name}" of this browser: expected version ${STATE_VERSION}, got ${version}; load the page again, or use the version of the page that wrote it`,
    );
  }
  const file: Record<string, unknown> = { federation: undefined, columns: undefined };
  const stored: Record<string, unknown> = {};
  for (const [field, value] of fields) {
    if (field.startsWith(STORED)) stored[field.slice(STORED.length)] = value;
    else if (field !== '') file[field] = value;
  }
  return { ...file, stored } as unknown as ParticipantFile;
}
