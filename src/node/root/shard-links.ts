/**
 * The shards of a federation and the branches between, as its root reaches them. Frames come from those right below it only; signs of life
 * of all.
 */
import type { FederationRecord } from '../../host/ports.ts';
import { BranchLinks } from '../../nats/branch-links.ts';
import type { Bus } from '../../nats/bus.ts';
import { nodeName, nodesIn, parentOf, type Shape, shapeOf } from '../../nats/shape.ts';
import { type Subjects, shardName, shardOf } from '../../nats/subjects.ts';
import { ProtocolError } from '../../protocol/protocol-error.ts';
import type { ShardAnswer, ShardOrder } from '../owner/shard-host.ts';
import { ApiError, noSuchParticipant } from '../server/api-error.ts';
import type { Federation, Groups, GroupView } from '../server/federation.ts';
import { increase } from '../server/meters.ts';
import { ShardOrders } from './shard-orders.ts';

/** Between looks whether all buckets are there: they may be lost with their servers. */
const BUCKETS_MS = 5000;

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
  private readonly shape: Shape;
  /** By name, the number in the tree. */
  private readonly nodes: ReadonlyMap<string, number>;
  private readonly links: BranchLinks;
  private readonly orders: ShardOrders;
  private making: NodeJS.Timeout | undefined;

  constructor(federation: Federation, ports: TreePorts) {
    const { id } = federation.record;
    const { meter, connections, host } = federation;
    const shape = shapeOf(federation.record);
    this.federation = federation;
    this.ports = ports;
    this.shape = shape;
    const names = Array.from({ length: nodesIn(shape) }, (_, node) => nodeName(node, shape));
    this.nodes = new Map(names.map((name, node) => [name, node]));
    this.orders = new ShardOrders(id, ports);
    this.links = new BranchLinks({
      ...{ ...ports, federation: id, inbox: ports.subjects.toRoot(id) },
      nameOf: (node) => names[node],
      onMessage: (name, message, bytes) => {
        if (!this.isBelow(name))
          throw new ProtocolError('BAD_FRAME', `${message.kind}: not of a branch of the root`);
        meter.bytes.in += bytes;
        increase(meter.received, message.kind);
        host.receive(name, message);
      },
      onSent: (bytes) => {
        meter.bytes.out += bytes;
      },
      onAttached: (name, link) => {
        if (this.isBelow(name)) connections.set(name, link);
      },
      isMember: (name) => host.state.members.has(name),
      onUnheard: (name) => {
        if (this.isBelow(name)) host.present(name);
      },
      onAway: (name) => {
        if (!this.isBelow(name)) return;
        connections.delete(name);
        host.away(name);
      },
    });
  }

  start(): void {
    this.links.start();
    this.orders.start();
    this.making = setInterval(() => this.makeBuckets(), BUCKETS_MS).unref();
    this.makeBuckets();
  }

  stop(): void {
    clearInterval(this.making);
    this.links.stop();
    this.orders.stop();
  }

  get size(): number {
    return this.nodes.size;
  }

  list(): readonly GroupView[] {
    return [...this.links.alive].map(([id, { members: participants, connected, epoch }]) => {
      const parent = parentOf(this.nodes.get(id)!, this.shape);
      return {
        ...{ id, participants, connected, epoch },
        ...(parent !== undefined && { parent: nodeName(parent, this.shape) }),
      };
    });
  }

  /** The highest epoch that was heard of, by number in the tree. */
  epochs(): number[] {
    const { members } = this.federation.host.state;
    return [...this.nodes.keys()].map((name) =>
      Math.max(this.links.alive.get(name)?.epoch ?? 0, members.get(name)?.session ?? 0),
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
    const shard = shardOf(participant, this.shape.shards);
    const answer = await this.orders.give(shard, order);
    if (answer) return answer;
    const why = `${shardName(shard)} of participant "${participant}" does not answer`;
    throw new ApiError('NOT_READY', `${why}; try again`);
  }

  /** Owners wait for them. What fails is tried again. */
  private makeBuckets(): void {
    this.ports.makeBuckets(this.federation.record).catch(() => {});
  }

  /** Whether it is a member of the root. */
  private isBelow(name: string): boolean {
    return parentOf(this.nodes.get(name)!, this.shape) === undefined;
  }
}
