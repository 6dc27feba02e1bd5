import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Arena } from '../../src/math/arena.ts';
import { JsKernels } from '../../src/math/kernels-js.ts';

test('pieces never overlap, are zeroed, and all memory comes back', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ bytes: fc.integer({ min: 1, max: 200_000 }), release: fc.nat(20) }), {
        maxLength: 40,
      }),
      (steps) => {
        const arena = new Arena(new JsKernels());
        const held: { address: number; bytes: number }[] = [];
        for (const { bytes, release } of steps) {
          const address = arena.allocate(bytes);
          const view = new Uint8Array(arena.kernels.memory.buffer, address, bytes);
          expect(view.every((value) => value === 0)).toBe(true);
          view.fill(0xff);
          for (const other of held) {
            expect(address + bytes <= other.address || other.address + other.bytes <= address).toBe(true);
          }
          held.push({ address, bytes });
          if (release < held.length) arena.release(held.splice(release, 1)[0].address);
        }
        for (const { address } of held) arena.release(address);
        expect(arena.usedBytes).toBe(0);
        const size = arena.kernels.memory.buffer.byteLength;
        arena.allocate(size - 64);
        expect(arena.kernels.memory.buffer.byteLength).toBe(size);
      },
    ),
    { numRuns: 50 },
  );
});

test('more than one process can hold is refused with a sentence', () => {
  expect(() => new Arena().allocate(5 * 2 ** 30)).toThrow(/at most 4096 MiB/);
});

test('releasing what was not allocated is a mistake', () => {
  expect(() => new Arena().release(64)).toThrow(/was not allocated/);
});
