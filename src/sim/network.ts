/**
 * The simulated network: every frame really is encoded and decoded, and may be delayed, lost, doubled and overtaken, or cut
 * off by a partition. What happens to the i-th frame of a link depends on the seed, the link and i alone.
 */
import { stream } from '../base/random.ts';
import type { ScenarioValues } from '../settings/scenario.ts';
import type { EventQueue } from './events.ts';

/** A fixed delay, and a uniform random part on top of it: frames may overtake each other. */
export type LinkFaults = ScenarioValues['link'];

export const PERFECT_LINK: LinkFaults = { delayMs: 0, jitterMs: 0, loss: 0, duplicate: 0 };

/** During this time nothing passes between the coordinator and these participants. */
export type Partition = ScenarioValues['partitions'][number];

export class Network {
  /** Sent so far, whatever becomes of it. */
  readonly bytes = { up: 0, down: 0 };
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
    this.bytes[direction] += frame.length;
    const { delayMs, jitterMs, loss, duplicate } = this.faults;
    if (this.cut(participant)) return;
    if (jitterMs === 0 && loss === 0 && duplicate === 0) {
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
