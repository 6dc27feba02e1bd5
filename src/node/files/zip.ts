/**
 * ZIP archives from memory (APPNOTE.TXT, sections 4.3.7, 4.3.12 and 4.3.16): stored and deflated entries, found by the
 * central directory, with lengths and CRC-32 checked. The archive is not trusted: names that lead out of the
 * folder, links, encryption, ZIP64 and sizes beyond the limits are refused before anything is unpacked.
 */
import { crc32, inflateRawSync } from 'node:zlib';
import { KindredError } from '../../base/errors.ts';

export interface ZipEntry {
  /** Path inside the archive, with forward slashes. */
  readonly name: string;
  /** Unpacked, in bytes. */
  readonly size: number;
  /** Unpacks and checks. */
  read(): Uint8Array;
}

export interface ZipLimits {
  readonly entries: number;
  /** Of all entries together, unpacked. */
  readonly bytes: number;
}

const DEFAULT_LIMITS: ZipLimits = { entries: 10_000, bytes: 2 * 1024 ** 3 - 1 };

const END = 0x06054b50;
const END_SIZE = 22;
const CENTRAL = 0x02014b50;
const CENTRAL_SIZE = 46;
const LOCAL = 0x04034b50;
const LOCAL_SIZE = 30;
const STORED = 0;
const DEFLATED = 8;
const SYMBOLIC_LINK = 0xa000;

/** The files of an archive; folders are left out, they follow from the names. */
export function readZip(bytes: Uint8Array, source: string, limits = DEFAULT_LIMITS): ZipEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { count, offset } = findDirectory(view, source);
  if (count > limits.entries) throw fail('ZIP_TOO_LARGE', `${source}: has more than ${limits.entries} files`);
  const entries: ZipEntry[] = [];
  let at = offset;
  let total = 0;
  for (let i = 0; i < count; i++) {
    if (at + CENTRAL_SIZE > view.byteLength || view.getUint32(at, true) !== CENTRAL) throw corrupt(source);
    const header = readCentral(view, bytes, at);
    at = header.next;
    if (at > view.byteLength) throw corrupt(source);
    if (header.name.endsWith('/')) continue;
    checkHeader(header, source);
    total += header.size;
    if (total > limits.bytes) {
      throw fail('ZIP_TOO_LARGE', `${source}: unpacks to more than the allowed ${limits.bytes} bytes`);
    }
    entries.push({ name: header.name, size: header.size, read: () => unpack(view, bytes, header, source) });
  }
  return entries;
}

interface Header {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly mode: number;
  readonly local: number;
  readonly next: number;
}

/** The end record stands at the end, but for a comment of up to 65,535 bytes. */
function findDirectory(view: DataView, source: string): { count: number; offset: number } {
  const first = Math.max(0, view.byteLength - END_SIZE - 0xffff);
  for (let at = view.byteLength - END_SIZE; at >= first; at--) {
    if (view.getUint32(at, true) !== END) continue;
    const count = view.getUint16(at + 10, true);
    const offset = view.getUint32(at + 16, true);
    if (count === 0xffff || offset === 0xffffffff) throw unsupported(source, 'ZIP64');
    return { count, offset };
  }
  throw fail('NOT_ZIP', `${source}: expected a complete ZIP archive, got other or truncated data`);
}

function readCentral(view: DataView, bytes: Uint8Array, at: number): Header {
  const nameLength = view.getUint16(at + 28, true);
  const name = new TextDecoder().decode(bytes.subarray(at + CENTRAL_SIZE, at + CENTRAL_SIZE + nameLength));
  return {
    name,
    flags: view.getUint16(at + 8, true),
    method: view.getUint16(at + 10, true),
    crc: view.getUint32(at + 16, true),
    packed: view.getUint32(at + 20, true),
    size: view.getUint32(at + 24, true),
    mode: view.getUint16(at + 40, true),
    local: view.getUint32(at + 42, true),
    next: at + CENTRAL_SIZE + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true),
  };
}

function checkHeader(header: Header, source: string): void {
  const { name, flags, method, packed, size, local, mode } = header;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finds control characters in file names
  const unsafe = /^\/|^[A-Za-z]:|\\|[\x00-\x1f]|(^|\/)\.\.?(\/|$)|^$/.test(name);
  if (unsafe || (mode & 0xf000) === SYMBOLIC_LINK) {
    throw fail(
      'ZIP_UNSAFE_NAME',
      `${source}: refused, its entry ${JSON.stringify(name)} would be written outside the folder`,
    );
  }
  if ((flags & 1) !== 0) throw unsupported(source, 'encryption');
  if (packed === 0xffffffff || size === 0xffffffff || local === 0xffffffff)
    throw unsupported(source, 'ZIP64');
  if (method !== STORED && method !== DEFLATED) throw unsupported(source, `compression method ${method}`);
}

function unpack(view: DataView, bytes: Uint8Array, header: Header, source: string): Uint8Array {
  const { local, packed, size, name } = header;
  if (local + LOCAL_SIZE > view.byteLength || view.getUint32(local, true) !== LOCAL)
    throw corrupt(source, name);
  // Name and extra field may be longer here than in the directory.
  const start = local + LOCAL_SIZE + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
  if (start + packed > view.byteLength) throw corrupt(source, name);
  const content = bytes.subarray(start, start + packed);
  const unpacked = header.method === STORED ? content : inflate(content, size, () => corrupt(source, name));
  if (unpacked.length !== size || crc32(unpacked) !== header.crc) throw corrupt(source, name);
  return unpacked;
}

function inflate(content: Uint8Array, size: number, failure: () => KindredError): Uint8Array {
  try {
    return inflateRawSync(content, { maxOutputLength: Math.max(1, size) });
  } catch {
    throw failure();
  }
}

/** The caller got the archive from somewhere: what is wrong with it fails the run. */
function fail(code: string, message: string): KindredError {
  return new KindredError(code, message, 'run');
}

function corrupt(source: string, name?: string): KindredError {
  const what = name === undefined ? 'its directory' : JSON.stringify(name);
  return fail('ZIP_CORRUPT', `${source}: expected a complete ZIP archive, ${what} is damaged`);
}

function unsupported(source: string, what: string): KindredError {
  return fail('ZIP_UNSUPPORTED', `${source}: expected a plain ZIP archive, got one that uses ${what}`);
}
