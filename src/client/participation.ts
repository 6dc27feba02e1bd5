/**
 * A participant of a federation, from its rows to its model: the machine (src/participant) in its loop, its state, its solver and a
 * connection, put together over ports. The machine decides; this brings it what happens, and knows when it is over.
 */
import { fromBase64Url } from '../base/base64.ts';
import type { SolveResult } from '../participant/effects.ts';
import { faultMessage } from '../participant/faults.ts';
import type { Profile } from '../participant/state.ts';
import type { SecureSide } from '../participant/summing.ts';
import { encode } from '../protocol/codec.ts';
import { PROTOCOL_VERSION } from '../protocol/messages.ts';
import { DEFAULT_POLICY, type Policy, parsePolicy } from '../settings/policy.ts';
import type { Model } from '../solver/model.ts';
import { Adapting } from './adapting.ts';
import { differingColumns } from './column-codes.ts';
import { Connection } from './connection.ts';
import { connectionOptions } from './connection-options.ts';
import { FaultReports } from './fault-reports.ts';
import { joinResult } from './join-result.ts';
import { joinStatus } from './join-status.ts';
import { checkedSplit, openHome, profileOf, type RowChange } from './opening.ts';
import { OwnRows, ownTargets } from './own-rows.ts';
import { OwnSolves } from './own-solves.ts';
import { modelOf } from './participant-file.ts';
import { type ParticipantEvent, ParticipantLoop } from './participant-loop.ts';
import type {
  JoinEvent,
  JoinResult,
  JoinStatus,
  Participation,
  ParticipationOptions,
  ParticipationPorts,
} from './participation-options.ts';
import type { Signer, StateStore, Transport } from './ports.ts';
import { refusalError } from './refusal-error.ts';
import { certifying } from './unlearning.ts';

export function participate(options: ParticipationOptions, ports: ParticipationPorts): Participation {
  return new Participating(options, ports);
}

class Participating implements Participation {
  readonly done: Promise<JoinResult>;
  /** Without the rows: they are the solver's. */
  private readonly options: Omit<ParticipationOptions, 'data'>;
  private readonly ports: ParticipationPorts;
  private policy: Policy = DEFAULT_POLICY;
  private key: string | undefined;
  private settle!: { resolve: (result: JoinResult) => void; reject: (error: unknown) => void };
  private store: StateStore | undefined;
  private rows: OwnRows | undefined;
  private loop: ParticipantLoop | undefined;
  private connection: Connection | undefined;
  private isConnected = false;
  private otherVersion: number | undefined;
  private hasStarted = false;
  private isEnding = false;
  private wantsToLeave = false;
  private solves: OwnSolves | undefined;
  private lastReported = '';
  private readonly faults: FaultReports;
  /** Fulfilled when the state is open, or cannot be opened. */
  private readonly opened: Promise<void>;
  private adapting: Adapting | undefined;

