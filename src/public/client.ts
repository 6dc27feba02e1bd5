/** `kindred/client`: a participant of a federation. */

/**
 * The running participant (`Participation`) with its `JoinStatus`, what it reports meanwhile (`JoinEvent`), and the outcome
 * (`JoinResult`).
 *
 * @example
 * ```ts
 * import { tableFrom } from 'kindred';
 * import type { JoinEvent, JoinOptions, JoinResult, JoinStatus, Participation } from 'kindred/client';
 *
 * const lineOf = (event: JoinEvent) => (event.type === 'solved' ? `round ${event.round}` : event.type);
 * const options: JoinOptions = {
 *   url: 'https://coordinator.example/v1/federations/default',
 *   participant: 'room-7',
 *   stateFolder: 'room-7',
 *   data: { table: tableFrom([{ id: 'room-7', x: [1, 2, 3, 4], y: [1, -1] }]) },
 *   onEvent: (event) => console.error(lineOf(event)),
 * };
 * const isReady = ({ isConnected, phase }: JoinStatus) => isConnected && phase !== 'joining';
 * const summary = ({ reason, rounds }: JoinResult) => `${reason} after ${rounds} rounds`;
 * const outcome = async (running: Participation) => summary(await running.done);
 * console.log(options.participant, typeof isReady, typeof outcome); // room-7 function function
 * ```
 */
export type { JoinEvent, JoinResult, JoinStatus, Participation } from '../client/participation-options.ts';
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
 * server.ensure('default', parseOptions('here', { minParticipants: 2 }));
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
 * server.ensure('default', parseOptions('here', { minParticipants: 1 }));
 * const table = tableFrom([{ id: 'Ada', x: [1, 2, 8, 9], y: [-1, -1, 1, 1] }]);
 * await joinFederation({ url: server.url, participant: 'Ada', stateFolder: 'ada', data: { table } }).done;
 * await server.close();
 * console.log(predict(modelFromFolder('ada'), table).map(({ prediction }) => prediction).join()); // -1,-1,1,1
 * ```
 */
export { modelFromFolder } from '../node/client/state-folder.ts';
export * from './client-core.ts';
