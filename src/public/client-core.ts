/** `kindred/client` wherever there is no Node: a participant and its ports. */

/**
 * Takes part in a federation over ports that the caller brings; `joinFederation` brings those of Node.
 *
 * @example
 * ```ts
 * import { ed25519 } from '@noble/curves/ed25519.js';
 * import { tableFrom } from 'kindred';
 * import * as client from 'kindred/client';
 * import { parseOptions, startServer } from 'kindred/server';
 * import { WebSocket } from 'ws'; // pages have their own
 *
 * const server = await startServer({ store: 'ports.db' });
 * await server.ensure('default', parseOptions('here', { minParticipants: 1 }));
 *
 * const endpoint = client.parseEndpoint(server.url);
 * const transport: client.Transport = {
 *   label: endpoint.label,
 *   origin: endpoint.challenge.origin,
 *   async request(step, body, signal) {
 *     const headers = { 'content-type': 'application/json' };
 *     const text = JSON.stringify(body);
 *     const reply = await fetch(endpoint[step], { method: 'POST', headers, body: text, signal });
 *     return { status: reply.status, body: await reply.json() };
 *   },
 *   connect(ticket, events) {
 *     const socket = new WebSocket(endpoint.connect, [client.SUBPROTOCOL, client.TICKET_PREFIX + ticket]);
 *     socket.binaryType = 'arraybuffer';
 *     socket.onopen = () => events.opened();
 *     socket.onmessage = ({ data }) => events.frame(new Uint8Array(data as ArrayBuffer));
 *     socket.onclose = ({ code, reason }) => events.closed(code, reason);
 *     const stop = () => {
 *       socket.onclose = null;
 *       socket.close();
 *     };
 *     const send = (frame: Uint8Array) => {
 *       socket.send(frame);
 *       return true;
 *     };
 *     return { send, drop: stop, close: stop };
 *   },
 * };
 *
 * const clock: client.Clock = {
 *   now: () => performance.now(),
 *   at(atMs, run) {
 *     const timer = setTimeout(run, atMs - performance.now());
 *     return () => clearTimeout(timer);
 *   },
 * };
 *
 * const secretKey = ed25519.utils.randomSecretKey();
 * const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
 * const signer: client.Signer = {
 *   key: base64(ed25519.getPublicKey(secretKey)),
 *   sign: (statement) => base64(ed25519.sign(statement, secretKey)),
 * };
 *
 * const random = () => crypto.getRandomValues(new Uint32Array(1))[0];
 * const state = new client.MemoryState();
 * const ports: client.ParticipationPorts = {
 *   transport: () => transport,
 *   home: (newcomer) => ({ store: state.open(newcomer, crypto.getRandomValues(new Uint8Array(32))), signer }),
 *   solver: client.localSolver(clock, () => client.streamFrom(random)),
 *   clock,
 *   random: () => random() / 2 ** 32,
 * };
 * const table = tableFrom([{ id: 'Ada', x: [1, 2, 8, 9], y: [-1, -1, 1, 1] }]);
 * const options: client.ParticipationOptions = { participant: 'Ada', data: { table } };
 * const { reason } = await client.participate(options, ports).done;
 * await server.close();
 * console.log(reason); // gap
 * ```
 */
export { participate } from '../client/participation.ts';
export type { ParticipationOptions, ParticipationPorts } from '../client/participation-options.ts';
export { parseEndpoint } from '../client/endpoint.ts';
export { localSolver } from '../client/row-work.ts';
export { MemoryState } from '../client/memory-store.ts';
export { streamFrom } from '../base/random.ts';
export { SUBPROTOCOL, TICKET_PREFIX } from '../protocol/joining.ts';

/**
 * The running participant (`Participation`) with its `JoinStatus`, what it reports meanwhile (`JoinEvent`), and the outcome
 * (`JoinResult`).
 *
 * @example
 * ```ts
 * import type { JoinEvent, JoinResult, JoinStatus, Participation } from 'kindred/client';
 *
 * const lineOf = (event: JoinEvent) => (event.type === 'solved' ? `round ${event.round}` : event.type);
 * const isReady = ({ isConnected, phase }: JoinStatus) => isConnected && phase !== 'joining';
 * const summary = ({ reason, rounds }: JoinResult) => `${reason} after ${rounds} rounds`;
 * const outcome = async (running: Participation) => summary(await running.done);
 * console.log(lineOf({ type: 'solved', round: 3, passes: 10, computeMs: 1 })); // round 3
 * console.log(typeof isReady, typeof outcome); // function function
 * ```
 */
export type { JoinEvent, JoinResult, JoinStatus, Participation } from '../client/participation-options.ts';

/**
 * The ports: the way to the federation (`Transport`, `Channel`, `ChannelEvents`), time (`Clock`), durable state (`StateStore`), identity
 * (`Signer`), and whoever holds the rows (`OpenSolver`). A transport that got no reply rejects with `TryAgain`, and is asked again later.
 *
 * @example
 * ```ts
 * import { TryAgain } from 'kindred/client';
 * import type { Channel, ChannelEvents, Clock, OpenSolver, Signer, StateStore, Transport } from 'kindred/client';
 *
 * const offline: Transport = {
 *   label: 'nowhere',
 *   origin: 'https://nowhere.example',
 *   request: () => Promise.reject(new TryAgain('OFFLINE', 'nowhere: no network')),
 *   connect: (_ticket: string, events: ChannelEvents): Channel => {
 *     queueMicrotask(() => events.failed(new Error('no network')));
 *     return { send: () => false, drop: () => {}, close: () => {} };
 *   },
 * };
 * const home = (store: StateStore, signer: Signer) => ({ store, signer });
 * const timed = (open: OpenSolver, clock: Clock): OpenSolver => (rows, events) => {
 *   const startMs = clock.now();
 *   const prepared: typeof events.prepared = (boxes) => {
 *     console.error(`prepared after ${clock.now() - startMs} ms`);
 *     events.prepared(boxes);
 *   };
 *   return open(rows, { ...events, prepared });
 * };
 * const why = await offline.request('challenge', {}, new AbortController().signal).catch((error: Error) => error.message);
 * console.log(why, typeof home, typeof timed); // nowhere: no network function function
 * ```
 */
export type { Clock } from '../base/ports.ts';
export { TryAgain } from '../client/admission.ts';
export type {
  Channel,
  ChannelEvents,
  OpenSolver,
  Signer,
  StateStore,
  Transport,
} from '../client/ports.ts';
