/**
 * The shards of a federation, as its root reaches them: over NATS, whoever owns them at present. An owner with a higher epoch takes the place
 * of one with a lower; a shard that nobody is heard of from is away.
 */

import type { FederationRecord } from '../../host/ports.ts';
import type { Bus } from '../../nats/bus.ts';
import { type Branch, decodeBranch, encodeStem } from '../../nats/envelope.ts';
import { type Subjects, shardName, shardOf } from '../../nats/subjects.ts';
import { decodeFrom } from '../../protocol/codec.ts';
import { DEFAULT_LIMITS } from '../../protocol/limits.ts';
import { ProtocolError } from '../../protocol/protocol-error.ts';
import type { ShardAnswer, ShardOrder } from '../owner/shard-host.ts';
import { ApiError, noSuchParticipant } from '../server/api-error.ts';
import type { Federation, Groups, GroupView, Link } from '../server/federation.ts';
import { increase } from '../server/meters.ts';
import { ShardOrders } from './shard-orders.ts';

/** Between looks whether all buckets are there: they may be lost with their servers. */
const BUCKETS_MS = 5000;
const KINDS = new Set(['enlist', 'moments', 'partial', 'leave']);

export interface TreePorts {
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly now: () => number;
  /** A shard that is not heard of for so long is away. */
  readonly silentMs: number;
  /** Makes those buckets of the federation that are not there. */
  makeBuckets(record: FederationRecord): Promise<void>;
}

export class ShardLinks implements Groups {
  private readonly federation: Federation;
  private readonly ports: TreePorts;
  private readonly links = new Map<number, ShardLink>();
  private readonly orders: ShardOrders;
  private readonly timers: NodeJS.Timeout[] = [];
  private unsubscribe = () => {};

  constructor(federation: Federation, ports: TreePorts) {
    this.federation = federation;
    this.ports = ports;
    this.orders = new ShardOrders(federation.record.id, ports);
  }

  start(): void {
    const { bus, subjects, now, silentMs } = this.ports;
    this.unsubscribe = bus.subscribe(subjects.toRoot(this.id), (bytes) => this.receive(decodeBranch(bytes)));
    this.orders.start();
    this.timers.push(
      setInterval(() => this.check(now()), silentMs / 3).unref(),
      setInterval(() => this.makeBuckets(), BUCKETS_MS).unref(),
    );
    this.makeBuckets();
  }

  /** Owners wait for them. What fails is tried again. */
  private makeBuckets(): void {
    this.ports.makeBuckets(this.federation.record).catch(() => {});
  }

  stop(): void {
    for (const timer of this.timers) clearInterval(timer);
    this.unsubscribe();
    this.orders.stop();
  }

  check(now: number): void {
    const { connections, host } = this.federation;
    for (const [shard, link] of this.links) {
      if (now - link.receivedMs <= this.ports.silentMs) continue;
      this.links.delete(shard);
      connections.delete(shardName(shard));
      host.away(shardName(shard));
    }
  }

  list(): readonly GroupView[] {
    return [...this.links].map(([shard, { members: participants, connected, epoch }]) => ({
      ...{ id: shardName(shard), participants, connected, epoch },
    }));
  }

  /** The highest epoch that was heard of, of each shard. */
  epochs(): number[] {
    const { members } = this.federation.host.state;
    return Array.from({ length: this.shards }, (_, shard) =>
      Math.max(this.links.get(shard)?.epoch ?? 0, members.get(shardName(shard))?.session ?? 0),
    );
  }

  async forget(participant: string): Promise<string | undefined> {
    const { unknown, refusal } = await this.order(participant, { forget: participant });
    if (unknown) throw noSuchParticipant(participant, 'taking part');
    return refusal;
  }

  /** Nobody waits for it: a participant that is revoked is not admitted again. */
  disconnect(participant: string, code: number, reason: string): void {
    this.order(participant, { disconnect: participant, code, reason }).catch(() => {});
  }

  private async order(participant: string, order: ShardOrder): Promise<ShardAnswer> {
    const shard = shardOf(participant, this.shards);
    const answer = await this.orders.give(shard, order);
    if (answer) return answer;
    const why = `${shardName(shard)} of participant "${participant}" does not answer`;
    throw new ApiError('NOT_READY', `${why}; try again`);
  }

  private receive(branch: Branch): void {
    const { shard, epoch } = branch;
    if (shard >= this.shards) throw new ProtocolError('BAD_FRAME', `envelope: no shard ${shard}`);
    const known = this.links.get(shard);
    // Of a process that was the owner before.
    if (known && epoch < known.epoch) return;
    const link = known?.epoch === epoch ? known : this.attach(shard, epoch);
    link.receivedMs = this.ports.now();
    if (branch.type === 'alive') {
      link.connected = branch.connected;
      link.members = branch.members;
      return;
    }
    const { meter, host } = this.federation;
    meter.bytes.in += branch.frame.length;
    const message = decodeFrom('participant', branch.frame, DEFAULT_LIMITS);
    if (!KINDS.has(message.kind)) throw new ProtocolError('BAD_FRAME', `${message.kind}: not of a shard`);
    increase(meter.received, message.kind);
    host.receive(shardName(shard), message);
  }

  private attach(shard: number, epoch: number): ShardLink {
    const { bus, subjects } = this.ports;
    const { meter } = this.federation;
    const link = new ShardLink(epoch, this.ports.now(), (frame) => {
      meter.bytes.out += frame.length;
      bus.publish(subjects.shard(this.id, shard), encodeStem({ epoch, frame }));
    });
    this.links.set(shard, link);
    this.federation.connections.set(shardName(shard), link);
    return link;
  }

  private get id(): string {
    return this.federation.record.id;
  }

  private get shards(): number {
    return this.federation.record.shards ?? 1;
  }
}

class ShardLink implements Link {
  readonly epoch: number;
  receivedMs: number;
  connected = 0;
  members = 0;
  readonly isDrained = true;
  readonly send: (frame: Uint8Array) => void;

  constructor(epoch: number, receivedMs: number, send: (frame: Uint8Array) => void) {
    this.epoch = epoch;
    this.receivedMs = receivedMs;
    this.send = send;
  }

  /** An owner finds out by itself. */
  close(): void {}

  /** `ShardLinks` checks. */
  check(): void {}
}
