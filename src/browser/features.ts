/** What this browser does not give this page. Most of it comes with https, or with an address of this very machine. */
import { hasLocks } from './leadership.ts';
import type { MissingFeature } from './page-types.ts';

export function missingFeatures(): MissingFeature[] {
  const all: (MissingFeature & { readonly isThere: boolean })[] = [
    {
      name: 'crypto.subtle',
      isThere: typeof crypto.subtle !== 'undefined',
      consequence: 'The key that signs for you is kept where scripts of this site can read it.',
    },
    {
      name: 'locks',
      isThere: hasLocks(),
      consequence: 'When a tab that takes part is closed, another one takes over after some seconds only.',
    },
    {
      name: 'motion',
      isThere: typeof DeviceMotionEvent !== 'undefined',
      consequence: 'The page cannot record the motion of this device.',
    },
    {
      name: 'simd',
      isThere: hasSimd(),
      consequence: 'Training takes several times as long; its results are the same.',
    },
  ];
  return all.filter(({ isThere }) => !isThere).map(({ name, consequence }) => ({ name, consequence }));
}

/** A module with one function of one vector instruction: () -> v128, i8x16.splat of 0. */
// biome-ignore format: a section on each line
const ONE_VECTOR = Uint8Array.of(
  0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
  1, 5, 1, 0x60, 0, 1, 0x7b,
  3, 2, 1, 0,
  10, 8, 1, 6, 0, 0x41, 0, 0xfd, 0x0f, 0x0b,
);

function hasSimd(): boolean {
  return typeof WebAssembly !== 'undefined' && WebAssembly.validate(ONE_VECTOR);
}
