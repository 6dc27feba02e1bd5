/**
 * A gateway: speaks HTTP and WebSocket to participants, and NATS to the rest. It has TLS, limits, decoding and the pages of participants,
 * and no state: it may be killed at any time, and participants come back through another one.
 */
import '../crc32.ts';
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { type Logger, pino } from 'pino';
import { toJson } from '../../nats/admission.ts';
import type { Bus } from '../../nats/bus.ts';
import { RootVersion, whyAllWait } from '../../nats/nodes-version.ts';
import { gatewayName, isToken, type Subjects } from '../../nats/subjects.ts';
import { systemClock } from '../clock.ts';
import { Access } from '../server/access.ts';
import { isLoopback } from '../server/addresses.ts';
import { addBusMetrics, addVersionMetrics } from '../server/bus-meters.ts';
import { Front } from '../server/front.ts';
import { DEFAULT_LIMITS_OF_SERVER, type ServerLimits } from '../server/limits.ts';
import { PARTICIPANT_PAGES } from '../server/pages.ts';
import { DOOR_ROUTES } from '../server/routes/admission.ts';
import type { AppContext } from '../server/routes/route.ts';
import { PROBE_ROUTES } from '../server/routes/service.ts';
import type { TlsOptions } from '../server/tls.ts';
import { addFrontMetrics, addLobbyMetrics, newRegistry } from './gateway-meters.ts';
import { Lobby } from './lobby.ts';
import { RemoteDoor } from './remote-door.ts';
import { RootWatch } from './root-watch.ts';
import { singleToken } from './single-token.ts';
import { SpreadDoor } from './spread-door.ts';

/** How often owners hear who is here; three times as long after the last word a gateway is gone. */
export const BEAT_MS = 1000;

export interface GatewayOptions {
  readonly bus: Bus;
  /** One for each root: federations may be spread over several. */
  readonly namespaces: readonly Subjects[];
  /** Of NATS: what is for this gateway goes to subjects of the user's own. */
  readonly user?: string | undefined;
  /** Default 127.0.0.1: nobody from outside. */
  readonly host?: string | undefined;
  /** Default 0: any that is free. */
  readonly port?: number | undefined;
  readonly hostNames?: readonly string[] | undefined;
  /** Origins of pages that may use the gateway. */
  readonly origins?: readonly string[] | undefined;
  readonly tls?: TlsOptions | undefined;
  readonly limits?: Partial<ServerLimits> | undefined;
  /** For whoever reads the metrics; undefined: only where the gateway listens on loopback. */
  readonly metricsToken?: string | undefined;
  readonly log?: Logger | undefined;
  readonly version?: string | undefined;
  readonly beatMs?: number | undefined;
  /** Version of the messages between nodes; default: `NODES_VERSION`. Another one for tests. */
  readonly nodes?: number | undefined;
}

export class GatewayServer {
  readonly name: string;
  /** One for each namespace. */
  readonly lobbies: readonly Lobby[];
  /** Of the root of each. */
  private readonly versions: readonly RootVersion[];
  private readonly watches: readonly RootWatch[];
  /** Further metrics may be added: those of shards that are owned here. */
  readonly registry = newRegistry();
  private readonly options: GatewayOptions;
  private readonly front: Front;
  private readonly limits: ServerLimits;
  private readonly log: Logger;
  private timers: NodeJS.Timeout[] = [];
  private stopping = false;

