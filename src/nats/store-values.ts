/**
 * Values of a store in a bucket, each written once under a name of its own and never changed. A name has the epoch of its writer, a
 * number, and the SHA-256 of the bytes: so no two writers can mean different things by one name, what an earlier writer has left behind
 * can be told from what the present one is about to use, and a value that is not what was written is noticed. Values larger than a
 * message are cut into pieces.
 */
import { createHash } from 'node:crypto';
import { KindredError } from '../base/errors.ts';
import type { Bucket } from './bucket.ts';

const PREFIX = 'value';
/** Requests at a time. */
const WINDOW = 64;
const WINDOW_BYTES = 8 << 20;
const PIECE_BYTES = 256 * 1024;
const HEADER_ROOM = 1024;

/** Every value has a name that its writer has not used before. */
export class ValueNames {
  private count = 0;
  private readonly epoch: number;

  constructor(epoch: number) {
    this.epoch = epoch;
  }

  /** `<epoch>.<number>.<pieces>.<hash>` */
  next(bytes: Uint8Array, pieceBytes: number): string {
    const pieces = Math.max(1, Math.ceil(bytes.length / pieceBytes));
    return `${this.epoch}.${++this.count}.${pieces}.${hashOf(bytes)}`;
  }
}

/** Of bytes that mean the same whoever writes them, and as often as they do. */
export function contentName(bytes: Uint8Array, pieceBytes: number): string {
  return new ValueNames(0).next(bytes, pieceBytes);
}

export function epochOfName(name: string): number {
  return Number(name.slice(0, name.indexOf('.')));
}

export function pieceBytesFor(maxPayload: number): number {
  return Math.min(PIECE_BYTES, maxPayload - HEADER_ROOM);
}

export class Values {
  readonly pieceBytes: number;
  private readonly bucket: Bucket;
  /** For messages. */
  private readonly source: string;

  constructor(bucket: Bucket, pieceBytes: number, source: string) {
    this.bucket = bucket;
    this.pieceBytes = pieceBytes;
    this.source = source;
  }

  async put(values: ReadonlyMap<string, Uint8Array>): Promise<void> {
    const pieces = [...values].flatMap(([name, bytes]) => this.piecesOf(name, bytes));
    for (const window of windows(pieces))
      await Promise.all(window.map(([key, bytes]) => this.bucket.put(key, bytes)));
  }

  /** Undefined: it is not there. */
  async get(name: string): Promise<Uint8Array | undefined> {
    const pieces = await Promise.all(keysOf(name).map((key) => this.bucket.get(key)));
    const found = pieces.flatMap((piece) => piece?.bytes ?? []);
    if (found.length < pieces.length) return undefined;
    const bytes = found.length === 1 ? found[0] : joined(found);
    if (!name.endsWith(hashOf(bytes)))
      throw new KindredError(
        'CORRUPT',
        `${this.source}: value ${name} is damaged; restore the store from a backup`,
      );
    return bytes;
  }

  async has(name: string): Promise<boolean> {
    return (await this.bucket.keys(`${PREFIX}.${name}.*`)).length === keysOf(name).length;
  }

  async remove(names: Iterable<string>): Promise<void> {
    const keys = [...names].flatMap(keysOf);
    for (let i = 0; i < keys.length; i += WINDOW)
      await Promise.all(keys.slice(i, i + WINDOW).map((key) => this.bucket.erase(key)));
  }

  /** Of all that is there, of anybody. */
  async names(): Promise<string[]> {
    const keys = await this.bucket.keys(`${PREFIX}.>`);
    return [...new Set(keys.map((key) => key.slice(PREFIX.length + 1, key.lastIndexOf('.'))))];
  }

  private piecesOf(name: string, bytes: Uint8Array): (readonly [key: string, piece: Uint8Array])[] {
    return keysOf(name).map((key, i) => [
      key,
      bytes.subarray(i * this.pieceBytes, (i + 1) * this.pieceBytes),
    ]);
  }
}

function keysOf(name: string): string[] {
  const pieces = Number(name.split('.')[2]);
  return Array.from({ length: pieces }, (_, i) => `${PREFIX}.${name}.${i}`);
}

function* windows<T extends readonly [string, Uint8Array]>(pieces: readonly T[]): Generator<T[]> {
  let window: T[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    window.push(piece);
    bytes += piece[1].length;
    if (window.length < WINDOW && bytes < WINDOW_BYTES) continue;
    yield window;
    [window, bytes] = [[], 0];
  }
  if (window.length > 0) yield window;
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url');
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
