/**
 * The one entry of a store that is ever replaced: whoever replaces it has changed the store. It names the root of the tree
 * (`store-tree.ts`), and who writes.
 *
 * Each opening writes its record in the place where the one before it would have written next, and from then on writes at a place of
 * its own. That fences the one before: the revision it expects there is gone for ever. And a writer from before the store was rolled
 * back cannot come upon the revision it expects by chance, as nobody else counts it up.
 */
import { inputError } from '../base/errors.ts';
import { seal, unseal } from '../base/packed.ts';
import { Beaten, type Bucket, Conflict } from './bucket.ts';
import type { Root } from './store-tree.ts';

export interface StoreRecord {
  /** Raised by each opening. */
  readonly epoch: number;
  /** Who has opened it: another one each time. */
  readonly writer: string;
  /** The key of the record after this one. */
  readonly next: string;
  /** Changes so far. */
  readonly changes: number;
  readonly root: Root;
  /** Of the record before: still there. */
  readonly previousRoot: Root;
  /** How many changes there were when this writer has opened it. */
  readonly takenAt: number;
}

export interface FoundRecord {
  readonly record: StoreRecord;
  readonly bytes: Uint8Array;
  /** With which the next record must be written, at `record.next`. */
  readonly expected: number;
}

const SEAL = { kind: 'kindred store record', version: 1 };
const FIRST_KEY = 'record.first';
const EMPTY: Omit<StoreRecord, 'writer'> = {
  ...{ epoch: 0, next: FIRST_KEY, changes: 0, root: undefined, previousRoot: undefined, takenAt: 0 },
};

function recordKeyOf(writer: string): string {
  return `record.${writer}`;
}

export function recordBytes(record: StoreRecord): Uint8Array {
  return seal(SEAL, record);
}

/** Undefined: nobody has opened the store for writing yet. */
export async function currentRecord(bucket: Bucket, source: string): Promise<FoundRecord | undefined> {
  const found = await bucket.last('record.*');
  if (!found) return undefined;
  const { key, bytes, revision } = found;
  const record = unseal(SEAL, bytes, `${source}, ${key}`) as StoreRecord;
  return { record, bytes, expected: record.next === key ? revision : 0 };
}

/** Raises the epoch: from now on the writer before can change nothing. */
export async function takeRecord(bucket: Bucket, writer: string, source: string): Promise<FoundRecord> {
  for (;;) {
    const found = await currentRecord(bucket, source);
    // Our own attempt, whose answer was lost.
    if (found?.record.writer === writer) return found;
    const before = found?.record ?? { ...EMPTY, writer };
    const { epoch, changes } = before;
    const record = { ...before, epoch: epoch + 1, writer, next: recordKeyOf(writer), takenAt: changes };
    const bytes = recordBytes(record);
    try {
      await bucket.put(before.next, bytes, found?.expected ?? 0);
      return { record, bytes, expected: 0 };
    } catch (error) {
      if (error instanceof Beaten)
        throw inputError('STORE_IN_USE', `${source}: another server is opening it at the same time`);
      // Somebody else was faster, or has written meanwhile: from the beginning.
      if (!(error instanceof Conflict)) throw error;
    }
  }
}
