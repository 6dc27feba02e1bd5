/**
 * The coordinator as a service: HTTP and WebSocket on one port, any number of federations, one store. This file puts the parts
 * together; what a federation does is decided by its machine.
 */
import '../crc32.ts';
import { randomBytes, randomUUID } from 'node:crypto';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { type Logger, pino } from 'pino';
import type { CoordinatorOptions } from '../../coordinator/options.ts';
import { nodePrimitives } from '../crypto.ts';
import type { HostRecorder } from '../host/federation-host.ts';
import type { FederationRecord, Store } from '../host/store.ts';
import { SqliteStore } from '../store/sqlite-store.ts';
import { Access } from './access.ts';
import { ApiError, type ErrorCode, noSuchFederation } from './api-error.ts';
import { addRoutes, listen, newApp } from './app.ts';
import type { ServerContext } from './context.ts';
import { Door, type InvitationRequest, type NewInvitation } from './door.ts';
import { Federation } from './federation.ts';
import { finished } from './finished.ts';
import { Guard, isLoopback } from './guard.ts';
import { checkEveryMs, DEFAULT_LIMITS_OF_SERVER, type ServerLimits } from './limits.ts';
import { increase, Meters, type TurnedAway } from './meters.ts';
import { TlsFiles, type TlsOptions } from './tls.ts';
import { acceptUpgrades } from './upgrade.ts';

export interface ServerOptions {
  /** Default 127.0.0.1: nobody from outside. */
  readonly host?: string | undefined;
  /** Default 0: any that is free. */
  readonly port?: number | undefined;
  /** A file, or a store of another kind. */
  readonly store: string | Store;
  /** For the operator's API; default: a new one, in `operatorToken` of what comes back. */
  readonly operatorToken?: string | undefined;
  /**
   * Whoever can reach the server is on this machine, and may look without a token; default: as `host` says. Say `false` behind a
   * proxy, which passes on requests of others.
   */
  readonly loopback?: boolean | undefined;
  /** Default: open on loopback, by invitation elsewhere. */
  readonly enrolment?: 'open' | 'invitation' | undefined;
  readonly tls?: TlsOptions | undefined;
  /** Origins of pages that may use the API. */
  readonly origins?: readonly string[] | undefined;
  readonly limits?: Partial<ServerLimits> | undefined;
  /** Default: silent. */
  readonly log?: Logger | undefined;
  readonly version?: string | undefined;
  /** What goes into and comes out of the machine of a federation is told to it. */
  readonly recorderFor?: ((federation: string) => HostRecorder) | undefined;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Listens when it comes back. */
export async function startServer(options: ServerOptions): Promise<CoordinatorServer> {
  const server = new CoordinatorServer(options);
  await server.listen();
  return server;
}

export class CoordinatorServer {
  readonly operatorToken: string;
  /** How new participants get in. */
  readonly enrolment: 'open' | 'invitation';
  readonly store: Store;
  readonly federations = new Map<string, Federation>();
  private readonly options: ServerOptions;
  private readonly limits: ServerLimits;
  private readonly log: Logger;
  private readonly app: FastifyInstance;
  private readonly door: Door;
  private readonly meters: Meters;
  private readonly guard: Guard;
  private readonly turnedAway = new Map<TurnedAway, number>();
  private readonly refused = new Map<ErrorCode, number>();
  private readonly tls: TlsFiles | undefined;
  private readonly primitives = nodePrimitives();
  private looking: NodeJS.Timeout | undefined;
  private stopWatching = () => {};
  private stopping = false;
  private closed: Promise<void> | undefined;

  constructor(options: ServerOptions) {
    const { host = '127.0.0.1', store, tls, origins = [] } = options;
    const { loopback = isLoopback(host) } = options;
    this.options = options;
    this.log = options.log ?? pino({ level: 'silent' });
    this.limits = { ...DEFAULT_LIMITS_OF_SERVER, ...options.limits };
    this.operatorToken = options.operatorToken ?? randomBytes(24).toString('base64url');
    this.tls = tls && new TlsFiles(tls);
    this.store = typeof store === 'string' ? new SqliteStore(store) : store;
    this.enrolment = options.enrolment ?? (loopback ? 'open' : 'invitation');
    this.door = new Door({ store: this.store, enrolment: this.enrolment, now, wallClock: Date.now });
    this.meters = new Meters(() => this.measured());
    const onRefused = (code: ErrorCode) => this.countRefusal(code);
    this.app = newApp({ limits: this.limits, log: this.log, tls: this.tls, onRefused });
    this.guard = new Guard(
      this.app.server as HttpServer,
      this.limits,
      now,
      (why) => increase(this.turnedAway, why),
      this.tls !== undefined,
    );
    const context = this.context(new Access({ operatorToken: this.operatorToken, loopback, origins }));
    addRoutes(this.app, context);
    acceptUpgrades(this.app.server as HttpServer, context, {
      limits: this.limits,
      onConnected: (socket, { name }, participant) => {
        this.guard.trust(socket as Socket);
        this.log.debug({ federation: name, participant }, 'connected');
      },
      onRefused: ({ code, status }, error) => {
        if (status >= 500) this.log.error({ err: error }, 'connection failed');
        else this.log.debug({ code }, 'connection refused');
      },
    });
    try {
      for (const record of this.store.federations()) this.federations.set(record.name, this.alive(record));
    } catch (error) {
      // A store that cannot be read is not kept from whoever wants to put it right.
      this.guard.stop();
      if (typeof store === 'string') this.store.close();
      throw error;
    }
  }