  constructor(options: GatewayOptions) {
    const { bus, namespaces, host = '127.0.0.1', port = 0, tls, hostNames = [], origins = [] } = options;
    const loopback = isLoopback(host);
    this.options = options;
    this.name = gatewayName(options.user, processName());
    this.log = options.log ?? pino({ level: 'silent' });
    this.limits = { ...DEFAULT_LIMITS_OF_SERVER, ...options.limits };
    const { limits, log, name } = this;
    this.front = new Front({ host, port, loopback, hostNames, tls, limits, log });
    const { hosts } = this.front;
    this.lobbies = namespaces.map(
      (subjects) =>
        new Lobby({
          ...{ bus, subjects, name, limits, now: systemClock.now },
          onTurnedAway: (why) => this.front.turnAway(why),
        }),
    );
    this.versions = this.lobbies.map((lobby) => this.versionFor(lobby));
    this.watches = this.lobbies.map(
      ({ subjects }, k) => new RootWatch({ bus, subjects, version: this.versions[k] }),
    );
    const doors = this.lobbies.map(
      (lobby, k) => new RemoteDoor({ bus, hosts, lobby, version: this.versions[k] }),
    );
    addBusMetrics(this.registry, bus);
    addFrontMetrics(this.registry, this.front);
    addLobbyMetrics(this.registry, this.lobbies);
    addVersionMetrics(this.registry, this.versions);
    const context: AppContext = {
      version: options.version ?? '',
      access: new Access({ tokens: singleToken(options.metricsToken), hosts, loopback, origins }),
      audit: { write: async () => {} },
      meters: { registry: this.registry },
      limits,
      door: new SpreadDoor(doors),
      stopping: () => this.stopping,
      whyNotReady: () => this.whyNotReady(),
      authority: this.front.authority,
      otherVersions: this.front.otherVersions,
      onRefused: this.front.onRefused,
    };
    this.front.offer(context, { routes: [...DOOR_ROUTES, ...PROBE_ROUTES], pages: PARTICIPANT_PAGES });
  }

  async listen(): Promise<void> {
    await this.front.listen();
    for (const one of [...this.lobbies, ...this.watches]) one.start();
    const { silentMs, unreadMs } = this.limits;
    const { beatMs = BEAT_MS } = this.options;
    const check = () => {
      for (const lobby of this.lobbies) lobby.check(systemClock.now());
    };
    this.timers = [
      setInterval(check, Math.min(silentMs, unreadMs) / 3).unref(),
      setInterval(() => this.beat(), beatMs).unref(),
    ];
    this.log.info({ url: this.url, gateway: this.name }, 'listening');
  }

  get url(): string {
    return this.front.url;
  }

  isCertifiedFor(name: string): boolean {
    return this.front.isCertifiedFor(name);
  }

  reloadCertificates(): void {
    this.front.reloadCertificates();
  }

  /** Participants are sent away, to come back elsewhere. */
  async close(): Promise<void> {
    this.stopping = true;
    for (const timer of this.timers) clearInterval(timer);
    for (const watch of this.watches) watch.stop();
    for (const lobby of this.lobbies) lobby.close('the gateway is stopping');
    await this.front.close();
    await this.options.bus.flush().catch(() => {});
    this.log.info('stopped');
  }

  private beat(): void {
    const { bus } = this.options;
    for (const lobby of this.lobbies) {
      lobby.announce();
      const sign = { url: this.url, connected: lobby.size };
      bus.publish(lobby.subjects.beacon('gateway', this.name), toJson(sign));
    }
  }

  private whyNotReady(): string | undefined {
    if (this.stopping) return 'the gateway is shutting down';
    if (!this.options.bus.isUp) return 'no connection to NATS';
    return whyAllWait(this.versions);
  }

  /** Owners may not understand what we say, nor we what they say: participants are better off elsewhere. */
  private versionFor(lobby: Lobby): RootVersion {
    const { namespace } = lobby.subjects;
    return new RootVersion({
      nodes: this.options.nodes,
      onWait: (why) => {
        this.log.warn({ namespace }, why);
        lobby.sendAway('the gateway waits for an upgrade');
      },
      onGoOn: () => this.log.info({ namespace }, 'the root speaks our version again'),
    });
  }
}

/** Another one for each process that ever runs. */
export function processName(): string {
  const [machine] = hostname().split('.', 1);
  const suffix = randomBytes(6).toString('hex');
  return isToken(machine) ? `${machine.slice(0, 40)}-${suffix}` : suffix;
}
