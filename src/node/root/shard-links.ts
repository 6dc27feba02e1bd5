/**
 * The shards of a federation, as its root reaches them: over NATS, whoever owns them at present. An owner with a higher epoch takes the place
 * of one with a lower; a shard that nobody is heard of from is away.
 */
import { fromJson, toJson } from '../../nats/admission.ts';
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

const ORDER_MS = 3000;
const ORDER_TRIES = 3;
/** Within the time after which a shard is away. */
const CHECKS_MISSED = 3;
const KINDS = new Set(['enlist', 'moments', 'partial', 'leave']);

export interface TreePorts {
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly now: () => number;
  /** A shard that is not heard of for so long is away. */
  readonly silentMs: number;
}

export class ShardLinks implements Groups {
  private readonly federation: Federation;
  private readonly ports: TreePorts;
  private readonly links = new Map<number, ShardLink>();
  private checking: NodeJS.Timeout | undefined;
  private unsubscribe = () => {};

  constructor(federation: Federation, ports: TreePorts) {
    this.federation = federation;
    this.ports = ports;
  }

  start(): void {
    const { bus, subjects, silentMs } = this.ports;
    this.unsubscribe = bus.subscribe(subjects.toRoot(this.id), (bytes) => this.receive(decodeBranch(bytes)));
    this.checking = setInterval(() => this.check(), silentMs / CHECKS_MISSED).unref();
  }

  stop(): void {
    clearInterval(this.checking);
    this.unsubscribe();
  }

  /** What was not heard of between several checks is away. A root that was busy for long checks once, and then reads what has waited. */
  private check(): void {
    const { connections, host } = this.federation;
    for (const [shard, link] of this.links) {
      if (link.missed++ < CHECKS_MISSED) continue;
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
    const { bus, subjects } = this.ports;
    const shard = shardOf(participant, this.shards);
    const subject = subjects.order(this.id, shard);
    for (let tries = 1; ; tries++) {
      try {
        return fromJson<ShardAnswer>(await bus.request(subject, toJson(order), ORDER_MS)) ?? {};
      } catch (error) {
        if (tries < ORDER_TRIES) continue;
        const why = `${shardName(shard)} of participant "${participant}" does not answer`;
        throw new ApiError('NOT_READY', `${why} (${(error as Error).message}); try again`);
      }
    }
  }

  private receive(branch: Branch): void {
    const { shard, epoch } = branch;
    if (shard >= this.shards) throw new ProtocolError('BAD_FRAME', `envelope: no shard ${shard}`);
    const known = this.links.get(shard);
    // Of a process that was the owner before.
    if (known && epoch < known.epoch) return;
    const link = known?.epoch === epoch ? known : this.attach(shard, epoch);
    link.missed = 0;
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
  /** Checks since it was last heard of. */
  missed = 0;
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
