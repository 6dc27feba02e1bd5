/** `kindred/client`: a participant of a federation. */
export * from './client-core.ts';

/**
 * Takes part in a federation: connects, answers rounds, reconnects, and keeps its state in a folder. The rows stay here.
 *
 * @example
 * ```ts
 * import { makeHarLike, rowsOfParticipant } from 'kindred';
 * import { type JoinOptions, joinFederation } from 'kindred/client';
 * import { parseOptions, startServer } from 'kindred/server';
 *
 * const server = await startServer({ store: 'join.db' });
 * await server.ensure('default', parseOptions('here', { minParticipants: 2 }));
 * const everybody = makeHarLike({ participants: 2, rowsPerParticipant: 30, features: 6 });
 * const join = (participant: string) => {
 *   const table = rowsOfParticipant(everybody, participant)!;
 *   const options: JoinOptions = { url: server.url, participant, stateFolder: participant, data: { table } };
 *   return joinFederation(options);
 * };
 * const results = await Promise.all([join('1').done, join('2').done]);
 * console.log(results.map(({ reason }) => reason).join()); // gap,gap
 * await server.close();
 * ```
 */
export { type JoinOptions, joinFederation } from '../node/client/join.ts';

/**
 * The model in a participant's state folder, to predict with offline: it needs no connection.
 *
 * @example
 * ```ts
 * import { predict, tableFrom } from 'kindred';
 * import { joinFederation, modelFromFolder } from 'kindred/client';
 * import { parseOptions, startServer } from 'kindred/server';
 *
 * const server = await startServer({ store: 'offline.db' });
 * await server.ensure('default', parseOptions('here', { minParticipants: 1 }));
 * const table = tableFrom([{ id: 'Ada', x: [1, 2, 8, 9], y: [-1, -1, 1, 1] }]);
 * await joinFederation({ url: server.url, participant: 'Ada', stateFolder: 'ada', data: { table } }).done;
 * await server.close();
 * console.log(predict(modelFromFolder('ada'), table).map(({ prediction }) => prediction).join()); // -1,-1,1,1
 * ```
 */
export { modelFromFolder } from '../node/client/state-folder.ts';

/**
 * The tests that every `StateStore` and every `Transport` of a participant must pass, for any test runner.
 *
 * @example
 * ```ts
 * import { clientTransportContract, MemoryState, stateStoreContract } from 'kindred/client';
 *
 * const tests: (() => Promise<void>)[] = [];
 * stateStoreContract(
 *   (_name, run) => tests.push(run),
 *   () => {
 *     const state = new MemoryState();
 *     const secret = crypto.getRandomValues(new Uint8Array(32));
 *     return { open: (newcomer) => state.open(newcomer, secret), close: () => {} };
 *   },
 * );
 * for (const run of tests) await run();
 * console.log(tests.length > 3, typeof clientTransportContract); // true function
 * ```
 */
export { stateStoreContract } from '../check/contracts/state-store.ts';
export { clientTransportContract } from '../check/contracts/client-transport.ts';
