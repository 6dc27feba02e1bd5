/** What a page loads to take part, at `/kindred.js` of every server; page-models.ts has the rest of `kindred/browser`. */

/**
 * Takes part in a federation from a page: a worker connects, solves and keeps state and key in the browser. The rows stay here. Further
 * tabs with the same state show the same run, and one of them goes on when the first is closed.
 *
 * @example
 * ```ts
 * import { type PageEvent, type PageJoinOptions, type PageParticipation, joinFederation, tableFrom, type Traffic } from 'kindred/browser';
 *
 * const kinds = ({ sent }: Traffic) => Object.keys(sent).slice(0, 3).join();
 * const rounds: number[] = [];
 * const table = tableFrom([{ id: 'Ada', x: [1, 2, 8, 9], y: [-1, -1, 1, 1] }]);
 * const options: PageJoinOptions = {
 *   url: location.origin,
 *   participant: 'Ada',
 *   data: { table },
 *   onEvent: (event: PageEvent) => event.type === 'solved' && rounds.push(event.round),
 * };
 * const running: PageParticipation = joinFederation(options);
 * const { reason } = await running.done;
 * const model = await running.model();
 * console.log(reason, rounds[0], model?.features.join()); // gap 1 x1
 * console.log(running.role, kinds(running.traffic)); // leader challenge,session,join
 * await running.close();
 * ```
 */
export { joinFederation } from '../browser/join.ts';
export type { PageEvent, PageJoinOptions, PageParticipation } from '../browser/page-types.ts';
export type { Traffic } from '../browser/traffic.ts';

/**
 * The states of participants that this browser keeps for this site, and how to remove one for good, after leaving.
 *
 * @example
 * ```ts
 * import { joinFederation, removeState, savedStates, type StateSummary, tableFrom } from 'kindred/browser';
 *
 * const table = tableFrom([{ id: 'Ben', x: [1, 2, 8, 9], y: [-1, -1, 1, 1] }]);
 * const running = joinFederation({ url: location.origin, participant: 'Ben', state: 'mine', data: { table } });
 * await running.leave();
 * await running.close();
 * const lineOf = ({ name, participant }: StateSummary) => `${name}: ${participant}`;
 * console.log((await savedStates()).map(lineOf).join()); // mine: Ben
 * await removeState('mine');
 * console.log((await savedStates()).length); // 0
 * ```
 */
export { removeState, savedStates } from '../browser/states.ts';
export type { StateSummary } from '../browser/page-types.ts';

/**
 * What the browser withholds from this page, and what follows from that, a sentence each: most of it comes with https.
 *
 * @example
 * ```ts
 * import { type MissingFeature, missingFeatures } from 'kindred/browser';
 *
 * const names = missingFeatures().map(({ name }: MissingFeature) => name);
 * console.log(names.includes('locks'), names.includes('simd')); // false false
 * ```
 */
export { missingFeatures } from '../browser/features.ts';
export type { MissingFeature } from '../browser/page-types.ts';

export { type ByteSource, KindredError, type ParseOptions, parseTable, type Table } from './kindred-core.ts';
