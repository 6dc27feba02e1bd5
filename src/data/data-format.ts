/** Which format a file has: by its magic bytes, then by its name, then by its first line. */
import { inputError, type KindredError } from '../base/errors.ts';
import { isArrow } from './arrow-messages.ts';
import { isGzip } from './gzip.ts';
import { isNpy } from './npy.ts';

export type DataFormat = 'csv' | 'csv.gz' | 'parquet' | 'arrow' | 'npy' | 'npz' | 'libsvm';

const NAMES: readonly (readonly [DataFormat, RegExp])[] = [
  ['csv', /\.(csv|tsv|tab|psv)$/i],
  ['csv.gz', /\.gz$/i],
  ['parquet', /\.(parquet|pq)$/i],
  ['arrow', /\.(arrow|arrows|feather|ipc)$/i],
  ['npy', /\.npy$/i],
  ['npz', /\.npz$/i],
  ['libsvm', /\.(libsvm|svm|svmlight)$/i],
];
const LIBSVM_LINE = /^[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?[ \t]+\d+:[+-]?[\d.][^,]*$/;

export function detectFormat(name: string, firstBytes: Uint8Array): DataFormat {
  if (startsWith(firstBytes, 'PAR1')) return 'parquet';
  if (isArrow(firstBytes)) return 'arrow';
  if (isNpy(firstBytes)) return 'npy';
  const byName = formatByName(name);
  if (startsWith(firstBytes, 'PK\x03\x04') && byName !== 'npz') throw unknownFormat(name, 'a ZIP archive');
  if (startsWith(firstBytes, 'FEA1'))
    throw unknownFormat(name, 'Feather version 1; write version 2, which is Arrow IPC');
  if (isGzip(firstBytes)) {
    const inner = formatByName(name.replace(/\.gz$/i, ''));
    if (inner === undefined || inner === 'csv' || inner === 'csv.gz') return 'csv.gz';
    throw inputError('UNKNOWN_FORMAT', `${name}: expected gzip only around CSV, unpack this file first`);
  }
  return byName ?? byFirstLine(name, firstBytes);
}

function formatByName(name: string): DataFormat | undefined {
  return NAMES.find(([, ending]) => ending.test(name))?.[0];
}

function byFirstLine(name: string, firstBytes: Uint8Array): DataFormat {
  const head = firstBytes.subarray(0, 4096);
  if (head.some((c) => c < 0x20 && c !== 0x09 && c !== 0x0a && c !== 0x0d))
    throw unknownFormat(name, 'binary data of another kind');
  const [line] = new TextDecoder().decode(head).split(/[\r\n]/);
  return LIBSVM_LINE.test(line) ? 'libsvm' : 'csv';
}

export function unknownFormat(name: string, got: string): KindredError {
  return inputError(
    'UNKNOWN_FORMAT',
    `${name}: expected CSV, gzipped CSV, Parquet, Arrow, NumPy or LIBSVM text, got ${got}`,
  );
}

function startsWith(bytes: Uint8Array, magic: string): boolean {
  return bytes.length >= magic.length && [...magic].every((ch, i) => bytes[i] === ch.charCodeAt(0));
}
