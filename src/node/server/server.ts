/**
 * The coordinator as a service: HTTP and WebSocket on one port, any number of federations, one store. This file puts the parts
 * together; what a federation does is decided by its machine.
 */
import '../crc32.ts';
import { randomBytes } from 'node:crypto';
import { type Logger, pino } from 'pino';
import type { CoordinatorOptions } from '../../coordinator/options.ts';
import type { FederationRecord, Store } from '../../host/ports.ts';
import { systemClock } from '../clock.ts';
import { AdmissionDesk } from '../root/admission-desk.ts';
import { openStore as openLocalStore } from '../store/open-store.ts';
import { Access } from './access.ts';
import { isLoopback } from './addresses.ts';
import { Admission, type Allowed, type InvitationRequest, type NewInvitation } from './admission.ts';
import { AuditLog } from './audit-log.ts';
import { addBusMetrics } from './bus-meters.ts';
import { OwnDoor } from './door.ts';
import { type Federation, finished } from './federation.ts';
import { Federations } from './federations.ts';
import { Feeds } from './feeds.ts';
import { Front } from './front.ts';
import { DEFAULT_LIMITS_OF_SERVER, type ServerLimits } from './limits.ts';
import { Meters } from './meters.ts';
import { ModelWork } from './model-work.ts';
import { ALL_PAGES } from './pages.ts';
import { Reports } from './reports.ts';
import { ROUTES } from './routes/all.ts';
import { stateOf } from './routes/federations.ts';
import { addReportFiles } from './routes/reports.ts';
import type { ServerContext } from './routes/route.ts';
import { whyNotReady } from './routes/service.ts';
import type { ServerOptions } from './server-options.ts';
import { Tokens } from './tokens.ts';

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
  readonly federations: Map<string, Federation>;
  private readonly hosted: Federations;
  private readonly limits: ServerLimits;
  private readonly log: Logger;
  private readonly front: Front;
  private readonly admission: Admission;
  private readonly tokens: Tokens;
  private readonly audit: AuditLog;
  private readonly meters: Meters;
  private readonly modelWork: ModelWork;
  private readonly feeds: Feeds;
  /** Where participants come in through gateways. */
  private readonly desk: AdmissionDesk | undefined;
  private checking: NodeJS.Timeout | undefined;
  private stopping = false;
  private closed: Promise<void> | undefined;

  /** With the federations of the store; listens to nobody yet. */
  static async open(options: ServerOptions): Promise<CoordinatorServer> {
    const { store, openStore = openLocalStore } = options;
    const opened = typeof store === 'string' ? await openStore(store) : store;
    let server: CoordinatorServer | undefined;
    try {
      server = new CoordinatorServer(options, opened);
      await server.tokens.load();
      await server.hosted.load();
      return server;
    } catch (error) {
      // Whoever wants to repair a store that cannot be read needs the file.
      server?.front.stopGuarding();
      await server?.audit.close();
      if (typeof store === 'string') await opened.close();
      throw error;
    }
  }

  private constructor(options: ServerOptions, store: Store) {
    const { host = '127.0.0.1', port = 0, tls, origins = [], hostNames = [] } = options;
    const { loopback = isLoopback(host) } = options;
    this.log = options.log ?? pino({ level: 'silent' });
    this.limits = { ...DEFAULT_LIMITS_OF_SERVER, ...options.limits };
    this.operatorToken = options.operatorToken ?? randomBytes(24).toString('base64url');
    this.store = store;
    this.enrolment = options.enrolment ?? (loopback ? 'open' : 'invitation');
    const { enrolment, limits, log } = this;
    this.front = new Front({
      ...{ host, port, loopback, hostNames, tls, limits, log },
      onRefused: (code, from, by) => this.audit.refused(code, from, by),
    });
    const { hosts, guard } = this.front;
    this.admission = new Admission({ store: this.store, enrolment, clock: systemClock, hosts, limits });
    this.tokens = new Tokens(this.store, systemClock, this.operatorToken);
    this.audit = new AuditLog({
      store: this.store,
      clock: systemClock,
      onFailure: (error) => this.log.error({ err: error }, 'the audit log cannot be written'),
    });
    this.meters = new Meters(() => this.measured());
    this.hosted = new Federations({
      ...{ options, store, limits, log },
      ...{ admission: this.admission, meters: this.meters, front: this.front },
      onChange: () => this.desk?.noteChange(),
    });
    this.federations = this.hosted.byName;
    if (options.tree) addBusMetrics(this.meters.registry, options.tree.bus);
    this.modelWork = new ModelWork(limits);
    const access = new Access({ tokens: this.tokens, hosts, loopback, origins });
    this.feeds = new Feeds({
      store: this.store,
      clock: systemClock,
      limits,
      federations: this.federations,
      stateOf: (federation) => stateOf(context, federation),
      mayRead: (request) => access.may(request, 'read'),
      trust: ({ socket }) => guard.trust(socket),
      onTooSlow: () => this.front.turnAway('TOO_SLOW'),
      onFailure: (error) => this.log.error({ err: error }, 'events cannot be sent'),
    });
    const federation = (name: string) => this.federation(name);
    const onOtherVersion = (version: number) => this.front.otherVersions.note(version);
    const door = new OwnDoor({ admission: this.admission, federation, onOtherVersion });
    const { admission, federations } = this;
    const { wallClock } = systemClock;
    this.desk =
      options.tree &&
      new AdmissionDesk({
        ...options.tree,
        ...{ admission, door, federations, federation, wallClock, version: options.version },
        onFailure: (error) => this.log.error({ err: error }, 'a step of admission failed'),
      });
    const context = this.contextWith(options, access, door);
    this.front.offer(context, {
      ...{ routes: ROUTES, pages: ALL_PAGES },
      files: (app) => addReportFiles(app, context.reports),
    });
  }

  /** What routes work with. */
  private contextWith(options: ServerOptions, access: Access, door: OwnDoor): ServerContext {
    const startedMs = systemClock.now();
    const context: ServerContext = {
      version: options.version ?? '',
      store: this.store,
      admission: this.admission,
      access,
      tokens: this.tokens,
      audit: this.audit,
      meters: this.meters,
      limits: this.limits,
      modelWork: this.modelWork,
      live: this.feeds,
      reports: new Reports(options.reports, systemClock.now),
      uptimeMs: () => systemClock.now() - startedMs,
      federations: this.federations,
      federation: (name) => this.federation(name),
      create: (name, options) => this.create(name, options),
      remove: (name) => this.remove(name),
      stopping: () => this.stopping,
      door,
      whyNotReady: () => whyNotReady(context),
      authority: this.front.authority,
      otherVersions: this.front.otherVersions,
      onRefused: this.front.onRefused,
    };
    return context;
  }

  async listen(): Promise<void> {
    try {
      await this.front.listen();
    } catch (error) {
      await this.close();
      throw error;
    }
    const { silentMs, unreadMs } = this.limits;
    // Several times within what connections are given.
    this.checking = setInterval(() => {
      for (const federation of this.federations.values()) federation.check(systemClock.now());
    }, Math.min(silentMs, unreadMs) / 3).unref();
    for (const federation of this.federations.values()) federation.start();
    this.desk?.start();
    await this.noteConsole('start', this.url);
    this.log.info(
      { url: this.url, store: this.store.name, federations: [...this.federations.keys()] },
      'listening',
    );
  }

  get url(): string {
    return this.front.url;
  }

  /** Whether clients that reach it by this name find the name in its certificate; always, where it has none. */
  isCertifiedFor(name: string): boolean {
    return this.front.isCertifiedFor(name);
  }

  /** A federation of that name, made with these options if there is none yet. */
  async ensure(name: string, options: CoordinatorOptions): Promise<Federation> {
    return this.hosted.ensure(name, options);
  }

  async create(name: string, options: CoordinatorOptions): Promise<Federation> {
    return this.hosted.create(name, options);
  }

  /** Ends a federation and deletes everything that is stored about it. Where the store fails it goes on as it was. */
  async remove(name: string): Promise<Pick<FederationRecord, 'name' | 'id'>> {
    return this.hosted.remove(name);
  }

  /** Refuses a name that is not there. */
  federation(name: string): Federation {
    return this.hosted.get(name);
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

  /** Reads the certificate files again; those in force stay so if the new ones are not valid. */
  reloadCertificates(): void {
    this.front.reloadCertificates();
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
    this.desk?.stop();
    this.front.stopGuarding();
    this.feeds.close();
    const all = [...this.federations.values()];
    const stopped = all.map((federation) => federation.stop(1001, 'the server is stopping'));
    await this.front.close();
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

  private measured() {
    const { guard, turnedAway, refused, otherVersions } = this.front;
    return {
      connections: guard.connections,
      strangers: guard.strangerCount,
      listeners: this.feeds.listeners,
      ...{ turnedAway, refused, otherVersions: otherVersions.counts },
      federations: this.federations.values(),
    };
  }
}
