/** A simulated participant: carries out the effects of the very machine that runs on a real device. */
import type { Eventually } from '../base/ports.ts';
import { stream } from '../base/random.ts';
import { type ParticipantEvent, ParticipantLoop } from '../client/participant-loop.ts';
import { mappingOf } from '../data/agreed-classes.ts';
import { applyMapping, headsOf, headTargets } from '../data/labels.ts';
import type { Arena } from '../math/arena.ts';
import type { Scaling } from '../math/scaling.ts';
import { scaledTargets, withScaledEpsilon } from '../math/target-scaling.ts';
import type { ParticipantEffect, SolveRequest, SolveResult } from '../participant/effects.ts';
import { scaledShard } from '../participant/scaled-rows.ts';
import { secureSide } from '../participant/secure.ts';
import { carryOut, planned, toEnd } from '../participant/solve.ts';
import { NOTHING_STORED, type ParticipantState, type Profile, type Stored } from '../participant/state.ts';
import { TestedRows } from '../participant/tested-rows.ts';
import type { Agreement } from '../protocol/agreement.ts';
import { decodeFrom, encode } from '../protocol/codec.ts';
import { DEFAULT_LIMITS } from '../protocol/limits.ts';
import type { Precision, ToCoordinator } from '../protocol/messages.ts';
import { ProtocolError } from '../protocol/protocol-error.ts';
import type { FederationSettings } from '../settings/wire.ts';
import type { Shard } from '../solver/shard.ts';
import { type ComputeModel, drawPassMs } from './compute.ts';
import type { Misbehaving } from './misbehaving.ts';
import type { MachineObserver, NodePorts } from './ports.ts';
import { CRASHES } from './transcript.ts';

/** One participant's own rows: nobody else sees them. */
export interface ParticipantData {
  readonly profile: Profile;
  /** rows x features, raw. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Of the rows, with a mean of 1; absent: all weigh the same. */
  readonly weights?: Float64Array | undefined;
  /** Targets as they are written; undefined: y says it all. What they mean is agreed on. */
  readonly written?: readonly string[] | undefined;
  /** Rows kept aside, where metrics of them are reported; y as of the training rows. */
  readonly tests?: { readonly x: Float64Array; readonly y: Float64Array } | undefined;
  /** How many times as fast as the compute model says. */
  readonly hardware: number;
}

interface ParticipantPorts extends NodePorts {
  readonly arena: Arena;
  readonly compute: ComputeModel;
  readonly seed: number;
  toCoordinator(from: string, frame: Uint8Array): void;
}

class CrashingLoop extends ParticipantLoop {
  /** Effects of the present step until it crashes; Infinity: it survives. */
  private left = Number.POSITIVE_INFINITY;
  private readonly crash: () => void;

  constructor(node: ParticipantNode, ...[start, ports]: ConstructorParameters<typeof ParticipantLoop>) {
    super(start, {
      ...ports,
      record: {
        started: (start) => ports.record?.started(start),
        step: (input, effects) => {
          ports.record?.step(input, effects);
          const survived = node.ports.crashes.survives(node.id, effects.length);
          this.left = survived > effects.length ? Number.POSITIVE_INFINITY : survived;
        },
      },
      settled: () => {
        if (this.left === 0) this.crash();
      },
    });
    this.crash = () => node.crash();
  }

  protected override perform(effect: ParticipantEffect): Eventually<void> {
    if (this.left === 0) return this.crash();
    this.left--;
    return super.perform(effect);
  }
}

interface Solving {
  readonly request: SolveRequest;
  readonly startedMs: number;
  readonly passMs: number;
}

export class ParticipantNode {
  readonly data: ParticipantData;
  /** What a crash leaves. */
  disk: Stored | undefined;
  readonly ports: ParticipantPorts;
  private readonly observer: MachineObserver | undefined;
  /** Undefined: it sends what its machine sends. */
  private readonly misbehaving: Misbehaving | undefined;
  /** Undefined while it is down. */
  private loop: ParticipantLoop | undefined;
  private shard: Shard | undefined;
  private settings: FederationSettings | undefined;
  private tested: TestedRows | undefined;
  private solving: Solving | undefined;

  constructor(data: ParticipantData, ports: ParticipantPorts, misbehaving?: Misbehaving) {
    this.misbehaving = misbehaving;
    this.data = data;
    this.ports = ports;
    this.observer = ports.observerOf?.(data.profile.id);
  }

  get id(): string {
    return this.data.profile.id;
  }

  /** Undefined while it is down. */
  get state(): ParticipantState | undefined {
    return this.loop?.state;
  }

  /** Whether nothing more will come of it. */
  get over(): boolean {
    const { phase } = this.state ?? {};
    return phase === 'finished' || phase === 'refused' || phase === 'gone';
  }

