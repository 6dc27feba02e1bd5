/**
 * Arrow IPC messages, stream format or file format, checked before flechette decodes them: it trusts lengths, so that one wrong byte
 * could make it allocate gigabytes or never end. The file format is the stream between two marks, with a footer that is not needed.
 * https://arrow.apache.org/docs/format/Columnar.html#serialization-and-interprocess-communication-ipc
 */
import { FlatTable } from './flatbuffer.ts';

const MAGIC = 'ARROW1';
/** Of the file format: the magic, padded. */
const START_BYTES = 8;
const CONTINUATION = 0xffffffff;

const SCHEMA = 1;
const DICTIONARY_BATCH = 2;
const RECORD_BATCH = 3;

const UNION = 14;
const DEEPEST = 32;

export interface ArrowMessages {
  /** Whole messages in the order in which they are to be decoded: the schema, dictionaries, rows. */
  readonly messages: readonly Uint8Array[];
  readonly isBigEndian: boolean;
  readonly isCompressed: boolean;
}

interface Message {
  readonly bytes: Uint8Array;
  readonly type: number;
  readonly header: FlatTable;
  readonly bodyBytes: number;
}

/** Whether a file begins like Arrow IPC, in either format. */
export function isArrow(bytes: Uint8Array): boolean {
  return isFileFormat(bytes) || (bytes.length >= 8 && uint32(bytes, 0) === CONTINUATION);
}

/** `limitBytes`: what the file may unpack to. Throws with the reason. */
export function arrowMessages(bytes: Uint8Array, limitBytes: number): ArrowMessages {
  const isFile = isFileFormat(bytes);
  const found = isFile
    ? [...walk(bytes, START_BYTES, footerStart(bytes))]
    : [...walk(bytes, 0, bytes.length)];
  const [schema] = found.filter(({ type }) => type === SCHEMA);
  if (!schema) throw new Error('it has no schema');
  checkFields(schema.header.tables(1), 0);
  schema.header.elements(2, 4);
  const batches = found.filter(({ type }) => type !== SCHEMA);
  const isCompressed = batches.filter((batch) => checkBatch(batch, limitBytes) === 'compressed').length > 0;
  // In a file, unlike in a stream, a dictionary may stand behind the rows that use it.
  if (isFile) batches.sort((a, b) => a.type - b.type);
  return {
    messages: [schema, ...batches].map((message) => message.bytes),
    isBigEndian: schema.header.int16(0) !== 0,
    isCompressed,
  };
}

function isFileFormat(bytes: Uint8Array): boolean {
  return String.fromCharCode(...bytes.subarray(0, MAGIC.length)) === MAGIC;
}

function footerStart(bytes: Uint8Array): number {
  const end = bytes.length - MAGIC.length - 4;
  if (end < START_BYTES || String.fromCharCode(...bytes.subarray(-MAGIC.length)) !== MAGIC)
    throw new Error('it is truncated');
  const start = end - uint32(bytes, end);
  if (start < START_BYTES) throw new Error('its footer lies outside the file');
  return start;
}

function* walk(bytes: Uint8Array, start: number, end: number): Generator<Message, void, undefined> {
  for (let at = start; at < end; ) {
    const isPrefixed = end - at >= 8 && uint32(bytes, at) === CONTINUATION;
    const metadata = at + (isPrefixed ? 8 : 4);
    if (metadata > end) throw new Error('it is truncated');
    const size = uint32(bytes, metadata - 4);
    if (size === 0) return;
    if (size > end - metadata) throw new Error('it is truncated');
    const message = FlatTable.root(bytes.subarray(metadata, metadata + size));
    const bodyBytes = message.int64(3);
    const next = metadata + size + bodyBytes;
    if (bodyBytes < 0 || next > end) throw new Error('it is truncated');
    const header = message.table(2);
    const type = message.uint8(1);
    if (!header || ![SCHEMA, DICTIONARY_BATCH, RECORD_BATCH].includes(type))
      throw new Error(`a message of type ${type}`);
    yield { bytes: bytes.subarray(at, next), type, header, bodyBytes };
    at = next;
  }
}

/** Fields and their children, with the lists that decoding will follow. */
function checkFields(fields: readonly FlatTable[], depth: number): void {
  if (depth > DEEPEST) throw new Error('its columns are nested too deeply');
  for (const field of fields) {
    field.elements(6, 4);
    if (field.uint8(2) === UNION) field.table(3)?.elements(1, 4);
    checkFields(field.tables(5), depth + 1);
  }
}

function checkBatch(message: Message, limitBytes: number): 'compressed' | 'plain' {
  const { type, header, bodyBytes } = message;
  const batch = type === DICTIONARY_BATCH ? header.table(1) : header;
  if (!batch) throw new Error('a dictionary is empty');
  const buffers = batch.numbers(2, 2);
  for (const [offset, length] of buffers) {
    if (offset < 0 || length < 0 || offset + length > bodyBytes)
      throw new Error('a column lies outside its message');
  }
  for (const [count] of batch.numbers(4, 1)) {
    if (count < 0 || count > buffers.length) throw new Error(`${count} buffers of text`);
  }
  const isCompressed = batch.table(3) !== undefined;
  const unpacked = isCompressed ? unpackedBytes(message, buffers) : bodyBytes;
  // One bit is the least that a value takes; nulls may take nothing, but a table cannot be made of nulls.
  const most = 8 * Math.min(unpacked, limitBytes);
  for (const [length, nulls] of [[batch.int64(0), 0], ...batch.numbers(1, 2)]) {
    if (length < 0 || length > most || nulls < 0 || nulls > length)
      throw new Error(`a batch of ${length} values with ${nulls} nulls in ${unpacked} bytes`);
  }
  return isCompressed ? 'compressed' : 'plain';
}

/** A compressed buffer begins with its unpacked size, -1 where it is stored as it is. */
function unpackedBytes({ bytes, bodyBytes }: Message, buffers: readonly number[][]): number {
  const body = new DataView(bytes.buffer, bytes.byteOffset + bytes.length - bodyBytes, bodyBytes);
  let sum = 0;
  for (const [offset, length] of buffers) {
    if (length === 0) continue;
    const size = Number(body.getBigInt64(offset, true));
    sum += size < 0 ? length : size;
  }
  return sum;
}

function uint32(bytes: Uint8Array, at: number): number {
  return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0;
}