  constructor({ data, ...options }: ParticipationOptions, ports: ParticipationPorts) {
    this.options = options;
    this.ports = ports;
    this.faults = new FaultReports(ports.clock, (code) => {
      // The coordinator does not know it yet.
      if (!this.loop || !this.hasStarted) return true;
      return this.connection?.send(encode(faultMessage(this.loop.state, code), 'f64')) ?? false;
    });
    this.done = new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
    });
    this.opened = this.open({ ...options, data }).catch((error: unknown) => this.fail(error));
  }

  get status(): JoinStatus {
    const { store, loop, solves, isConnected, otherVersion } = this;
    return joinStatus({
      participant: this.options.participant,
      store,
      loop,
      solves,
      isConnected,
      otherVersion,
    });
  }

  model(): Model | undefined {
    return this.store && modelOf(this.store.file);
  }

  async leave(): Promise<void> {
    this.wantsToLeave = true;
    this.take({ type: 'leave' });
    await this.done;
  }

  async close(): Promise<void> {
    this.end('closed');
    await this.done.catch(() => {});
  }

  private async open(options: ParticipationOptions): Promise<void> {
    const asTrain = checkedSplit(options);
    this.policy = parsePolicy('policy', options.policy ?? {});
    const transport = this.ports.transport();
    const home = await openHome(options, asTrain, this.ports.home);
    this.store = home.store;
    this.key = home.signer.key;
    if (this.isEnding) return;
    const { added, gone } = home.tests;
    if (added + gone > 0) this.emit({ type: 'test rows changed', added, gone });
    const { positive, slowdown = 1 } = options;
    const { solver, clock } = this.ports;
    const own = {
      targets: ownTargets(home.own, positive),
      columns: home.own.columns,
      names: home.own.features,
    };
    this.rows = new OwnRows(
      home.own,
      { slowdown, open: solver, clock, keep: options.probabilities },
      {
        ready: (moments, benchmarkMs) => {
          const key = fromBase64Url(home.signer.key);
          const { file } = home.store;
          const profile = profileOf(options, file, key, moments, own, benchmarkMs, this.policy);
          this.start(profile, home.change, transport, home.signer).catch((error: unknown) =>
            this.fail(error),
          );
        },
        prepared: (problem) =>
          this.loop ? this.take({ type: 'prepared', problem }) : this.adapting?.solve(),
        solved: (result) => this.solved(result),
        failed: (error) => this.fail(error),
      },
    );
  }

  private async start(
    profile: Profile,
    change: RowChange | undefined,
    transport: Transport,
    signer: Signer,
  ): Promise<void> {
    if (this.isEnding) return;
    const warm = change && (await this.adapt(change));
    if (this.isEnding) return;
    const store = this.store!;
    const solves = new OwnSolves(this.rows!);
    this.solves = solves;
    const { clock } = this.ports;
    const side = await this.secureSide();
    if (this.isEnding) return;
    const stored = { ...store.file.stored, finished: undefined };
    this.loop = new ParticipantLoop(
      { profile, stored },
      {
        clock,
        side,
        sign: async (statement) => fromBase64Url(await signer.sign(statement)),
        store: this.faults.watching(
          certifying(
            store,
            () => this.loop?.state.phase === 'finished',
            (certificate) => this.emit({ type: 'unlearned', certificate }),
          ),
        ),
        solver: {
          prepare: (settings, scaling, agreement) => {
            const differing = differingColumns(store.file.features, agreement.columns);
            if (differing) this.emit({ type: 'columns differ', ...differing });
            solves.prepare(settings, scaling, agreement);
          },
          solve: (request) => solves.solve(request),
          cancel: () => solves.cancel(),
          interrupt: () => solves.interrupt(),
        },
        send: (message, precision) => void this.connection?.send(encode(message, precision)),
        record: this.options.record,
        settled: () => {
          // A timer that is set would be taken for a new connection.
          if (this.loop?.state.phase === 'finished') this.loop.rest();
          this.reportPhase();
        },
        failed: (error) => this.fail(error),
      },
    );
    this.loop.state.warm = warm;
    if (this.wantsToLeave) this.take({ type: 'leave' });
    this.reportPhase();
    if (!this.isEnding) this.connection = this.connect(transport, signer);
  }

  /** Loaded where it is needed: most of a participant's code is for secure sums. */
  private async secureSide(): Promise<SecureSide | undefined> {
    if (!this.options.secure) return undefined;
    const { secureSide } = await import('../participant/secure.ts');
    return secureSide(this.ports.primitives);
  }

  /** Gives duals to start the next answer from. */
  private async adapt(change: RowChange): Promise<Float64Array | undefined> {
    this.adapting = new Adapting(this.store!, this.rows!, change);
    const done = await this.adapting.run(() => this.isEnding);
    if (done) this.emit(done.event);
    return done?.warm;
  }

  private connect(transport: Transport, signer: Signer): Connection {
    const store = this.store!;
    const { options, ports, policy } = this;
    return new Connection(connectionOptions({ options, ports, policy, transport, signer, store }), {
      // From here on the state belongs to this federation: before anything is sent.
      admitted: (federation) => {
        if (!store.file.federation) return store.save({ federation });
      },
      connected: () => {
        this.isConnected = true;
        this.otherVersion = undefined;
        this.emit({ type: 'connected', federation: store.file.federation! });
        // The first connection starts the machine; after later ones it retransmits what may not have been received.
        const type = this.hasStarted ? 'timer' : 'start';
        this.hasStarted = true;
        this.take({ type });
        this.faults.sendAll();
      },
      message: (message) => this.take({ type: 'message', message }),
      badFrame: (message) => {
        this.emit({ type: 'bad frame', message });
        this.faults.report('BAD_FRAME');
      },
      lost: (why, retryMs) => {
        this.isConnected = false;
        this.emit({ type: 'lost', why, retryMs });
      },
      otherVersion: (server, why, retryMs) => {
        this.isConnected = false;
        this.otherVersion = server;
        this.emit({ type: 'other version', server, own: PROTOCOL_VERSION, why, retryMs });
      },
      ended: (error) => {
        this.connection = undefined;
        this.fail(error);
      },
    });
  }

  private solved(result: SolveResult): void {
    if (!this.loop) {
      this.adapting?.solved(result.solution);
      return;
    }
    const { round, passes, computeMs } = result;
    const solves = this.solves!;
    solves.count(result);
    this.emit({ type: 'solved', round, passes, computeMs });
    const isReported = this.options.reportTests && this.loop.state.order?.round === round;
    this.take({ type: 'solved', result: isReported ? solves.withTests(result) : result });
  }

  private take(event: ParticipantEvent): void {
    if (!this.isEnding) this.loop?.take(event);
  }

  private reportPhase(): void {
    const { round, state } = this.loop!;
    const { phase, stored, refusal, waitingFor } = state;
    const current = `${phase} ${round} ${waitingFor}`;
    if (current === this.lastReported || this.isEnding) return;
    this.lastReported = current;
    this.emit({ type: 'phase', phase, round, waitingFor });
    if (refusal) this.fail(refusalError(refusal, this.options));
    if (phase !== 'finished' && phase !== 'gone') return;
    const reason = stored.finished!;
    this.emit({ type: 'finished', reason, round });
    // Whoever stays is woken by the next round.
    if (phase === 'gone' || !this.options.keepGoing) this.end(reason);
  }

  private emit(event: JoinEvent): void {
    if (this.isEnding) return;
    try {
      this.options.onEvent?.(event);
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    // What the machine has found out it has reported itself.
    if (!this.isEnding && !this.loop?.state.refusal) this.faults.reportError(error);
    this.end('closed', { error });
  }

  private end(reason: JoinResult['reason'], failure?: { readonly error: unknown }): void {
    if (this.isEnding) return;
    this.isEnding = true;
    this.loop?.stop();
    const reported = failure && this.connection ? this.faults.sent() : undefined;
    this.shutDown(reason, reported).then(
      (result) => (failure ? this.settle.reject(failure.error) : this.settle.resolve(result)),
      (other: unknown) => this.settle.reject(failure ? failure.error : other),
    );
  }

  /** Everything is given back before `done` is settled. */
  private async shutDown(
    reason: JoinResult['reason'],
    reported: Promise<void> | undefined,
  ): Promise<JoinResult> {
    // Not within the step or the event that ended it: the state may still be on its way to the store.
    await this.opened;
    await reported;
    const { store, rows, key, status } = this;
    try {
      await this.connection?.close();
      await rows?.solver.close();
      return await joinResult({ reason, key, status, machine: this.loop?.state, store, rows });
    } finally {
      this.isConnected = false;
      await store?.release();
    }
  }
}
