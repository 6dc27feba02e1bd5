/** What a shard is run with. */
import type { Logger } from 'pino';
import type { HostClock } from '../../host/ports.ts';
import type { Bus } from '../../nats/bus.ts';
import type { Subjects } from '../../nats/subjects.ts';
import type { Primitives } from '../../privacy/secure/keys.ts';

export interface ShardPorts {
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly clock: HostClock;
  readonly primitives: Primitives;
  readonly log: Logger;
  readonly beatMs: number;
  /** Who has not come back so long after a start is not waited for. */
  readonly returnMs: number;
}