  async listen(): Promise<void> {
    const { host = '127.0.0.1', port = 0 } = this.options;
    try {
      await listen(this.app, host, port);
    } catch (error) {
      await this.close();
      throw error;
    }
    if (this.tls) this.stopWatching = this.tls.watch(() => this.reloadCertificates());
    this.looking = setInterval(() => {
      for (const federation of this.federations.values()) federation.look(now());
    }, checkEveryMs(this.limits)).unref();
    for (const federation of this.federations.values()) federation.start();
    this.log.info(
      { url: this.url, store: this.store.name, federations: [...this.federations.keys()] },
      'listening',
    );
  }

  get url(): string {
    const { address, port, family } = this.app.server.address() as AddressInfo;
    return `${this.tls ? 'https' : 'http'}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }

  /** A federation of that name, made with these options if there is none yet. */
  ensure(name: string, options: CoordinatorOptions): Federation {
    return this.federations.get(name) ?? this.create(name, options);
  }

  create(name: string, options: CoordinatorOptions): Federation {
    if (!NAME.test(name)) {
      throw new ApiError('BAD_NAME', `federation "${name}": expected letters, digits, ".", "_" and "-"`);
    }
    if (this.federations.has(name)) {
      throw new ApiError('NAME_TAKEN', `federation "${name}": there is one of that name already`);
    }
    const record = { name, id: randomUUID(), createdMs: Date.now(), options };
    const federation = this.alive(record);
    this.store.addFederation(record);
    this.federations.set(name, federation);
    if (this.app.server.listening) federation.start();
    this.log.info({ federation: name }, 'federation created');
    return federation;
  }

  /** Everybody is asked again, in every federation that has answers; gives the names of these. */
  recount(): string[] {
    const all = [...this.federations.values()];
    return all.filter(({ host }) => host.order('recount') === undefined).map(({ name }) => name);
  }

  /** Tokens to give to new participants: each is good once. */
  invite(federation: string, request: InvitationRequest = {}): NewInvitation[] {
    return this.door.invite(this.federation(federation).name, request);
  }

  /** Enrols a participant by its key. */
  allow(federation: string, participant: string, key: string): void {
    this.door.allow(this.federation(federation).name, participant, key);
  }

  /** Refuses a name that is not there. */
  federation(name: string): Federation {
    const found = this.federations.get(name);
    if (!found) throw noSuchFederation(name);
    return found;
  }

  /** Reads the certificate files again; those in force stay so if the new ones make no sense. */
  reloadCertificates(): void {
    if (!this.tls) return;
    const error = this.tls.reload(this.app.server as unknown as TlsServer);
    if (error) this.log.error({ err: error }, 'new certificate files are not used');
    else this.log.info('certificate files read again');
  }

  /**
   * Comes back when every federation has finished and everybody who takes part has been told; those who are not connected are
   * waited for so long at the most.
   */
  async whenFinished(lingerMs: number): Promise<void> {
    const isStopped = () => this.stopping;
    await finished(() => [...this.federations.values()], lingerMs, now, isStopped);
  }

  /** Everybody is told to come again later; all that must last is in the store already. */
  close(): Promise<void> {
    this.closed ??= this.shutDown();
    return this.closed;
  }

  private async shutDown(): Promise<void> {
    this.stopping = true;
    clearInterval(this.looking);
    this.stopWatching();
    this.guard.stop();
    for (const federation of this.federations.values()) federation.stop(1001, 'the server stops');
    await this.app.close();
    this.store.close();
    this.log.info('stopped');
  }

  private context(access: Access): ServerContext {
    return {
      version: this.options.version ?? '',
      store: this.store,
      door: this.door,
      access,
      meters: this.meters,
      wallClock: Date.now,
      startedMs: Date.now(),
      federations: this.federations,
      federation: (name) => this.federation(name),
      create: (name, options) => this.create(name, options),
      stopping: () => this.stopping,
      onRefused: (code) => this.countRefusal(code),
    };
  }

  private countRefusal(code: ErrorCode): void {
    increase(this.refused, code);
  }

  private alive(record: FederationRecord): Federation {
    const { name } = record;
    const log = this.log.child({ federation: name });
    return new Federation(record, {
      store: this.store,
      primitives: this.primitives,
      now,
      wallClock: Date.now,
      limits: this.limits,
      record: this.options.recorderFor?.(name),
      onRound: (row, tookMs) => {
        if (tookMs !== undefined) this.meters.observeRound(name, tookMs);
        const { round, outcome, relativeGap, responders } = row;
        log.debug({ round, outcome, relativeGap, responders: responders.length }, 'round closed');
        if (outcome === 'final') log.info({ round, relativeGap }, 'training finished');
      },
      onSaved: (ms) => this.meters.observeSave(name, ms),
      onTurnedAway: (why) => increase(this.turnedAway, why),
      onTrouble: (error) => {
        if (error) log.error({ err: error }, 'the store takes nothing; trying again');
        else log.info('the store works again');
      },
    });
  }

  private measured() {
    return {
      connections: this.guard.connections,
      strangers: this.guard.strangerCount,
      turnedAway: this.turnedAway,
      refused: this.refused,
      federations: [...this.federations.values()].map((federation) => federation.measured()),
    };
  }
}

function now(): number {
  return performance.now();
}
