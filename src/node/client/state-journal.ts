/**
 * The state file of a participant: a journal, so that a save writes only what has changed. Little endian:
 *
 *   file     record, record, ...
 *   record   length u32, its complement u32, so many bytes sealed (base/packed.ts) { set: [path, value] ..., drop: [path ...] }
 *
 * The first record sets the path [], which is everything; it is written whole under another name and renamed. Each later one is appended
 * and is durable when `append` returns. A record that the end of the file cuts short, or that ends in zeros, was never complete: nothing was
 * built on it, and it is dropped. Everything else that is wrong is damage, and refused. Once the journal has grown to several times its
 * first record it is written whole again.
 *
 * Version 2 was one sealed value; it is read, and becomes a journal with the first save.
 */
import { closeSync, fdatasyncSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { crc32 } from '../../base/crc32.ts';
import { inputError, KindredError } from '../../base/errors.ts';
import { type Seal, sealForNow, unseal } from '../../base/packed.ts';
import type { ParticipantFile } from '../../client/participant-file.ts';
import { type AgreedClasses, labelsOf } from '../../data/agreed-classes.ts';
import { classKey, type TwoClasses } from '../../data/labels.ts';
import { naturallySorted } from '../../data/participants.ts';
import type { Stored } from '../../participant/state.ts';
import type { HeadChange } from '../../protocol/secure-sums.ts';
import { upgraded } from '../../settings/federation.ts';
import { fileError, onFileSync } from '../files/file-error.ts';
import { readIfThere, writeDurably } from '../files/files.ts';

export const STATE_SEAL: Seal = { kind: 'kindred participant state', version: 3 };
const WHOLE_STATE: Seal = { ...STATE_SEAL, version: 2 };
const HEADER_BYTES = 8;
const CHECKSUM_BYTES = 4;
/** A journal is written whole again when it is larger than both: so many bytes, and so many times its first record. */
const SMALL_BYTES = 64 * 1024;
const GROWTH = 4;

type Path = readonly string[];
interface Changes {
  readonly set: (readonly [path: Path, value: unknown])[];
  readonly drop: Path[];
}
type Tree = Readonly<Record<string, unknown>>;

export class StateJournal {
  private readonly path: string;
  private current: ParticipantFile;
  /** Undefined: the file has to be written whole before anything can be appended. */
  private descriptor: number | undefined;
  /** Of the records that count, and of the first one. */
  private bytes: number;
  private firstBytes: number;

  /** `read` is what the file holds; undefined: there is none yet. */
  private constructor(path: string, file: ParticipantFile, read: ReadState | undefined) {
    this.path = path;
    this.current = file;
    this.bytes = read?.bytes ?? 0;
    this.firstBytes = read?.firstBytes ?? 0;
  }

  /** There must be one writer only (see lock.ts). */
  static open(path: string, read: ReadState): StateJournal {
    const journal = new StateJournal(path, read.file, read);
    removeLeftover(`${path}.tmp`);
    if (read.bytes > 0) journal.goOn();
    return journal;
  }

  static create(path: string, file: ParticipantFile): StateJournal {
    const journal = new StateJournal(path, file, undefined);
    journal.writeWhole(file);
    return journal;
  }

  get file(): ParticipantFile {
    return this.current;
  }

  /** Durable when it returns. */
  save(file: ParticipantFile): void {
    const changes = changesBetween(this.current, file);
    if (changes.set.length === 0 && changes.drop.length === 0) return;
    const isLarge = this.bytes > Math.max(SMALL_BYTES, GROWTH * this.firstBytes);
    if (this.descriptor === undefined || isLarge) this.writeWhole(file);
    else this.append(this.descriptor, changes);
    this.current = file;
  }

  /** Durable when it returns, in a file that has nothing of what was saved before. */
  rewrite(file: ParticipantFile): void {
    this.writeWhole(file);
    this.current = file;
  }

  close(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor);
    this.descriptor = undefined;
  }

  private append(descriptor: number, changes: Changes): void {
    const record = recordOf(changes);
    try {
      for (let at = 0; at < record.length; )
        at += writeSync(descriptor, record, at, record.length - at, this.bytes + at);
      fdatasyncSync(descriptor);
    } catch (error) {
      // Nobody knows what of it is in the file now.
      this.close();
      throw fileError(error, this.path);
    }
    this.bytes += record.length;
  }

  private writeWhole(file: ParticipantFile): void {
    this.close();
    const record = snapshotOf(file);
    writeDurably(this.path, record);
    this.bytes = record.length;
    this.firstBytes = record.length;
    this.goOn();
  }

  /** Opens the file for appending, without what a crash has cut short. */
  private goOn(): void {
    onFileSync(this.path, () => {
      this.descriptor = openSync(this.path, 'r+');
      ftruncateSync(this.descriptor, this.bytes);
    });
  }
}

/** A state file that holds this and nothing else. */
export function snapshotOf(file: ParticipantFile): Uint8Array {
  return recordOf({ set: [[[], file]], drop: [] });
}

function recordOf(changes: Changes): Uint8Array {
  const sealed = sealForNow(STATE_SEAL, changes);
  const record = new Uint8Array(HEADER_BYTES + sealed.length);
  const view = new DataView(record.buffer);
  view.setUint32(0, sealed.length, true);
  view.setUint32(4, ~sealed.length, true);
  record.set(sealed, HEADER_BYTES);
  return record;
}

