/** `kindred/server`: the coordinator as a service, to run or to embed. */

/**
 * What a federation runs with.
 *
 * @example
 * ```ts
 * import { type CoordinatorOptions, parseOptions } from 'kindred/server';
 *
 * const options: CoordinatorOptions = parseOptions('here', { waiting: { kind: 'fixed', ms: 500 } });
 * console.log(options.waiting.kind, options.objective); // fixed classification
 * ```
 */
export type { CoordinatorOptions } from '../coordinator/options.ts';

/**
 * Options of a federation, complete and checked: `parseOptions` fills in what is not given and refuses what makes no sense, naming
 * the field. Its first argument is what errors call the options.
 *
 * @example
 * ```ts
 * import { type OptionsInput, parseOptions } from 'kindred/server';
 *
 * const given: OptionsInput = { minParticipants: 3, c1: 10, secure: true };
 * const options = parseOptions('my options', given);
 * console.log(options.minParticipants, options.c2, options.secure !== undefined); // 3 1 true
 * ```
 */
export { type OptionsInput, parseOptions } from '../coordinator/options.ts';
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
export { type CoordinatorServer, type ServerOptions, startServer } from '../node/server/server.ts';
