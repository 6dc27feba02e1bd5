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
