/** NumPy archives (.npz): a ZIP archive of .npy files. */
import { inputError, KindredError } from '../../base/errors.ts';
import type { NamedArray } from '../../data/numpy-table.ts';
import { readZip } from './zip.ts';

/** `limitBytes`: most bytes that all arrays together may unpack to. */
export function readNpz(bytes: Uint8Array, source: string, limitBytes: number): NamedArray[] {
  try {
    const entries = readZip(bytes, source, { entries: 10_000, bytes: limitBytes });
    return entries
      .filter(({ name }) => name.endsWith('.npy'))
      .map((entry) => ({ name: entry.name.slice(0, -'.npy'.length), bytes: entry.read() }));
  } catch (error) {
    // A downloaded archive that is damaged fails the run; a user's own is bad input.
    if (error instanceof KindredError) throw inputError(error.code, error.message);
    throw error;
  }
}