  start(): void {
    if (this.loop) return;
    const { queue, primitives } = this.ports;
    const start = { profile: this.data.profile, stored: this.disk ?? NOTHING_STORED };
    this.loop = new CrashingLoop(this, start, {
      clock: { now: () => queue.now, at: (atMs, run) => queue.at(atMs, run) },
      store: {
        save: ({ stored }) => {
          this.disk = stored;
        },
      },
      solver: {
        prepare: (settings, scaling, agreement) => this.prepare(settings, scaling, agreement),
        solve: (request) => this.beginSolve(request),
        cancel: () => {
          this.solving = undefined;
        },
        interrupt: () => this.interruptSolve(),
      },
      send: (message, precision) => this.send(message, precision),
      side: secureSide(primitives),
      record: this.observer,
      failed: (error) => {
        throw error;
      },
    });
    this.take({ type: 'start' });
  }

  /** Back after having left: a new start from what was stored, as somebody who is not finished. */
  comeAgain(): void {
    if (!this.over || !this.disk) return;
    this.stop();
    this.disk = { ...this.disk, finished: undefined };
    this.start();
  }

  crash(): void {
    this.ports.transcript.note(this.ports.queue.now, this.id, CRASHES);
    this.stop();
  }

  private stop(): void {
    this.loop?.stop();
    this.loop = undefined;
    this.solving = undefined;
    this.shard?.release();
    this.shard = undefined;
    this.tested = undefined;
  }

  receive(frame: Uint8Array): void {
    if (!this.loop) return;
    try {
      const message = decodeFrom('coordinator', frame, DEFAULT_LIMITS);
      this.ports.transcript.message('delivered', this.ports.queue.now, 'coordinator', this.id, message);
      this.misbehaving?.receive(message);
      this.take({ type: 'message', message });
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
    }
  }

  take(event: ParticipantEvent): void {
    this.loop?.take(event);
  }

  private send(given: ToCoordinator, precision: Precision): void {
    const { queue, network, transcript } = this.ports;
    const message = this.misbehaving?.alter(given) ?? given;
    transcript.message('sent', queue.now, this.id, 'coordinator', message);
    const frame = encode(message, precision);
    network.carry('up', this.id, frame, (bytes) => this.ports.toCoordinator(this.id, bytes));
  }

  /** For this start: after a crash nothing comes of it. */
  private later(atMs: number, run: () => void): void {
    const { loop } = this;
    this.ports.queue.at(atMs, () => {
      if (this.loop === loop) run();
    });
  }

  private prepare(given: FederationSettings, scaling: Scaling, agreement: Agreement): void {
    const { classes, target } = agreement;
    const { x, written, profile, weights } = this.data;
    const settings = withScaledEpsilon(given, target);
    this.settings = settings;
    const { features } = profile;
    const labelled = { source: this.id, targets: written, lines: undefined };
    const mapping = classes && mappingOf(classes);
    const known = mapping && written ? applyMapping(labelled, mapping) : this.data.y;
    const y = headTargets(scaledTargets(known, target), headsOf(mapping));
    this.shard ??= scaledShard(this.ports.arena, settings, scaling, { x, y, features, weights });
    const { tests } = this.data;
    this.tested = tests && new TestedRows(tests, { settings: given, scaling, agreement });
    const problem = { y, cap: this.shard.cap, settings };
    this.later(this.ports.queue.now, () => this.take({ type: 'prepared', problem }));
  }

  private beginSolve(request: SolveRequest): void {
    const { queue, compute, seed } = this.ports;
    const { profile, hardware } = this.data;
    const draw = { seed, round: request.round, id: this.id };
    const passMs = drawPassMs(compute, profile.rows, this.shard!.d, hardware, draw);
    const solving = { request, startedMs: queue.now, passMs };
    this.solving = solving;
    const within = request.budgetMs / passMs;
    const { outcome, computeMs } = this.solveFor(solving, within);
    this.later(queue.now + computeMs, () => {
      if (this.solving !== solving) return;
      this.solving = undefined;
      this.take({ type: 'solved', result: this.withTests(request, { ...outcome, computeMs }) });
    });
  }

  /** What a solve has come to after so many passes' worth of time, whole and broken. */
  private solveFor({ request, passMs }: Solving, within: number) {
    const whole = Math.min(request.passes, Math.floor(within));
    const rows = whole < request.passes ? Math.floor((within - whole) * this.data.profile.rows) : 0;
    const secret = () => stream(this.ports.seed, 'secret', request.round, this.id);
    const outcome = toEnd(carryOut(this.shard!, request, this.settings!, planned(whole, rows), secret));
    const used =
      outcome.passes === 0 && request.purpose === 'certify'
        ? 1
        : outcome.passes + (outcome.passes === whole ? rows / this.data.profile.rows : 0);
    return { outcome, computeMs: Math.min(request.budgetMs, used * passMs) };
  }

  private withTests(request: SolveRequest, result: SolveResult): SolveResult {
    const tests = this.tested?.report(request, result);
    return tests ? { ...result, tests } : result;
  }

  /** The solve again, up to now: solves are deterministic, so what it had done by now can be computed afterwards. */
  private interruptSolve(): void {
    const { solving } = this;
    const { queue } = this.ports;
    if (!solving) return;
    this.solving = undefined;
    const elapsed = queue.now - solving.startedMs;
    const { outcome } = this.solveFor(solving, elapsed / solving.passMs);
    const result = this.withTests(solving.request, { ...outcome, computeMs: elapsed });
    this.later(queue.now, () => this.take({ type: 'solved', result }));
  }
}
