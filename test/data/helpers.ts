import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { KindredError } from '../../src/base/errors.ts';
import type { Table, TableColumns } from '../../src/data/table.ts';

export const COLUMNS: TableColumns = { task: 'task', label: 'y', drop: [], need: 'task and label' };

/** A file of test/fixtures/data, written by other programs (numpy, zstd, lz4). */
export function fixture(name: string): Uint8Array {
  return new Uint8Array(readFileSync(join(import.meta.dirname, '..', 'fixtures', 'data', name)));
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** A small table for what comes behind the readers: features x1..xd from rows of numbers. */
export function tableOf(
  ids: readonly string[],
  targets: readonly string[],
  rows: readonly number[][],
): Table {
  const participants = [...new Set(ids)].sort();
  return {
    source: 'test',
    features: rows[0].map((_, j) => `x${j + 1}`),
    n: rows.length,
    x: Float64Array.from(rows.flat()),
    participants,
    participantOf: Uint32Array.from(ids, (id) => participants.indexOf(id)),
    targets,
    lines: Uint32Array.from(rows, (_, i) => i + 2),
  };
}

/** Runs what must be refused; checks code, kind and one-line sentence with all the words, and gives the sentence. */
export async function refused(act: () => unknown, code: string, ...words: string[]): Promise<string> {
  let caught: unknown;
  try {
    await act();
  } catch (error) {
    caught = error;
  }
  expect(caught, `expected ${code}`).toBeInstanceOf(KindredError);
  const error = caught as KindredError;
  expect(error.code, error.message).toBe(code);
  expect(error.kind).toBe('input');
  expect(error.message).not.toContain('\n');
  for (const word of words) expect(error.message).toContain(word);
  return error.message;
}