/** What differs between two states, by identity: what is stored is never changed in place. Only plain objects are compared field by field. */
function changesBetween(before: ParticipantFile, after: ParticipantFile): Changes {
  const changes: Changes = { set: [], drop: [] };
  const compare = (path: Path, old: unknown, now: unknown) => {
    if (Object.is(old, now)) return;
    if (now === undefined) changes.drop.push(path);
    else if (isTree(old) && isTree(now)) {
      for (const name of new Set([...Object.keys(old), ...Object.keys(now)]))
        compare([...path, name], old[name], now[name]);
    } else changes.set.push([path, now]);
  };
  compare([], before, after);
  return changes;
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

interface ReadState {
  readonly file: ParticipantFile;
  /** Of the records that count, and of the first one; 0: it is not a journal yet. */
  readonly bytes: number;
  readonly firstBytes: number;
}

/** Undefined where there is no such file. Needs no lock: whatever is going on, it sees a whole state. */
export function readState(path: string): ReadState | undefined {
  const bytes = readIfThere(path);
  return bytes && refusing(path, () => stateIn(bytes, path));
}

function stateIn(bytes: Uint8Array, path: string): ReadState {
  if (MAGIC.every((byte, i) => bytes[i] === byte)) {
    const expected = bytes[4] === WHOLE_STATE.version ? WHOLE_STATE : STATE_SEAL;
    return { file: asNow(unseal(expected, bytes, path) as ParticipantFile), bytes: 0, firstBytes: 0 };
  }
  let tree: Tree = {};
  let at = 0;
  let firstBytes = 0;
  while (at < bytes.length) {
    const end = endOfRecord(bytes, at, path);
    if (end === undefined) break;
    tree = applied(tree, unseal(STATE_SEAL, bytes.subarray(at + HEADER_BYTES, end), path) as Changes);
    if (at === 0) firstBytes = end;
    at = end;
  }
  // The first record is never cut short by a crash.
  if (at === 0) throw damaged(path, `got ${bytes.length} bytes of another kind`);
  return { file: asNow(tree as unknown as ParticipantFile), bytes: at, firstBytes };
}

/** Before classes were agreed on in the federation each participant had its own; before there were heads, one pair of scalars was summed. */
interface EarlierFile extends Omit<ParticipantFile, 'stored'> {
  readonly classes?: TwoClasses | undefined;
  readonly stored: Omit<Stored, 'summed'> & { readonly summed?: Stored['summed'] | HeadChange };
}

/** With settings of an earlier protocol as this one has them. */
function asNow({ classes, ...file }: EarlierFile): ParticipantFile {
  const { settings, scaling, agreement, summed } = file.stored;
  const heads = summed && 'value' in summed ? [summed] : summed;
  const kept = { ...file.stored, ...(heads && { summed: heads }) } as Stored;
  if (!settings) return { ...file, stored: kept };
  const stored = { ...kept, settings: upgraded(settings) };
  if (!scaling || agreement) return { ...file, stored };
  return {
    ...file,
    stored: { ...stored, agreement: { classes: classes && asAgreed(classes), target: undefined } },
  };
}

function asAgreed({ positive, negative }: TwoClasses): AgreedClasses {
  const label = classKey(positive);
  if (negative === undefined) return { labels: [label], positive: label };
  return { labels: naturallySorted(labelsOf([positive, negative])), positive: label };
}

/** Undefined: it was being written when a crash came. */
function endOfRecord(bytes: Uint8Array, at: number, path: string): number | undefined {
  const isZero = (from: number) => bytes.subarray(from).every((byte) => byte === 0);
  if (at + HEADER_BYTES > bytes.length || isZero(at)) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getUint32(at, true);
  if (view.getUint32(at + 4, true) !== ~length >>> 0) {
    // Some file systems make room before they write.
    if (isZero(at + HEADER_BYTES)) return undefined;
    throw damaged(path, `got a record at byte ${at} whose length does not match`);
  }
  const end = at + HEADER_BYTES + length;
  if (end > bytes.length) return undefined;
  const content = new DataView(bytes.buffer, bytes.byteOffset + at + HEADER_BYTES, length);
  const isUnwritten = isZero(end - CHECKSUM_BYTES) && crc32(content, length - CHECKSUM_BYTES) !== 0;
  return isUnwritten ? undefined : end;
}

/** What a crash has left of a file that was being written. */
function removeLeftover(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It stands in the way of the next file that is written whole, which will say so.
  }
}

function applied(tree: Tree, { set, drop }: Changes): Tree {
  let result: unknown = tree;
  for (const path of drop) result = withValue(result, path, undefined);
  for (const [path, value] of set) result = withValue(result, path, value);
  return result as Tree;
}

function withValue(tree: unknown, [name, ...rest]: Path, value: unknown): unknown {
  if (name === undefined) return value;
  const { [name]: inner, ...others } = (tree ?? {}) as Tree;
  const changed = withValue(inner, rest, value);
  return changed === undefined ? others : { ...others, [name]: changed };
}

/** A file that is one sealed value, or undefined where there is none. */
export function readSealed(path: string, expected: Seal): unknown {
  const bytes = readIfThere(path);
  return bytes && refusing(path, () => unseal(expected, bytes, path));
}

const MAGIC = [0x4b, 0x4e, 0x44, 0x53];

export const ELSE_FORGET = 'or have the operator forget the participant and give another --state';

/** What to do about a file that cannot be read. */
function refusing<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    // The checksum may be right and the content another: somebody has made the file by other means.
    const refusal = error instanceof KindredError ? error : damaged(path, 'got other content');
    if (refusal.code !== 'CORRUPT' && refusal.code !== 'STORED_VERSION') throw refusal;
    throw inputError(refusal.code, `${refusal.message}, ${ELSE_FORGET}`);
  }
}

function damaged(path: string, got: string): KindredError {
  return inputError(
    'CORRUPT',
    `${path}: expected ${STATE_SEAL.kind}, ${got}: damaged; restore it from a backup`,
  );
}
