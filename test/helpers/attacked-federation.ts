/**
 * A federation under attack: `kindred serve` as a process, a few honest participants that train all the while, and attackers who have
 * enrolled like everybody else. No gap is small enough to end it: everything that happens before `finish` happens during training.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Verification } from '../../src/check/verify.ts';
import type { JoinResult, Participation } from '../../src/client/participation-options.ts';
import { rowsOfParticipant } from '../../src/data/participants.ts';
import { ServedCoordinator } from '../../src/node/admin/served.ts';
import { joinFederation } from '../../src/node/client/join.ts';
import type { RejectCode } from '../../src/protocol/codes.ts';
import type { AnswerMessage, Join, RoundMessage, ToCoordinator } from '../../src/protocol/messages.ts';
import { verifiedStates } from './conservation.ts';
import { FaultyProxy } from './faulty-proxy.ts';
import { frameContent, isData } from './frame-cutter.ts';
import { type Ask, ask, type Heard } from './http.ts';
import { metric } from './metrics.ts';
import { until } from './server.ts';
import { tableOf } from './tables.ts';
import { connected, type WsParticipant } from './ws-participant.ts';

export const HOME = '/v1/federations/default';
export const RETRY_MS = 100;
const HONEST = 3;
const LATE = `p${HONEST}`;
/** One more for whoever comes during an attack. */
const table = tableOf({
  participants: HONEST + 1,
  rows: 40,
  d: 4,
  target: (x, k) => (x[0] + 0.5 * k * x[1] - 0.4 * x[2] > 0 ? 1 : -1),
});
export const FEATURES = table.features;

const OPTIONS = {
  // Many short steps: there is something to train for a while.
  passes: 1,
  c1: 10,
  waiting: { kind: 'fixed', ms: 150 },
  maxWaitMs: 1000,
  minParticipants: HONEST,
  retryMs: RETRY_MS,
  patience: 1,
  defence: { refuseAbove: 1e6 },
  summationMs: 10,
  stop: { gap: 0, rounds: 100_000, stall: null },
};

/** What an eavesdropper on one honest participant's line has seen of it. */
export interface Recording {
  /** Requests, whole, by connection. */
  readonly requests: Map<number, Buffer>;
  /** Frames of the protocol, without their wrapping. */
  readonly frames: Uint8Array[];
}

export class AttackedFederation {
  readonly operatorToken: string;
  readonly recording: Recording = { requests: new Map(), frames: [] };
  private readonly folder: string;
  private readonly served: ServedCoordinator;
  private readonly tap: FaultyProxy;
  private readonly honest: Participation[] = [];

  private constructor(folder: string, served: ServedCoordinator, tap: FaultyProxy) {
    this.folder = folder;
    this.served = served;
    this.tap = tap;
    this.operatorToken = readFileSync(`${this.store}.token`, 'utf8').trim();
    tap.onPiece = (connection, from, { bytes, isFrame }) => {
      if (from === 'server') return;
      const { requests, frames } = this.recording;
      if (isFrame && isData(bytes)) frames.push(frameContent(bytes));
      if (!isFrame)
        requests.set(connection, Buffer.concat([requests.get(connection) ?? Buffer.alloc(0), bytes]));
    };
  }

  /** Comes back when training is under way, with an attacker among those who take part. */
  static async start(folder: string, flags: readonly string[] = []): Promise<AttackedFederation> {
    const options = join(folder, 'options.json');
    writeFileSync(options, JSON.stringify(OPTIONS));
    const store = join(folder, 'store.db');
    const served = await ServedCoordinator.start(store, ['--federation-file', options, ...flags]);
    const tap = await FaultyProxy.start(Number(new URL(served.url).port));
    const attacked = new AttackedFederation(folder, served, tap);
    for (const id of table.participants.slice(0, HONEST)) attacked.joinHonestly(id);
    await until(async () => (await attacked.round()) > 1, 'training has begun');
    await attacked.attacker('sleeper').then((sleeper) => sleeper.join());
    return attacked;
  }

  get url(): string {
    return this.served.url;
  }

  get store(): string {
    return join(this.folder, 'store.db');
  }

  get isRunning(): boolean {
    return this.served.isRunning;
  }

  ask(path: string, options: Ask = {}): Promise<Heard> {
    return ask(`${this.url}${path}`, options);
  }

  /** As the operator. */
  operate(path: string, options: Ask = {}): Promise<Heard> {
    return this.ask(path, { token: this.operatorToken, ...options });
  }

  async round(): Promise<number> {
    return (await this.ask(HOME)).json.round;
  }

