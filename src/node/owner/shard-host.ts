/**
 * One shard of a federation, run by whoever owns it at present: a coordinator that is a branch, its state in JetStream, its participants
 * behind gateways. Whoever owned it before can persist nothing since the store was opened here, and sends nothing that it has not persisted.
 */

import { FederationHost } from '../../host/federation-host.ts';
import type { FederationRecord, SavedRun, Store } from '../../host/ports.ts';
import { fromJson, toJson } from '../../nats/admission.ts';
import { decodeUp, encodeDown, type Up } from '../../nats/envelope.ts';
import { type Route, Routes } from '../../nats/routes.ts';
import { ShardTransport } from '../../nats/shard-transport.ts';
import { shardName } from '../../nats/subjects.ts';
import { decodeFrom } from '../../protocol/codec.ts';
import { CLOSE } from '../../protocol/joining.ts';
import { DEFAULT_LIMITS } from '../../protocol/limits.ts';
import { ProtocolError } from '../../protocol/protocol-error.ts';
import { Timer } from '../clock.ts';
import { entropyStream } from '../crypto.ts';
import { ParentLink } from './parent-link.ts';
import type { ShardPorts } from './shard-ports.ts';

/** Beats of a gateway that may be missed before it is gone. */
const BEATS_MISSED = 3;
const ANSWERS_KEPT = 100;
/** Between looks for those who are connected and no members: a crowd that has just arrived needs some time to join. */
const STRANGER_BEATS = 5;

/** What the root may ask of a shard. */
export type ShardOrder =
  | { readonly forget: string }
  | { readonly disconnect: string; readonly code: number; readonly reason: string };

/** The same id: the same order, once more. */
export interface GivenOrder {
  readonly id: string;
  readonly order: ShardOrder;
}

export interface OrderAnswer {
  readonly id: string;
  readonly answer: ShardAnswer;
}

export interface ShardAnswer {
  /** Nobody of this name has joined here. */
  readonly unknown?: true;
  readonly refusal?: string | undefined;
}

export interface ShardOptions {
  readonly record: FederationRecord;
  /** Its number in the tree. */
  readonly shard: number;
  readonly epoch: number;
  readonly store: Pick<Store, 'saveRun'>;
  readonly saved: SavedRun | undefined;
}

export class ShardHost {
  readonly host: FederationHost;
  readonly routes: Routes;
  private readonly transport: ShardTransport;
  private readonly options: ShardOptions;
  private readonly parent: ParentLink;
  private readonly ports: ShardPorts;
  private readonly returning = new Timer();
  private beating: NodeJS.Timeout | undefined;
  private subscriptions: (() => void)[] = [];
  /** Connections that were there before us, by gateway: whose they are was asked. And those whose they are, until they send something. */
  private readonly unknown = new Map<string, Set<number>>();
  private readonly unheard = new Set<string>();
  /** Connected, and no members when it was last looked. */
  private strangers = new Set<string>();
  private beats = 0;
  /** Of the last orders, by id: an answer may be lost, and the order come again. */
  private readonly answers = new Map<string, Promise<ShardAnswer>>();

  constructor(options: ShardOptions, ports: ShardPorts) {
    const { record, shard, epoch, store, saved } = options;
    const { bus, subjects, clock, primitives, log } = ports;
    this.options = options;
    this.ports = ports;
    this.parent = new ParentLink({ record, shard, epoch }, ports);
    this.routes = new Routes({
      mostMissed: BEATS_MISSED,
      onAway: (participant) => this.host.away(participant),
      onReplaced: (old) => this.close(old, CLOSE.replaced, 'replaced by another connection'),
      onUnknown: (gateway, connections) => {
        this.unknown.set(gateway, new Set(connections));
        bus.publish(subjects.down(record.id, gateway), encodeDown({ type: 'who', connections }));
      },
    });
    this.transport = new ShardTransport({ bus, subjects, federation: record.id, routes: this.routes });
    this.host = new FederationHost(
      record,
      saved,
      {
        // The history of the federation is the root's.
        store: { saveRun: (name, changes) => store.saveRun(name, changes, []) },
        transport: this.transport,
        above: { send: (frame) => this.parent.send(frame, this.host) },
        ...{ clock, primitives, noiseOf: entropyStream },
        onStoreFailure: (error) => {
          if (error) log.warn({ err: error }, 'the store of the shard is failing; trying again');
        },
      },
      { below: 'participants', above: { name: shardName(shard), epoch } },
    );
  }

  get counts() {
    return this.parent.counts;
  }

  get connected(): number {
    return this.routes.size;
  }

  get participants(): number {
    return this.host.state.members.size;
  }

