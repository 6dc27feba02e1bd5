/**
 * What every server shows to the outside, the coordinator and a gateway alike: one port with HTTP and WebSocket, TLS, its own names, a guard
 * against strangers, and counts of whom it has turned away.
 */
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { hostname } from 'node:os';
import type { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { PROTOCOL_VERSION } from '../../protocol/messages.ts';
import { systemClock } from '../clock.ts';
import type { ErrorCode } from './api-error.ts';
import { addRoutes, listen, newApp, type Offered } from './app.ts';
import { Guard } from './guard.ts';
import { HostNames } from './host-names.ts';
import type { ServerLimits } from './limits.ts';
import { increase, type TurnedAway } from './meters.ts';
import { OtherVersions } from './other-versions.ts';
import type { AppContext, Refused } from './routes/route.ts';
import { TlsFiles, type TlsOptions } from './tls.ts';
import { acceptUpgrades } from './upgrade.ts';

interface FrontOptions {
  readonly host: string;
  readonly port: number;
  readonly loopback: boolean;
  readonly hostNames: readonly string[];
  readonly tls: TlsOptions | undefined;
  readonly limits: ServerLimits;
  readonly log: Logger;
  onRefused?(code: ErrorCode, from: string, by: Refused | undefined): void;
}

export class Front {
  readonly hosts: HostNames;
  readonly guard: Guard;
  readonly turnedAway = new Map<TurnedAway, number>();
  readonly refused = new Map<ErrorCode, number>();
  readonly otherVersions: OtherVersions;
  private readonly options: FrontOptions;
  private readonly tls: TlsFiles | undefined;
  private readonly app: FastifyInstance;
  private stopWatching = () => {};

  constructor(options: FrontOptions) {
    const { host, loopback, hostNames, limits, log } = options;
    this.options = options;
    this.otherVersions = new OtherVersions(systemClock.now, (version) =>
      log.info({ version, own: PROTOCOL_VERSION }, 'a participant of another protocol version waits'),
    );
    this.tls = options.tls && new TlsFiles(options.tls);
    this.hosts = new HostNames({
      names: [host, ...(loopback ? [] : [hostname()]), ...hostNames],
      isCertified: this.tls?.isFor.bind(this.tls),
    });
    this.app = newApp({ limits, log, tls: this.tls, onRefused: this.onRefused });
    this.guard = new Guard(this.app.server as HttpServer, limits, {
      now: systemClock.now,
      encrypted: this.tls !== undefined,
      onTurnedAway: (why) => this.turnAway(why),
    });
  }

  /** Every refusal is counted. */
  readonly onRefused: AppContext['onRefused'] = (code, from = '', by) => {
    increase(this.refused, code);
    this.options.onRefused?.(code, from, by);
  };

  turnAway(why: TurnedAway): void {
    increase(this.turnedAway, why);
  }

  /** What a device has to trust to trust this server, where the server has it. */
  readonly authority: AppContext['authority'] = () => this.tls?.authority;

  offer<Context extends AppContext>(context: Context, offered: Offered<Context>): void {
    const { limits, log } = this.options;
    addRoutes(this.app, context, offered);
    acceptUpgrades(this.app.server as HttpServer, context, {
      limits,
      onConnected: (socket, { federation, participant }) => {
        this.guard.trust(socket as Socket);
        log.debug({ federation, participant }, 'connected');
      },
      onRefused: ({ code, status }, error) => {
        if (status >= 500) log.error({ err: error }, 'connection failed');
        else log.debug({ code }, 'connection refused');
      },
    });
  }

  async listen(): Promise<void> {
    const { host, port } = this.options;
    await listen(this.app, host, port);
    if (this.tls) this.stopWatching = this.tls.watch(() => this.reloadCertificates());
  }

  get isListening(): boolean {
    return this.app.server.listening;
  }

  get url(): string {
    const { address, port, family } = this.app.server.address() as AddressInfo;
    return `${this.tls ? 'https' : 'http'}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }

  /** Whether clients that reach it by this name find the name in its certificate; always, where it has none. */
  isCertifiedFor(name: string): boolean {
    return this.tls?.isFor(name) ?? true;
  }

  /** Reads the certificate files again; those in force stay so if the new ones are not valid. */
  reloadCertificates(): void {
    const { log } = this.options;
    if (!this.tls) return;
    const error = this.tls.reload(this.app.server as unknown as TlsServer);
    if (error) log.error({ err: error }, 'the new certificate files are invalid; the old ones stay in use');
    else log.info('certificate files reloaded');
  }

  /** Nobody new is watched any more; those who are connected are still served. */
  stopGuarding(): void {
    this.stopWatching();
    this.guard.stop();
  }

  async close(): Promise<void> {
    this.stopGuarding();
    await this.app.close();
  }
}
