/** The way from a branch to its parent and back, and its signs of life: to the parent, and to the root, which shows them to people. */

import type { FederationHost } from '../../host/federation-host.ts';
import type { FederationRecord } from '../../host/ports.ts';
import { decodeStem, encodeBranch } from '../../nats/envelope.ts';
import { parentOf, shapeOf } from '../../nats/shape.ts';
import { decodeFrom } from '../../protocol/codec.ts';
import { KIND_OF_TAG } from '../../protocol/layouts.ts';
import { DEFAULT_LIMITS } from '../../protocol/limits.ts';
import { ShardCounts } from './shard-counts.ts';
import type { ShardPorts } from './shard-ports.ts';

const TAG_AT = 5;

interface BranchAddress {
  readonly record: FederationRecord;
  /** Its number in the tree. */
  readonly shard: number;
  readonly epoch: number;
}

type ParentPorts = Pick<ShardPorts, 'bus' | 'subjects' | 'clock'>;

export class ParentLink {
  readonly counts = new ShardCounts();
  private readonly address: BranchAddress;
  private readonly ports: ParentPorts;
  private readonly above: string;

  constructor(address: BranchAddress, ports: ParentPorts) {
    const { record, shard } = address;
    const parent = parentOf(shard, shapeOf(record));
    this.address = address;
    this.ports = ports;
    this.above =
      parent === undefined ? ports.subjects.toRoot(record.id) : ports.subjects.branch(record.id, parent);
  }

  /** Gives what ends it. */
  listen(host: FederationHost): () => void {
    const { bus, subjects, clock } = this.ports;
    const { record, shard, epoch: own } = this.address;
    return bus.subscribe(subjects.shard(record.id, shard), (bytes) => {
      const { epoch, frame } = decodeStem(bytes);
      if (epoch !== 0 && epoch !== own) return;
      const message = decodeFrom('coordinator', frame, DEFAULT_LIMITS);
      this.counts.noteAbove(message, host.state.above?.pending?.message.round, clock.now());
      host.receiveFromAbove(message);
    });
  }

  send(frame: Uint8Array, host: FederationHost): void {
    const { bus, clock } = this.ports;
    const { shard, epoch } = this.address;
    if (KIND_OF_TAG.get(frame[TAG_AT]) === 'partial')
      this.counts.notePartial(host.state.above?.pending?.message.round ?? 0, clock.now());
    bus.publish(this.above, encodeBranch({ type: 'frame', shard, epoch, frame }));
  }

  beat(counts: { readonly connected: number; readonly members: number }): void {
    const { bus, subjects } = this.ports;
    const { record, shard, epoch } = this.address;
    const bytes = encodeBranch({ type: 'alive', shard, epoch, ...counts });
    for (const subject of new Set([this.above, subjects.toRoot(record.id)])) bus.publish(subject, bytes);
  }
}