  /** Frames to participants, and how many they were for. */
  get sent() {
    return this.transport.counts;
  }

  start(): void {
    const { record, shard } = this.options;
    const { bus, subjects, beatMs, returnMs } = this.ports;
    this.subscriptions = [
      bus.subscribe(subjects.up(record.id, shard), (bytes) => this.receive(decodeUp(bytes))),
      this.parent.listen(this.host),
      bus.subscribe(subjects.order(record.id, shard), (bytes) => this.take(fromJson<GivenOrder>(bytes))),
    ];
    this.host.start();
    this.beating = setInterval(() => this.beat(), beatMs).unref();
    this.beat();
    this.returning.set(returnMs, () => {
      for (const id of this.host.state.members.keys()) if (!this.routes.of(id)) this.host.away(id);
    });
  }

  /** At once: nothing more is sent. Resolves when nothing is being stored any more. */
  stop(): Promise<void> {
    clearInterval(this.beating);
    this.returning.clear();
    for (const end of this.subscriptions) end();
    this.subscriptions = [];
    this.transport.stop();
    return this.host.stop();
  }

  private receive(up: Up): void {
    if (up.type === 'roster') this.routes.roster(up.gateway, up.connections);
    else if (up.type === 'away') this.routes.away(up.participant, up);
    else if (this.routes.note(up.participant, up)) {
      if (up.type === 'frame') this.takeFrame(up);
      else if (this.unknown.get(up.gateway)?.delete(up.connection)) this.unheard.add(up.participant);
    }
  }

  /**
   * Whoever was connected before us does not know that anything has changed, and whoever is no member for long has not heard that it was
   * forgotten: at rest it says nothing by itself. Greetings may be lost.
   */
  private greet(): void {
    for (const id of this.unheard) {
      if (this.routes.of(id)) this.host.present(id);
      else this.unheard.delete(id);
    }
    if (++this.beats % STRANGER_BEATS !== 0) return;
    const { members } = this.host.state;
    const strangers = [...this.routes.participants()].filter((id) => !members.has(id));
    for (const id of strangers) if (this.strangers.has(id)) this.unheard.add(id);
    this.strangers = new Set(strangers);
  }

  private takeFrame({ participant, frame }: Up & { readonly type: 'frame' }): void {
    const message = decodeFrom('participant', frame, DEFAULT_LIMITS);
    this.unheard.delete(participant);
    const isForeign = message.kind === 'join' && message.id !== participant;
    // A gateway checks this, too.
    if (isForeign || message.kind === 'enlist' || message.kind === 'partial')
      throw new ProtocolError('WRONG_IDENTITY', `${message.kind}: not of participant "${participant}"`);
    this.host.receive(participant, message);
  }

  /** Whoever is above hears that somebody owns the shard, and how many are behind it. */
  private beat(): void {
    this.routes.check();
    this.greet();
    this.parent.beat({ connected: this.connected, members: this.participants });
  }

  private take(given: GivenOrder | undefined): void {
    if (!isOrder(given)) throw new ProtocolError('BAD_FRAME', 'order: expected one with its id, as JSON');
    const { bus, subjects } = this.ports;
    const { id, order } = given;
    let answer = this.answers.get(id);
    if (!answer) {
      if (this.answers.size === ANSWERS_KEPT) this.answers.clear();
      this.answers.set(id, (answer = this.carryOut(order)));
    }
    void answer.then((answer) =>
      bus.publish(subjects.ordered(this.options.record.id), toJson({ id, answer } satisfies OrderAnswer)),
    );
  }

  private async carryOut(order: ShardOrder): Promise<ShardAnswer> {
    if ('disconnect' in order) {
      const route = this.routes.of(order.disconnect);
      if (route) this.close(route, order.code, order.reason);
      return {};
    }
    if (!this.host.state.members.has(order.forget)) return { unknown: true };
    return { refusal: await this.host.order(order) };
  }

  private close({ gateway, connection }: Route, code: number, reason: string): void {
    const { bus, subjects } = this.ports;
    const down = encodeDown({ type: 'close', connections: [connection], code, reason });
    bus.publish(subjects.down(this.options.record.id, gateway), down);
  }
}

/** Whoever may publish may send anything. */
function isOrder(given: Partial<GivenOrder> | undefined): given is GivenOrder {
  const order = given?.order as Partial<Record<string, unknown>> | undefined;
  if (typeof given?.id !== 'string' || typeof order !== 'object' || order === null) return false;
  if (order.disconnect === undefined) return typeof order.forget === 'string';
  const { disconnect, code, reason } = order;
  return typeof disconnect === 'string' && typeof reason === 'string' && Number.isInteger(code);
}
