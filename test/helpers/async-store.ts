/** Any store, with all answers from another turn of the event loop, as of a database behind a network. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Store } from '../../src/host/ports.ts';

export function asyncStore(store: Store): Store {
  return new Proxy(store, {
    get(target, key) {
      const value = Reflect.get(target, key) as unknown;
      if (typeof value !== 'function') return value;
      return async (...given: unknown[]) => {
        await nextTurn();
        const result = await value.apply(target, given);
        await nextTurn();
        return result;
      };
    },
  });
}
