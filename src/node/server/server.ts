/**
 * The coordinator as a service: HTTP and WebSocket on one port, any number of federations, one store. This file puts the parts
 * together; what a federation does is decided by its machine.
 */
import '../crc32.ts';
import { randomBytes, randomUUID } from 'node:crypto';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { hostname } from 'node:os';
import type { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { type Logger, pino } from 'pino';
import type { CoordinatorOptions } from '../../coordinator/options.ts';
import type { FederationRecord, HostRecorder, SavedRun, Store } from '../../host/ports.ts';
import { CLOSE } from '../../protocol/joining.ts';
import { systemClock } from '../clock.ts';
import { entropyStream, nodePrimitives } from '../crypto.ts';
import { openStore } from '../store/open-store.ts';
import { Access } from './access.ts';
import { isLoopback } from './addresses.ts';
import { Admission, type Allowed, type InvitationRequest, type NewInvitation } from './admission.ts';
import { ApiError, type ErrorCode } from './api-error.ts';
import { addRoutes, listen, newApp } from './app.ts';
import { AuditLog } from './audit-log.ts';
import { Federation, finished } from './federation.ts';
import { Feeds } from './feeds.ts';
import { Guard } from './guard.ts';
import { HostNames } from './host-names.ts';
import { DEFAULT_LIMITS_OF_SERVER, type ServerLimits } from './limits.ts';
import { increase, Meters, type TurnedAway } from './meters.ts';
import { ModelWork } from './model-work.ts';
import { stateOf } from './routes/federations.ts';
import type { ServerContext } from './routes/route.ts';
import { TlsFiles, type TlsOptions } from './tls.ts';
import { Tokens } from './tokens.ts';
import { acceptUpgrades } from './upgrade.ts';

export interface ServerOptions {
  /** Default 127.0.0.1: nobody from outside. */
  readonly host?: string | undefined;
  /** Default 0: any that is free. */
  readonly port?: number | undefined;
  /** An SQLite file, the address of a database (postgres://), or a store of your own. */
  readonly store: string | Store;
  /** Names under which the server may be addressed, beside the address it listens on, loopback and those of its certificate. */
  readonly hostNames?: readonly string[] | undefined;
  /** An admin's, for the operator's API; default: a new one, in `operatorToken` of the server. */
  readonly operatorToken?: string | undefined;
  /**
   * Whoever can reach the server is on this machine, and may read without a token; default: whether `host` is loopback. Set `false` behind a
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
  /** Receives what goes into and comes out of the machine of a federation. */
  readonly recorderFor?: ((federation: string) => HostRecorder) | undefined;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Resolves when it listens. */
export async function startServer(options: ServerOptions): Promise<CoordinatorServer> {
  const server = await CoordinatorServer.open(options);
  await server.listen();
  return server;
}

export class CoordinatorServer {
  readonly operatorToken: string;
  /** How new participants get in. */
  readonly enrolment: 'open' | 'invitation';
  readonly store: Store;
  readonly federations = new Map<string, Federation>();
  /** Federations that are being stored, by name. */
  private readonly created = new Map<string, Promise<Federation>>();
  /** Names of federations that are being deleted. */
  private readonly removing = new Set<string>();
  private readonly options: ServerOptions;
  private readonly limits: ServerLimits;
  private readonly log: Logger;
  private readonly app: FastifyInstance;
  private readonly admission: Admission;
  private readonly tokens: Tokens;
  private readonly audit: AuditLog;
  private readonly meters: Meters;
  private readonly modelWork: ModelWork;
  private readonly guard: Guard;
  private readonly feeds: Feeds;
  private readonly turnedAway = new Map<TurnedAway, number>();
  private readonly refused = new Map<ErrorCode, number>();
  private readonly tls: TlsFiles | undefined;
  private readonly primitives = nodePrimitives();
  private checking: NodeJS.Timeout | undefined;
  private stopWatching = () => {};
  private stopping = false;
  private closed: Promise<void> | undefined;

  /** With the federations of the store; listens to nobody yet. */
  static async open(options: ServerOptions): Promise<CoordinatorServer> {
    const { store } = options;
    const opened = typeof store === 'string' ? await openStore(store) : store;
    let server: CoordinatorServer | undefined;
    try {
      server = new CoordinatorServer(options, opened);
      await server.tokens.load();
      for (const record of await opened.federations()) await server.add(record);
      return server;
    } catch (error) {
      // Whoever wants to repair a store that cannot be read needs the file.
      server?.guard.stop();
      await server?.audit.close();
      if (typeof store === 'string') await opened.close();
      throw error;
    }
  }

  private constructor(options: ServerOptions, store: Store) {
    const { host = '127.0.0.1', tls, origins = [], hostNames = [] } = options;
    const { loopback = isLoopback(host) } = options;
    this.options = options;
    this.log = options.log ?? pino({ level: 'silent' });
    this.limits = { ...DEFAULT_LIMITS_OF_SERVER, ...options.limits };
    this.operatorToken = options.operatorToken ?? randomBytes(24).toString('base64url');
    this.tls = tls && new TlsFiles(tls);
    this.store = store;
    this.enrolment = options.enrolment ?? (loopback ? 'open' : 'invitation');
    const { enrolment, limits } = this;
    const hosts = new HostNames({
      names: [host, ...(loopback ? [] : [hostname()]), ...hostNames],
      isCertified: this.tls?.isFor.bind(this.tls),
    });
    this.admission = new Admission({ store: this.store, enrolment, clock: systemClock, hosts, limits });
    this.tokens = new Tokens(this.store, systemClock, this.operatorToken);
    this.audit = new AuditLog({
      store: this.store,
      clock: systemClock,
      onFailure: (error) => this.log.error({ err: error }, 'the audit log cannot be written'),
    });
    this.meters = new Meters(() => this.measured());
    this.modelWork = new ModelWork(limits);
    const onRefused: ServerContext['onRefused'] = (code, from = '', by) => {
      increase(this.refused, code);
      this.audit.refused(code, from, by);
    };
    this.app = newApp({ limits: this.limits, log: this.log, tls: this.tls, onRefused });
    this.guard = new Guard(this.app.server as HttpServer, this.limits, {
      now: systemClock.now,
      encrypted: this.tls !== undefined,
      onTurnedAway: (why) => increase(this.turnedAway, why),
    });
    const access = new Access({ tokens: this.tokens, hosts, loopback, origins });
    this.feeds = new Feeds({
      store: this.store,
      clock: systemClock,
      limits,
      federations: this.federations,
      stateOf: (federation) => stateOf(context, federation),
      mayRead: (request) => access.may(request, 'read'),
      trust: ({ socket }) => this.guard.trust(socket),
      onTooSlow: () => increase(this.turnedAway, 'TOO_SLOW'),
      onFailure: (error) => this.log.error({ err: error }, 'events cannot be sent'),
    });
    const startedMs = systemClock.now();
    const context: ServerContext = {
      version: options.version ?? '',
      store: this.store,
      admission: this.admission,
      access,
      tokens: this.tokens,
      audit: this.audit,
      meters: this.meters,
      limits,
      modelWork: this.modelWork,
      live: this.feeds,
      uptimeMs: () => systemClock.now() - startedMs,
      federations: this.federations,
      federation: (name) => this.federation(name),
      create: (name, options) => this.create(name, options),
      remove: (name) => this.remove(name),
      stopping: () => this.stopping,
      authority: () => this.tls?.authority,
      onRefused,
    };
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
    const { silentMs, unreadMs } = this.limits;
    // Several times within what connections are given.
    this.checking = setInterval(() => {
      for (const federation of this.federations.values()) federation.check(systemClock.now());
    }, Math.min(silentMs, unreadMs) / 3).unref();
    for (const federation of this.federations.values()) federation.start();
    await this.noteConsole('start', this.url);
    this.log.info(
      { url: this.url, store: this.store.name, federations: [...this.federations.keys()] },
      'listening',
    );
  }

  get url(): string {
    const { address, port, family } = this.app.server.address() as AddressInfo;
    return `${this.tls ? 'https' : 'http'}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }

  /** Whether clients that reach it by this name find the name in its certificate; always, where it has none. */
  isCertifiedFor(name: string): boolean {
    return this.tls?.isFor(name) ?? true;
  }

  /** A federation of that name, made with these options if there is none yet. */
  async ensure(name: string, options: CoordinatorOptions): Promise<Federation> {
    return this.federations.get(name) ?? this.created.get(name) ?? this.create(name, options);
  }

  async create(name: string, options: CoordinatorOptions): Promise<Federation> {
    if (!NAME.test(name)) {
      throw new ApiError('BAD_NAME', `federation "${name}": expected letters, digits, ".", "_" and "-"`);
    }
    if (this.federations.has(name) || this.created.has(name)) {
      throw new ApiError('NAME_TAKEN', `federation "${name}": the name is taken`);
    }
    const created = this.addNew(name, options).finally(() => this.created.delete(name));
    this.created.set(name, created);
    return created;
  }

  /** Options that a federation cannot be run with are refused before they are stored. */
  private async addNew(name: string, options: CoordinatorOptions): Promise<Federation> {
    const record = { name, id: randomUUID(), createdMs: Date.now(), options };
    const federation = this.newFederation(record, undefined);
    await this.store.addFederation(record);
    this.federations.set(name, federation);
    if (this.app.server.listening) federation.start();
    this.log.info({ federation: name }, 'federation created');
    return federation;
  }

  /** Ends a federation and deletes everything that is stored about it. Where the store fails it goes on as it was. */
  async remove(name: string): Promise<Pick<FederationRecord, 'name' | 'id'>> {
    const federation = this.federation(name);
    const { record } = federation;
    if (this.removing.has(name))
      throw new ApiError('NO_SUCH_FEDERATION', `federation "${name}": it is being deleted`);
    this.removing.add(name);
    try {
      // Nothing is written about it once it is deleted.
      await federation.host.stop();
      await this.admission.removeAll(name);
    } catch (error) {
      await federation.stop(1001, 'the store is failing');
      await this.add(record);
      this.federation(name).start();
      throw error;
    } finally {
      this.removing.delete(name);
    }
    this.federations.delete(name);
    await federation.stop(CLOSE.deleted, 'deleted by the operator');
    this.log.info({ federation: name }, 'federation deleted');
    return { name, id: record.id };
  }

  private async add(record: FederationRecord): Promise<void> {
    const saved = await this.store.loadRun(record.name);
    this.federations.set(record.name, this.newFederation(record, saved));
  }

  /** Everybody is asked again, in every federation that has answers; gives the names of these. */
  async recount(): Promise<string[]> {
    const names: string[] = [];
    for (const { name, host } of this.federations.values()) {
      if ((await host.order('recount')) === undefined) names.push(name);
    }
    return names;
  }

  /** Tokens to give to new participants: each is good once. */
  async invite(federation: string, request: InvitationRequest = {}): Promise<NewInvitation[]> {
    return this.admission.invite(this.federation(federation).name, request);
  }

  /** Enrols a participant by its key, also one whose key was revoked. */
  async allow(federation: string, participant: string, key: string): Promise<void> {
    await this.admission.allow(this.federation(federation).name, { participant, key });
    await this.noteConsole('allowParticipant', `${federation} ${participant}`);
  }

  /** Enrols the participants of a list by their keys, except those whose key was revoked: gives these. */
  async allowListed<Listed extends Allowed>(federation: string, list: readonly Listed[]): Promise<Listed[]> {
    const revoked = await this.admission.allowListed(this.federation(federation).name, list);
    await this.noteConsole('allowList', `${federation}, ${list.length - revoked.length} of ${list.length}`);
    return revoked;
  }

  /** Refuses a name that is not there. */
  federation(name: string): Federation {
    const found = this.federations.get(name);
    if (!found) throw new ApiError('NO_SUCH_FEDERATION', `federation "${name}": no such federation`);
    return found;
  }

  /** Reads the certificate files again; those in force stay so if the new ones are not valid. */
  reloadCertificates(): void {
    if (!this.tls) return;
    const error = this.tls.reload(this.app.server as unknown as TlsServer);
    if (error)
      this.log.error({ err: error }, 'the new certificate files are invalid; the old ones stay in use');
    else this.log.info('certificate files reloaded');
  }

  /**
   * Resolves when every federation has finished and everybody who takes part has been notified; those who are not connected are
   * waited for so long at the most.
   */
  async whenFinished(lingerMs: number): Promise<void> {
    await finished(this.federations, lingerMs, () => this.stopping);
  }

  /** Resolves when another server has taken the store over: nothing can be saved here any more. */
  whenFenced(): Promise<Error> {
    return this.store.fenced ?? new Promise(() => {});
  }

  /** Closes all connections, to be opened again later; all that must last is in the store already. */
  close(): Promise<void> {
    this.closed ??= this.shutDown();
    return this.closed;
  }

  private async shutDown(): Promise<void> {
    this.stopping = true;
    clearInterval(this.checking);
    this.stopWatching();
    this.guard.stop();
    this.feeds.close();
    const all = [...this.federations.values()];
    const stopped = all.map((federation) => federation.stop(1001, 'the server is stopping'));
    await this.app.close();
    await this.modelWork.close();
    await Promise.all(stopped);
    await this.endAudit();
    await this.store.close();
    this.log.info('stopped');
  }

  private noteConsole(what: string, target: string): Promise<void> {
    return this.audit.write({ who: 'console', from: '', what, target, outcome: 'done' });
  }

  /** A full disk must not keep the server from stopping. */
  private async endAudit(): Promise<void> {
    await this.audit.close();
    await this.noteConsole('stop', this.store.name).catch((error: Error) =>
      this.log.error({ err: error }, 'the audit log cannot be written'),
    );
  }

  private newFederation(record: FederationRecord, saved: SavedRun | undefined): Federation {
    const { name } = record;
    const log = this.log.child({ federation: name });
    return new Federation(record, saved, {
      store: this.store,
      primitives: this.primitives,
      clock: systemClock,
      noiseOf: entropyStream,
      limits: this.limits,
      recorder: this.options.recorderFor?.(name),
      onRound: (row, tookMs) => {
        if (tookMs !== undefined) this.meters.observeRound(name, tookMs);
        const { round, outcome, relativeGap, responders } = row;
        log.debug({ round, outcome, relativeGap, responders: responders.length }, 'round closed');
        if (outcome === 'final') log.info({ round, relativeGap }, 'training finished');
      },
      onSaved: (ms) => this.meters.observeSave(name, ms),
      onTurnedAway: (why) => increase(this.turnedAway, why),
      onStoreFailure: (error) => {
        if (error) log.error({ err: error }, 'the store is failing; trying again');
        else log.info('the store works again');
      },
    });
  }

  private measured() {
    return {
      connections: this.guard.connections,
      strangers: this.guard.strangerCount,
      listeners: this.feeds.listeners,
      turnedAway: this.turnedAway,
      refused: this.refused,
      federations: this.federations.values(),
    };
  }
}
