/**
 * The simulated network: every frame really is encoded and decoded, and may be delayed, lost, doubled and overtaken, or cut
 * off by a partition. What happens to the i-th frame of a link depends on the seed, the link and i alone.
 */
import { stream } from '../base/random.ts';
import type { EventQueue } from './events.ts';

export interface LinkFaults {
  /** Fixed part of the delay. */
  readonly delayMs: number;
  /** Uniform random part on top: frames may overtake each other. */
  readonly jitterMs: number;
  readonly loss: number;
  readonly duplicate: number;
}

export const PERFECT_LINK: LinkFaults = { delayMs: 0, jitterMs: 0, loss: 0, duplicate: 0 };

/** During this time nothing passes between the coordinator and these participants. */
export interface Partition {
  readonly fromMs: number;
  readonly toMs: number;
  readonly participants: readonly string[];
}

export interface Traffic {
  frames: number;
  bytes: number;
}

export class Network {
  readonly up: Traffic = { frames: 0, bytes: 0 };
  readonly down: Traffic = { frames: 0, bytes: 0 };
  private readonly queue: EventQueue;
  private readonly seed: number;
  private readonly faults: LinkFaults;
  private readonly partitions: readonly Partition[];
  private readonly sent = new Map<string, number>();

  constructor(queue: EventQueue, seed: number, faults: LinkFaults, partitions: readonly Partition[]) {
    this.queue = queue;
    this.seed = seed;
    this.faults = faults;
    this.partitions = partitions;
  }

  /** `deliver` is called once, twice or never. */
  carry(
    direction: 'up' | 'down',
    participant: string,
    frame: Uint8Array,
    deliver: (frame: Uint8Array) => void,
  ): void {
    const traffic = this[direction];
    traffic.frames++;
    traffic.bytes += frame.length;
    const { delayMs, jitterMs, loss, duplicate } = this.faults;
    if (this.cut(participant)) return;
    const perfect = jitterMs === 0 && loss === 0 && duplicate === 0;
    if (perfect) {
      this.queue.at(this.queue.now + delayMs, () => deliver(frame));
      return;
    }
    const link = `${direction} ${participant}`;
    const number = this.sent.get(link) ?? 0;
    this.sent.set(link, number + 1);
    const random = stream(this.seed, 'network', number, link);
    if (random.uniform() < loss) return;
    const copies = random.uniform() < duplicate ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      this.queue.at(this.queue.now + delayMs + jitterMs * random.uniform(), () => deliver(frame));
    }
  }

  private cut(participant: string): boolean {
    const { now } = this.queue;
    return this.partitions.some(
      ({ fromMs, toMs, participants }) => now >= fromMs && now < toMs && participants.includes(participant),
    );
  }
}
