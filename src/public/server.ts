/** `kindred/server`: the coordinator as a service, to run or to embed. */

/**
 * Options of a federation: `parseOptions` makes complete `CoordinatorOptions` of what is given, and refuses what makes no sense, naming
 * the field. Its first argument is what errors call the options.
 *
 * @example
 * ```ts
 * import { type CoordinatorOptions, type OptionsInput, parseOptions } from 'kindred/server';
 *
 * const given: OptionsInput = { minParticipants: 3, c1: 10, secure: true };
 * const options: CoordinatorOptions = parseOptions('my options', given);
 * console.log(options.minParticipants, options.c2, options.secure !== undefined); // 3 1 true
 * ```
 */
export { type CoordinatorOptions, type OptionsInput, parseOptions } from '../coordinator/options.ts';

/**
 * What the server accepts from outside: sizes, rates, connections.
 *
 * @example
 * ```ts
 * import { type ServerLimits, startServer } from 'kindred/server';
 *
 * const limits: Partial<ServerLimits> = { connections: 100, maxFrameBytes: 1_000_000 };
 * const server = await startServer({ store: 'limits.db', limits });
 * console.log(server.url.startsWith('http://127.0.0.1:')); // true
 * await server.close();
 * ```
 */
export type { ServerLimits } from '../node/server/limits.ts';
/**
 * Starts a coordinator: HTTP and WebSocket on one port, any number of federations, one store. It listens when the promise resolves.
 *
 * @example
 * ```ts
 * import { type CoordinatorServer, parseOptions, type ServerOptions, startServer } from 'kindred/server';
 *
 * const options: ServerOptions = { store: 'mine.db', enrolment: 'invitation' };
 * const server: CoordinatorServer = await startServer(options);
 * await server.ensure('default', parseOptions('here', { minParticipants: 2 }));
 * const [{ token }] = await server.invite('default');
 * console.log(token.length > 20, (await fetch(`${server.url}/healthz`)).status); // true 200
 * await server.close();
 * ```
 */
export { startServer } from '../stores/start-server.ts';
export type { CoordinatorServer } from '../node/server/server.ts';
export type { ServerOptions } from '../node/server/server-options.ts';

/**
 * Where a coordinator keeps what must last: a `SqliteStore` in a file (what `store: 'mine.db'` opens), a `MemoryStore` for tests, or a
 * `Store` of one's own, whose methods may be asynchronous. `openStore` opens any by its address, a file,
 * `postgres://user@host/database` or `nats://host/name`.
 *
 * @example
 * ```ts
 * import { MemoryStore, openStore, SqliteStore, type Store, startServer } from 'kindred/server';
 *
 * const file: Store = new SqliteStore('stores.db');
 * console.log(file.name, (await file.federations()).length); // stores.db 0
 * await file.close();
 * const same = await openStore('stores.db');
 * console.log(same.name); // stores.db
 * await same.close();
 * const server = await startServer({ store: new MemoryStore() });
 * console.log(server.federations.size); // 0
 * await server.close();
 * ```
 */
export { SqliteStore } from '../node/store/sqlite-store.ts';
export { openStore } from '../stores/open-store.ts';
export { MemoryStore } from '../host/memory-store.ts';
export type { Store } from '../host/ports.ts';

/**
 * The tests that every store must pass, for any test runner: give them its `test` and a function that opens a new, empty store.
 *
 * @example
 * ```ts
 * import { enrolmentStoreContract, MemoryStore, runStoreContract } from 'kindred/server';
 *
 * const tests: (() => Promise<void>)[] = [];
 * const test = (_name: string, run: () => Promise<void>) => tests.push(run);
 * const open = () => {
 *   const store = new MemoryStore();
 *   return { store, reopen: () => store, close: () => {} };
 * };
 * runStoreContract(test, open);
 * enrolmentStoreContract(test, open);
 * for (const run of tests) await run();
 * console.log(tests.length > 10); // true
 * ```
 */
export { runStoreContract } from '../check/contracts/run-store.ts';
export { enrolmentStoreContract } from '../check/contracts/enrolment-store.ts';
