/** The port of a process that only owns shards: probes and metrics. */
import type { Logger } from 'pino';
import type { Bus } from '../../nats/bus.ts';
import { whyAllWait } from '../../nats/nodes-version.ts';
import { addFrontMetrics, newRegistry } from '../gateway/gateway-meters.ts';
import { singleToken } from '../gateway/single-token.ts';
import { Access } from '../server/access.ts';
import { isLoopback } from '../server/addresses.ts';
import { ApiError } from '../server/api-error.ts';
import { addBusMetrics, addVersionMetrics } from '../server/bus-meters.ts';
import type { Door } from '../server/door.ts';
import { Front } from '../server/front.ts';
import { DEFAULT_LIMITS_OF_SERVER } from '../server/limits.ts';
import { PROBE_ROUTES } from '../server/routes/service.ts';
import type { Owner } from './owner.ts';
import { addOwnerMetrics } from './owner-meters.ts';

interface OwnerServerOptions {
  /** One for each namespace. */
  readonly owners: readonly Owner[];
  readonly bus: Bus;
  readonly host: string;
  readonly port: number;
  readonly metricsToken: string | undefined;
  readonly log: Logger;
}

export class OwnerServer {
  private readonly front: Front;

  constructor({ owners, bus, host, port, metricsToken, log }: OwnerServerOptions) {
    const loopback = isLoopback(host);
    const limits = DEFAULT_LIMITS_OF_SERVER;
    this.front = new Front({ host, port, loopback, hostNames: [], tls: undefined, limits, log });
    const registry = newRegistry();
    addBusMetrics(registry, bus);
    addFrontMetrics(registry, this.front);
    addOwnerMetrics(registry, owners);
    addVersionMetrics(
      registry,
      owners.map(({ version }) => version),
    );
    this.front.offer(
      {
        version: '',
        access: new Access({
          tokens: singleToken(metricsToken),
          hosts: this.front.hosts,
          loopback,
          origins: [],
        }),
        audit: { write: async () => {} },
        meters: { registry },
        limits,
        door: NO_DOOR,
        stopping: () => false,
        whyNotReady: () => whyNotReady(bus, owners),
        authority: this.front.authority,
        otherVersions: this.front.otherVersions,
        onRefused: this.front.onRefused,
      },
      { routes: PROBE_ROUTES, pages: {} },
    );
  }

  listen(): Promise<void> {
    return this.front.listen();
  }

  get url(): string {
    return this.front.url;
  }

  close(): Promise<void> {
    return this.front.close();
  }
}

function whyNotReady(bus: Bus, owners: readonly Owner[]): string | undefined {
  if (!bus.isUp) return 'no connection to NATS';
  const waiting = whyAllWait(owners.map(({ version }) => version));
  if (waiting !== undefined) return waiting;
  const hasHeard = ({ isInformed, version }: Owner) => isInformed || version.whyWaiting !== undefined;
  return owners.every(hasHeard) ? undefined : 'no coordinator answers';
}

function refuse(): never {
  throw new ApiError('NOT_FOUND', 'nobody comes in here: expected a gateway');
}

const NO_DOOR: Door = {
  announcement: refuse,
  challenge: refuse,
  session: refuse,
  enter: async () => refuse(),
};