  async metric(name: string, labels: Record<string, string> = {}): Promise<number> {
    return metric((await this.ask('/metrics')).text, name, labels);
  }

  /** What participants were refused with this code: the API and the metrics say the same, unless it is said between the two. */
  async rejected(code: RejectCode): Promise<number> {
    let [told, counted] = [0, -1];
    await until(async () => {
      told = (await this.ask(HOME)).json.rejections[code] ?? 0;
      counted = await this.metric('kindred_rejections_total', { code });
      return told === counted;
    }, `the API and the metrics agree on ${code}`);
    return counted;
  }

  /** Refused requests with this code. */
  refused(code: string): Promise<number> {
    return this.metric('kindred_refusals_total', { code });
  }

  async attacker(name: string): Promise<Attacker> {
    return new Attacker(name, await connected(this.url, { participant: name, features: FEATURES }));
  }

  /** An honest participant that comes only now; resolves when it has taken part. */
  async newcomer(): Promise<void> {
    const participation = this.joinHonestly(LATE);
    await until(() => participation.status.base > 0, 'the newcomer has contributed');
  }

  /** The operator has all attackers forgotten, and ends the training once the gap is small. */
  async finish(): Promise<JoinResult[]> {
    const { participants } = (await this.ask(`${HOME}/participants`)).json;
    const honest = new Set(table.participants);
    for (const { id } of participants as { id: string }[]) {
      if (honest.has(id)) continue;
      const path = `${HOME}/participants/${encodeURIComponent(id)}`;
      await this.operate(`${path}/revoke`, { method: 'POST' });
      await this.operate(`${path}/forget`, { method: 'POST' });
    }
    await until(async () => {
      const { certificate, missing } = (await this.ask(HOME)).json;
      // After somebody was forgotten nothing is known until the next answers.
      return certificate.relativeGap !== null && certificate.relativeGap <= 1e-3 && missing.length === 0;
    }, 'the gap of the honest ones is small');
    await this.operate(`${HOME}/finish`, { method: 'POST' });
    return await Promise.all(this.honest.map(({ done }) => done));
  }

  /** Whether what the store has is what everybody has: the server is stopped for that. */
  async verified(): Promise<Verification> {
    await this.served.stop();
    const folders = this.honest.map(({ status }) => join(this.folder, status.participant));
    return verifiedStates(this.store, 'default', folders);
  }

  async close(): Promise<void> {
    await Promise.all(this.honest.map((participation) => participation.close()));
    await this.tap.stop();
    await this.served.stop();
  }

  /** The first of them over a line that is listened in on. */
  private joinHonestly(id: string): Participation {
    const participation = joinFederation({
      url: this.honest.length === 0 ? this.tap.url : this.url,
      data: { table: rowsOfParticipant(table, id)! },
      participant: id,
      stateFolder: join(this.folder, id),
      timing: { retryFromMs: 20, retryMostMs: 200 },
    });
    this.honest.push(participation);
    return participation;
  }
}

/** Somebody with an identity and a connection of its own, and no good in mind. */
export class Attacker {
  readonly name: string;
  readonly link: WsParticipant;

  constructor(name: string, link: WsParticipant) {
    this.name = name;
    this.link = link;
  }

  /** Takes part from now on; gives the round that is open. */
  async join(changes: Partial<Join> = {}): Promise<RoundMessage> {
    this.link.send(this.hello(changes));
    return await this.link.next('round');
  }

  hello(changes: Partial<Join> = {}): Join {
    const unknown = { session: 1, base: 0, pending: 0, edition: 0 };
    return {
      kind: 'join',
      id: this.name,
      rows: 5,
      features: FEATURES.length,
      benchmarkMs: 1,
      ...unknown,
      ...changes,
    };
  }

  /** The answer of somebody without any rows, which would be taken as it is. */
  answer(changes: Partial<AnswerMessage> = {}): AnswerMessage {
    const order = this.link.heard.findLast((message) => message.kind === 'round');
    return {
      kind: 'answer',
      session: 1,
      round: order?.round ?? 1,
      base: 0,
      passes: 1,
      computeMs: 1,
      scalars: { loss: 1, dualSum: 0, uNorm2: 0, wDotU: 0 },
      u: new Float64Array(order?.w.length ?? FEATURES.length + 1),
      previous: undefined,
      ...changes,
    };
  }

  send(message: ToCoordinator | Uint8Array | string): void {
    if (typeof message === 'string' || message instanceof Uint8Array) this.link.sendRaw(message);
    else this.link.send(message);
  }
}
