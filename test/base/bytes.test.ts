/** The one reader and the one writer of bytes, against DataView number by number. */
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ByteReader, ByteWriter } from '../../src/base/bytes.ts';

class PlainReader extends ByteReader {
  protected refused(sentence: string): never {
    throw new Error(`refused: ${sentence}`);
  }
}

const written = (write: (out: ByteWriter) => void): Uint8Array => {
  const out = new ByteWriter();
  write(out);
  return out.finish();
};

describe('bytes', () => {
  test('what is written is read, wherever it starts in its buffer', () => {
    const parts = fc.tuple(
      fc.nat(255),
      fc.nat(0xffff),
      fc.nat(0x7fff_ffff),
      fc.double(),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(
        parts,
        fc.float64Array({ maxLength: 20 }),
        fc.nat(9),
        ([a, b, c, d, text], numbers, offset) => {
          const utf8 = new TextEncoder().encode(text);
          const bytes = written((out) => {
            out.u8(a);
            out.u16(b);
            out.u32(c);
            out.f64(d);
            out.raw(utf8);
            out.array(numbers);
          });
          const buffer = new Uint8Array(offset + bytes.length + 3);
          buffer.set(bytes, offset);
          const input = new PlainReader(buffer.subarray(offset), 0, bytes.length);
          expect([input.u8('a'), input.u16('b'), input.u32('c'), input.f64('d')]).toEqual([a, b, c, d]);
          expect(input.text('text', utf8.length)).toBe(text);
          expect(input.left).toBe(numbers.byteLength);
          const view = new DataView(buffer.buffer, offset + bytes.length - numbers.byteLength);
          expect(numbers).toEqual(numbers.map((_, i) => view.getFloat64(8 * i, true)));
          expect(new Float64Array(input.raw('numbers', numbers.byteLength).buffer)).toEqual(numbers);
          input.ended('part');
        },
      ),
    );
  });

  test('every read is refused where the bytes are not there, and says what is missing', () => {
    const reads: [bytes: number, read: (input: ByteReader) => unknown][] = [
      [1, (input) => input.u8('it')],
      [2, (input) => input.u16('it')],
      [4, (input) => input.u32('it')],
      [8, (input) => input.f64('it')],
      [5, (input) => input.raw('it', 5)],
      [5, (input) => input.text('it', 5)],
    ];
    for (const [count, read] of reads) {
      read(new PlainReader(new Uint8Array(count)));
      for (let left = 0; left < count; left++)
        expect(() => read(new PlainReader(new Uint8Array(count + 9), 0, left))).toThrow(
          `refused: expected ${count} more bytes for it, got ${left}`,
        );
    }
    const huge = () => new PlainReader(new Uint8Array(8)).raw('it', 2 ** 40);
    expect(huge).toThrow('refused: expected 1099511627776 more bytes for it, got 8');
    expect(() => new PlainReader(new Uint8Array(3)).ended('payload')).toThrow(
      'the end of the payload, got 3 more',
    );
  });

  test('text that is not UTF-8 is refused, and a byte order mark is a character', () => {
    expect(() => new PlainReader(Uint8Array.of(0xc3, 0x28)).text('it', 2)).toThrow(
      'refused: it: expected UTF-8 text',
    );
    expect(new PlainReader(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61)).text('it', 4)).toBe('\ufeffa');
  });

  test('a copy does not share memory with what was read', () => {
    const bytes = Uint8Array.of(1, 2, 3);
    const copy = new PlainReader(bytes).raw('it', 3);
    bytes.fill(9);
    expect([...copy]).toEqual([1, 2, 3]);
  });

  test('a checksum is of all before it, and a u32 can be put where room was left', () => {
    const bytes = written((out) => {
      const at = out.reserve(4);
      out.raw(new Uint8Array(1000).fill(7));
      out.patchU32(at, out.length);
      out.checksum();
    });
    const view = new DataView(bytes.buffer);
    expect(view.getUint32(0, true)).toBe(1004);
    expect(view.getUint32(1004, true)).toBe(crc32(bytes.subarray(0, 1004)));
  });

  test('writers grow, and two at a time do not share memory', () => {
    const [first, second] = [new ByteWriter(), new ByteWriter()];
    for (let i = 0; i < 300_000; i++) {
      first.u8(1);
      second.u8(2);
    }
    const all = [first.finish(), second.finish(), written((out) => out.u8(3))];
    expect(all.map(({ length }) => length)).toEqual([300_000, 300_000, 1]);
    expect(all.map((bytes) => new Set(bytes))).toEqual([new Set([1]), new Set([2]), new Set([3])]);
  });
});
