/** Which format a file has: by its magic bytes, then by its name, then by its first line. */
import { inputError } from '../base/errors.ts';
import { isGzip } from './gzip.ts';

type DataFormat = 'csv' | 'csv.gz' | 'parquet' | 'libsvm';

const LIBSVM_NAME = /\.(libsvm|svm|svmlight)$/i;
const LIBSVM_LINE = /^[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?[ \t]+\d+:[+-]?[\d.][^,]*$/;

export function detectFormat(name: string, firstBytes: Uint8Array): DataFormat {
  if (startsWith(firstBytes, 'PAR1')) return 'parquet';
  if (isGzip(firstBytes)) {
    const inner = name.replace(/\.gz$/i, '');
    if (!LIBSVM_NAME.test(inner) && !/\.parquet$/i.test(inner)) return 'csv.gz';
    throw inputError('UNKNOWN_FORMAT', `${name}: expected gzip only around CSV, unpack this file first`);
  }
  if (/\.csv$/i.test(name)) return 'csv';
  if (/\.gz$/i.test(name)) return 'csv.gz';
  if (/\.(parquet|pq)$/i.test(name)) return 'parquet';
  if (LIBSVM_NAME.test(name)) return 'libsvm';
  return byFirstLine(name, firstBytes);
}

function byFirstLine(name: string, firstBytes: Uint8Array): DataFormat {
  const head = firstBytes.subarray(0, 4096);
  if (head.some((c) => c < 0x20 && c !== 0x09 && c !== 0x0a && c !== 0x0d)) {
    throw inputError(
      'UNKNOWN_FORMAT',
      `${name}: expected CSV, gzipped CSV, Parquet or LIBSVM text, got binary data of another kind`,
    );
  }
  const [line] = new TextDecoder().decode(head).split(/[\r\n]/);
  return LIBSVM_LINE.test(line) ? 'libsvm' : 'csv';
}

function startsWith(bytes: Uint8Array, magic: string): boolean {
  return bytes.length >= magic.length && [...magic].every((ch, i) => bytes[i] === ch.charCodeAt(0));
}
