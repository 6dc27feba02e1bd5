import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KindredError } from '../../src/base/errors.ts';
import { pack, seal, unseal } from '../../src/base/packed.ts';

const leaf = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.double(),
  fc.string(),
  fc.bigInt(),
  fc.uint8Array(),
  fc.float64Array(),
  fc.uint32Array(),
  fc.bigUint64Array(),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(
      fc.string().filter((name) => name !== '__proto__'),
      tie('value'),
      { maxKeys: 4, noNullPrototype: true },
    ),
    fc.array(fc.tuple(fc.string(), tie('value')), { maxLength: 3 }).map((entries) => new Map(entries)),
  ),
}));

const SEAL = { kind: 'a thing', version: 3 };

/** A value's bytes under a seal made by hand, with a checksum from elsewhere. */
function unpack(bytes: Uint8Array): unknown {
  const sealed = Buffer.concat([Buffer.from('KNDS\x03\x07a thing'), bytes, Buffer.alloc(4)]);
  sealed.writeUInt32LE(crc32(sealed.subarray(0, -4)), sealed.length - 4);
  return unseal(SEAL, new Uint8Array(sealed), 'file');
}

describe('packed data', () => {
  test('come back as they were', () => {
    fc.assert(
      fc.property(value, (data) => {
        expect(unpack(pack(data))).toEqual(data);
      }),
    );
  });

  test('are the same bytes whatever the order of fields, and without those that are undefined', () => {
    expect(pack({ b: 1, a: [2], c: undefined })).toEqual(pack({ a: [2], b: 1 }));
  });

  test('hold text as UTF-8, whatever its characters and its length', () => {
    for (const text of [
      '',
      'p17',
      'aü',
      'ü'.repeat(40),
      'a'.repeat(64),
      'a'.repeat(65),
      'a\u{1f600}',
      '\u007f\u0080',
      '\ufeffa byte order mark',
    ]) {
      const bytes = pack(text);
      expect(bytes.subarray(5)).toEqual(new TextEncoder().encode(text));
      expect(unpack(bytes)).toBe(text);
    }
  });

  test('have the fields of an object in order, few or many', () => {
    for (const count of [5, 40]) {
      const names = Array.from({ length: count }, (_, i) => `f${(i * 7) % count}`);
      const fields = unpack(pack(Object.fromEntries(names.map((name) => [name, 1]))));
      expect(Object.keys(fields as object)).toEqual(names.sort());
    }
  });

  test('keep the bits of numbers', () => {
    const bits = new Float64Array([-0, 5e-324, 1 / 3, Number.NaN, Number.NEGATIVE_INFINITY]);
    expect(new Uint8Array((unpack(pack(bits)) as Float64Array).buffer)).toEqual(new Uint8Array(bits.buffer));
    expect(Object.is(unpack(pack(-0)), -0)).toBe(true);
  });

  test('have one pattern for every NaN, however it was computed', () => {
    const patterns = new Float64Array(
      new BigUint64Array([0xfff8_0000_0000_0001n, 0x7ff8_0000_0000_0000n]).buffer,
    );
    expect(pack(patterns[0])).toEqual(pack(patterns[1]));
    expect(unpack(pack(patterns[0]))).toBeNaN();
  });

  test('do not take what is not plain data', () => {
    expect(() => pack(new Date(0))).toThrow('plain data');
    expect(() => pack({ deep: [() => 1] })).toThrow();
    expect(() => pack(new Float32Array(2))).toThrow('Float32Array');
  });

  test('a seal is broken by any change of any byte, and by any cut', () => {
    const data = { u: new Float64Array([1, 2, 3]), id: 'p1', weights: [0.5, 0.5] };
    const sealed = seal(SEAL, data);
    expect(unseal(SEAL, sealed, 'file')).toEqual(data);
    for (let i = 0; i < sealed.length; i++) {
      const damaged = sealed.slice();
      damaged[i] ^= 1 << (i % 8);
      expect(() => unseal(SEAL, damaged, 'file')).toThrow(KindredError);
      expect(() => unseal(SEAL, sealed.subarray(0, i), 'file')).toThrow(KindredError);
    }
  });

  test('another kind and another version are called by their names', () => {
    const sealed = seal(SEAL, 1);
    expect(() => unseal({ ...SEAL, kind: 'another' }, sealed, 'state/x')).toThrow(
      'state/x: expected another, got "a thing"',
    );
    expect(() => unseal({ ...SEAL, version: 4 }, sealed, 'state/x')).toThrow(
      'expected a thing of version 4, got version 3',
    );
  });

  test('other contents under a good checksum are refused as damaged, and nothing else is thrown', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        try {
          unpack(bytes);
        } catch (error) {
          expect(error).toMatchObject({
            code: 'CORRUPT',
            message: expect.stringContaining('restore it from a backup'),
          });
        }
      }),
      { numRuns: 2000 },
    );
    for (const [bytes, why] of [
      [[], 'a tag'],
      [[4, 0, 0], 'expected 8 more bytes for a number, got 2'],
      [[5, 2, 0, 0, 0, 0xc3, 0x28], 'expected UTF-8 text'],
      [[6, 1, 0, 0, 0, 0x20], 'the digits of an integer'],
      [[7, 255, 255, 255, 255], 'expected 4294967295 values'],
      [[8, 1, 0, 0, 0, 9, 0, 0, 0, ...Buffer.from('__proto__'), 1], '__proto__'],
      [Array(400).fill([7, 1, 0, 0, 0]).flat(), 'at most 64 levels'],
      [[10], 'a known tag, got 10'],
      [[1, 1], 'expected the end of the packed data, got 1 more bytes'],
    ] as const)
      expect(() => unpack(Uint8Array.from(bytes))).toThrow(why);
  });
});
