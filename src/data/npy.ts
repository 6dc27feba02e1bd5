/**
 * NumPy arrays: the .npy format, versions 1 to 3 (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html). Numbers and
 * booleans of one or two dimensions, either byte order, row by row or column by column.
 */
import { inputError, type KindredError } from '../base/errors.ts';
import { count, gibibytes } from './memory.ts';
import { shown } from './number.ts';

export interface NumpyArray {
  readonly rows: number;
  /** Undefined: the array has one dimension. */
  readonly columns: number | undefined;
  readonly value: (row: number, column: number) => number | bigint | boolean;
}

/** One number in a view, by its code in a dtype. */
type Getter = (view: DataView, at: number, isLittle: boolean) => number | bigint | boolean;

const GETTERS: Readonly<Record<string, Getter>> = {
  f4: (view, at, isLittle) => view.getFloat32(at, isLittle),
  f8: (view, at, isLittle) => view.getFloat64(at, isLittle),
  i1: (view, at) => view.getInt8(at),
  i2: (view, at, isLittle) => view.getInt16(at, isLittle),
  i4: (view, at, isLittle) => view.getInt32(at, isLittle),
  i8: (view, at, isLittle) => view.getBigInt64(at, isLittle),
  u1: (view, at) => view.getUint8(at),
  u2: (view, at, isLittle) => view.getUint16(at, isLittle),
  u4: (view, at, isLittle) => view.getUint32(at, isLittle),
  u8: (view, at, isLittle) => view.getBigUint64(at, isLittle),
  b1: (view, at) => view.getUint8(at) !== 0,
};

const MAGIC = '\x93NUMPY';

export function isNpy(bytes: Uint8Array): boolean {
  return String.fromCharCode(...bytes.subarray(0, MAGIC.length)) === MAGIC;
}

export function parseNpy(bytes: Uint8Array, source: string): NumpyArray {
  if (!isNpy(bytes)) {
    throw inputError('NOT_NPY', `${source}: expected a NumPy array (93 4e 55 4d 50 59), got other bytes`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { text, end } = headerOf(view, bytes, source);
  const { order, kind } = dtypeOf(text, source);
  const shape = shapeOf(text, source);
  const width = Number(kind[1]);
  const size = shape.reduce((product, length) => product * length, width);
  if (size !== bytes.length - end) {
    throw corrupt(
      source,
      `an array of shape (${shape.join(', ')}) takes ${gibibytes(size)}, got ${gibibytes(bytes.length - end)}`,
    );
  }
  const [rows, columns] = shape;
  // Such an array could have any number of columns.
  if (rows === 0) throw inputError('NO_ROWS', `${source}: expected at least one row, got none`);
  const isByColumn = /'fortran_order'\s*:\s*True/.test(text);
  const [byRow, byColumn] = isByColumn ? [1, rows] : [columns ?? 1, 1];
  const get = GETTERS[kind];
  const value = (row: number, column: number) =>
    get(view, end + width * (row * byRow + column * byColumn), order !== '>');
  return { rows, columns, value };
}

/** The header is a Python dictionary as text, in ASCII or UTF-8. */
function headerOf(view: DataView, bytes: Uint8Array, source: string): { text: string; end: number } {
  const version = bytes[6];
  const start = version === 1 ? 10 : 12;
  if (!(version >= 1 && version <= 3) || bytes.length < start)
    throw corrupt(source, bytes.length < start ? 'it is truncated' : `its version is ${version}`);
  const end = start + (version === 1 ? view.getUint16(8, true) : view.getUint32(8, true));
  if (end > bytes.length) throw corrupt(source, 'it is truncated');
  return { text: new TextDecoder().decode(bytes.subarray(start, end)), end };
}

function dtypeOf(header: string, source: string): { order: string; kind: string } {
  const [, descr = ''] = /'descr'\s*:\s*('[^']*'|\[[\s\S]*\])/.exec(header) ?? [];
  if (descr === '') throw corrupt(source, 'its header names no dtype');
  const [, order = '', kind = ''] = /^'([<>|=])(\w+)'$/.exec(descr) ?? [];
  if (Object.hasOwn(GETTERS, kind)) return { order, kind };
  throw inputError(
    'NPY_KIND',
    `${source}: expected an array of numbers or booleans (float32, float64, int8 to int64, uint8 to uint64, bool), ` +
      `got dtype ${shown(descr.replace(/^'|'$/g, ''))}`,
  );
}

function shapeOf(header: string, source: string): number[] {
  const [, inner] = /'shape'\s*:\s*\(([\d\s,L]*)\)/.exec(header) ?? [];
  if (inner === undefined) throw corrupt(source, 'its header names no shape');
  const shape = [...inner.matchAll(/\d+/g)].map(([digits]) => Number(digits));
  if (shape.length === 1 || shape.length === 2) return shape;
  throw badShape(source, shape);
}

export function badShape(source: string, shape: readonly number[]): KindredError {
  const comma = shape.length === 1 ? ',' : '';
  return inputError(
    'NPY_SHAPE',
    `${source}: expected an array of two dimensions, rows and columns, got shape (${shape.map(count).join(', ')}${comma})`,
  );
}

function corrupt(source: string, reason: string): KindredError {
  return inputError(
    'NPY_CORRUPT',
    `${source}: expected a complete NumPy array, could not read it (${reason})`,
  );
}
