/** A server that waits for its turn: it answers probes, and tells everybody else that another one leads. */
import { pino } from 'pino';
import type { Bus } from '../../nats/bus.ts';
import { newRegistry } from '../gateway/gateway-meters.ts';
import { singleToken } from '../gateway/single-token.ts';
import { Access } from '../server/access.ts';
import { isLoopback } from '../server/addresses.ts';
import { addBusMetrics } from '../server/bus-meters.ts';
import { Front } from '../server/front.ts';
import { DEFAULT_LIMITS_OF_SERVER } from '../server/limits.ts';
import { ROUTES } from '../server/routes/all.ts';
import type { ServerContext } from '../server/routes/route.ts';
import type { ServerOptions } from '../server/server-options.ts';

const WAITS = 'this server is on standby: another one leads';

export class StandbyServer {
  private readonly front: Front;

  /** The same options as for the server that it becomes. */
  constructor(options: ServerOptions, bus: Bus) {
    const { host = '127.0.0.1', port = 0, tls, hostNames = [], origins = [], operatorToken } = options;
    const { loopback = isLoopback(host), log = pino({ level: 'silent' }) } = options;
    const limits = { ...DEFAULT_LIMITS_OF_SERVER, ...options.limits };
    this.front = new Front({ host, port, loopback, hostNames, tls, limits, log });
    const registry = newRegistry();
    addBusMetrics(registry, bus);
    const context = {
      version: options.version ?? '',
      access: new Access({ tokens: singleToken(operatorToken), hosts: this.front.hosts, loopback, origins }),
      audit: { write: async () => {} },
      meters: { registry },
      limits,
      standby: WAITS,
      stopping: () => false,
      whyNotReady: () => WAITS,
      authority: this.front.authority,
      onRefused: this.front.onRefused,
    };
    // No route that needs more is ever handled.
    this.front.offer(context as unknown as ServerContext, { routes: ROUTES, pages: {} });
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
