/**
 * What suites for ports are written with. A suite is a function that defines tests by name, for whatever runs them:
 *
 *     import { test } from 'node:test';
 *     runStoreContract(test, openMyStore);
 */
import { pack } from '../../base/packed.ts';
import type { Eventually } from '../../base/ports.ts';

/** `test` of node:test, vitest, jest and others. */
export type Define = (name: string, run: () => Promise<void>) => unknown;

/** Plain data, compared bit by bit; a field that is undefined is as good as none. */
export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  const [got, wanted] = [pack(actual), pack(expected)];
  if (got.length === wanted.length && got.every((byte, i) => byte === wanted[i])) return;
  throw new Error(`${what}: expected ${inShort(expected)}, got ${inShort(actual)}`);
}

export async function expectFailure(act: () => unknown, what: string): Promise<void> {
  try {
    await act();
  } catch {
    return;
  }
  throw new Error(`${what}: expected a failure, got none`);
}

const MOST_SHOWN = 300;

function inShort(value: unknown): string {
  const text =
    JSON.stringify(value, (_, part) => (ArrayBuffer.isView(part) ? `${part}` : part)) ?? 'undefined';
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}...` : text;
}

export interface StoreUnderTest<S> {
  readonly store: S;
  /** Closes it and opens it again, as another process would find it. */
  reopen(): Eventually<S>;
  /** Closes it for good and leaves nothing behind. */
  close(): Eventually<void>;
}

export type OpenStore<S> = () => Eventually<StoreUnderTest<S>>;

/** `define` for tests that are given something open, which is closed after them. */
export function withOpened<T extends { close(): Eventually<void> }>(
  define: Define,
  open: () => Eventually<T>,
) {
  return (name: string, run: (opened: T) => Promise<void>) =>
    define(name, async () => {
      const opened = await open();
      try {
        await run(opened);
      } finally {
        await opened.close();
      }
    });
}

export function withStore<S>(define: Define, open: OpenStore<S>) {
  const test = withOpened(define, open);
  return (name: string, run: (store: S, opened: StoreUnderTest<S>) => Promise<void>) =>
    test(name, (opened) => run(opened.store, opened));
}
