import { describe, expect, test } from 'vitest';
import { parseNpy } from '../../src/data/npy.ts';
import { readNpy, readNpyArrays } from '../../src/data/numpy-table.ts';
import type { TableColumns } from '../../src/data/table.ts';
import { readNpz } from '../../src/node/files/npz.ts';
import { bytesOf, COLUMNS, fixture, refused } from './helpers.ts';

const NUMBERED = { task: 'c1', label: 'c2' };

const read = (bytes: Uint8Array, columns: Partial<TableColumns> = NUMBERED) =>
  readNpy(bytes, 'a.npy', { ...COLUMNS, ...columns }, 2 ** 28);

/** As numpy writes it, but for the padding. */
function npy(descr: string, shape: string, content: Uint8Array | ArrayBuffer, version = 1): Uint8Array {
  const header = bytesOf(`{'descr': ${descr}, 'fortran_order': False, 'shape': ${shape}, }\n`);
  const length =
    version === 1
      ? [header.length & 255, header.length >> 8]
      : [header.length & 255, header.length >> 8, 0, 0];
  const magic = [0x93, ...bytesOf('NUMPY'), version, 0, ...length];
  return Uint8Array.from([...magic, ...header, ...new Uint8Array(content)]);
}

describe('readNpy', () => {
  test('reads what numpy writes: row by row, and column by column in big-endian floats', async () => {
    for (const name of ['c-order.npy', 'f-order.npy']) {
      const table = await read(fixture(name));
      expect([table.features, table.participants, table.targets]).toEqual([
        ['c3', 'c4'],
        ['1', '2'],
        ['0', '1', '1'],
      ]);
      const large = name === 'c-order.npy' ? 1e30 : Math.fround(1e30);
      expect([...table.x]).toEqual([0.5, -2, large, 4, 3, -0.25]);
    }
  });

  test.each<[string, (view: DataView, isLittle: boolean) => void, unknown]>([
    ['f4', (view, e) => view.setFloat32(0, -1.5, e), -1.5],
    ['f8', (view, e) => view.setFloat64(0, 1e300, e), 1e300],
    ['i1', (view) => view.setInt8(0, -2), -2],
    ['i2', (view, e) => view.setInt16(0, -300, e), -300],
    ['i4', (view, e) => view.setInt32(0, -70000, e), -70000],
    ['i8', (view, e) => view.setBigInt64(0, -(2n ** 40n), e), -(2n ** 40n)],
    ['u1', (view) => view.setUint8(0, 200), 200],
    ['u2', (view, e) => view.setUint16(0, 60000, e), 60000],
    ['u4', (view, e) => view.setUint32(0, 4e9, e), 4e9],
    ['u8', (view, e) => view.setBigUint64(0, 2n ** 63n, e), 2n ** 63n],
    ['b1', (view) => view.setUint8(0, 1), true],
  ])('reads %s in either byte order', (kind, set, expected) => {
    for (const order of ['<', '>', '|']) {
      const content = new ArrayBuffer(Number(kind[1]));
      set(new DataView(content), order !== '>');
      for (const version of [1, 2, 3])
        expect(parseNpy(npy(`'${order}${kind}'`, '(1, 1)', content, version), 'a.npy').value(0, 0)).toBe(
          expected,
        );
    }
  });

  test('several arrays in an archive stand side by side', async () => {
    const arrays = readNpz(fixture('arrays.npz'), 'a.npz', 2 ** 20);
    const table = await readNpyArrays(arrays, 'a.npz', COLUMNS, 2 ** 20);
    expect([table.features, table.participants, table.targets, [...table.x]]).toEqual([
      ['X1', 'X2'],
      ['1', '2'],
      ['false', 'true', 'true'],
      [0.5, -2, 1e30, 4, 3, -0.25],
    ]);
    const one = arrays.filter(({ name }) => name === 'X');
    const alone = await readNpyArrays(one, 'a.npz', { ...COLUMNS, need: 'neither' }, 2 ** 20);
    expect(alone.features).toEqual(['c1', 'c2']);
  });
});

describe('readNpy refuses', () => {
  test.each([
    ["'<f2'", 'float16'],
    ["'<c16'", 'complex numbers'],
    ["'|O'", 'Python objects'],
    ["'<U7'", 'text'],
    ["'<M8[ns]'", 'dates'],
    ["[('a', '<f8'), ('b', '<i4')]", 'records'],
  ])('dtype %s: %s', async (descr) => {
    await refused(() => read(npy(descr, '(1, 1)', new Uint8Array(16))), 'NPY_KIND', 'float64', 'got dtype');
  });

  test.each([
    ['(3,)', '(3,)'],
    ['()', '()'],
    ['(1, 1, 3)', '(1, 1, 3)'],
  ])('shape %s', async (shape, shownAs) => {
    await refused(
      () => read(npy("'<f8'", shape, new Uint8Array(24))),
      'NPY_SHAPE',
      'two dimensions',
      shownAs,
    );
  });

  test('arrays without rows, however many columns they claim', async () => {
    await refused(() => read(npy("'<f8'", '(0, 4000000000)', new Uint8Array(0))), 'NO_ROWS', 'a.npy');
    await refused(() => read(npy("'<f8'", '(5, 0)', new Uint8Array(0))), 'MISSING_TASK_COLUMN', '"c1"');
  });

  test('more or fewer bytes than the shape takes', async () => {
    for (const bytes of [0, 15, 17, 24])
      await refused(() => read(npy("'<f8'", '(1, 2)', new Uint8Array(bytes))), 'NPY_CORRUPT', '16 bytes');
    await refused(() => read(npy("'<f8'", '(99999999999, 9999999)', new Uint8Array(8))), 'NPY_CORRUPT');
  });

  test('columns by names that it does not have', async () => {
    await refused(() => read(fixture('c-order.npy'), {}), 'MISSING_TASK_COLUMN', 'c1, c2, c3, c4', '--task');
  });

  test('archives of other things, and arrays that do not belong together', async () => {
    const [X] = readNpz(fixture('arrays.npz'), 'a.npz', 2 ** 20);
    const other = { name: 'y', bytes: npy("'|i1'", '(2,)', new Uint8Array(2)) };
    const rows = () => readNpyArrays([X, other], 'a.npz', COLUMNS, 2 ** 20);
    await refused(rows, 'NPZ_ROWS', 'X with 3', 'y with 2');
    await refused(() => readNpyArrays([], 'a.npz', COLUMNS, 2 ** 20), 'NPZ_EMPTY');
    await refused(() => readNpz(bytesOf('PK'), 'a.npz', 2 ** 20), 'NOT_ZIP', 'a.npz');
    await refused(() => readNpz(fixture('arrays.npz'), 'a.npz', 100), 'ZIP_TOO_LARGE', 'a.npz');
  });
});
