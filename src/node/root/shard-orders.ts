/**
 * Orders of the operator to the owners of shards, and their answers. Not requests of NATS: whoever may answer those may publish to any
 * subject that a request names, and the answers of owners have one of their own.
 */
import { randomUUID } from 'node:crypto';
import { fromJson, toJson } from '../../nats/admission.ts';
import type { Bus } from '../../nats/bus.ts';
import type { Subjects } from '../../nats/subjects.ts';
import type { GivenOrder, OrderAnswer, ShardAnswer, ShardOrder } from '../owner/shard-host.ts';

const ORDER_MS = 3000;
const TRIES = 3;

interface OrderPorts {
  readonly bus: Bus;
  readonly subjects: Subjects;
}

export class ShardOrders {
  private readonly ports: OrderPorts;
  private readonly federation: string;
  private readonly waiting = new Map<string, (answer: ShardAnswer) => void>();
  private unsubscribe = () => {};

  /** `federation`: its id. */
  constructor(federation: string, ports: OrderPorts) {
    this.federation = federation;
    this.ports = ports;
  }

  start(): void {
    const { bus, subjects } = this.ports;
    this.unsubscribe = bus.subscribe(subjects.ordered(this.federation), (bytes) => {
      const { id = '', answer } = fromJson<OrderAnswer>(bytes) ?? {};
      if (answer) this.waiting.get(id)?.(answer);
    });
  }

  stop(): void {
    this.unsubscribe();
  }

  /** Undefined: the owner of the shard does not answer. */
  async give(shard: number, order: ShardOrder): Promise<ShardAnswer | undefined> {
    const { bus, subjects } = this.ports;
    const given: GivenOrder = { id: randomUUID(), order };
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise((resolve) => {
        this.waiting.set(given.id, resolve);
        let tries = 0;
        const attempt = () => {
          if (tries++ === TRIES) return resolve(undefined);
          bus.publish(subjects.order(this.federation, shard), toJson(given));
        };
        timer = setInterval(attempt, ORDER_MS);
        attempt();
      });
    } finally {
      clearInterval(timer);
      this.waiting.delete(given.id);
    }
  }
}
