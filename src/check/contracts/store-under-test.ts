/** A store for a suite: a new one for every test. */
import type { Eventually } from '../../base/ports.ts';
import type { Define } from './contract.ts';

export interface StoreUnderTest<S> {
  readonly store: S;
  /** Closes it and opens it again, as another process would find it. */
  reopen(): Eventually<S>;
  /** Closes it for good and leaves nothing behind. */
  close(): Eventually<void>;
}

export type OpenStore<S> = () => Eventually<StoreUnderTest<S>>;

/** `define` for tests that are given an open store, which is closed after them. */
export function withStore<S>(define: Define, open: OpenStore<S>) {
  return (name: string, run: (store: S, opened: StoreUnderTest<S>) => Promise<void>) =>
    define(name, async () => {
      const opened = await open();
      try {
        await run(opened.store, opened);
      } finally {
        await opened.close();
      }
    });
}
