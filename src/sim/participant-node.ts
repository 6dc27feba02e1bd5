/** A simulated participant: carries out the effects of the very machine that runs on a real device. */
import { stream } from '../base/random.ts';
import type { Arena } from '../math/arena.ts';
import type { Scaling } from '../math/scaling.ts';
import type { ParticipantEffect, ParticipantInput, SolveRequest } from '../participant/effects.ts';
import { step } from '../participant/machine.ts';
import { scaledShard } from '../participant/scaled-rows.ts';
import { carryOut, planned } from '../participant/solve.ts';
import { newParticipant, type ParticipantState, type Profile, type Stored } from '../participant/state.ts';
import type { Primitives } from '../privacy/secure/keys.ts';
import { decodeFrom, encode } from '../protocol/codec.ts';
import { DEFAULT_LIMITS } from '../protocol/limits.ts';
import type { FederationSettings } from '../protocol/messages.ts';
import { ProtocolError } from '../protocol/protocol-error.ts';
import type { Shard } from '../solver/shard.ts';
import { type ComputeModel, drawPassMs } from './compute.ts';
import type { EventQueue } from './events.ts';
import type { CrashPlan } from './faults.ts';
import type { Misbehaving } from './misbehaving.ts';
import type { Network } from './network.ts';
import { CRASHES, type Transcript } from './transcript.ts';
import type { Witness } from './witness.ts';

/** One participant's own rows: nobody else sees them. */
export interface ParticipantData {
  readonly profile: Profile;
  /** rows x features, raw. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** How many times as fast as the compute model says. */
  readonly hardware: number;
}

export interface World {
  readonly queue: EventQueue;
  readonly network: Network;
  readonly arena: Arena;
  readonly compute: ComputeModel;
  readonly seed: number;
  readonly transcript: Transcript;
  toCoordinator(from: string, frame: Uint8Array): void;
  readonly primitives: Primitives;
  readonly witnessOf?: ((node: string) => Witness | undefined) | undefined;
}

export class ParticipantNode {
  readonly data: ParticipantData;
  /** Undefined while it is down. */
  state: ParticipantState | undefined;
  /** What a crash leaves. */
  disk: Stored | undefined;
  private readonly world: World;
  private readonly crashes: CrashPlan;
  private readonly witness: Witness | undefined;
  /** Undefined: it says what its machine says. */
  private readonly misbehaving: Misbehaving | undefined;
  private shard: Shard | undefined;
  private settings: FederationSettings | undefined;
  private life = 0;
  /** Takes back the timer that is set. */
  private dropTimer = () => {};
  private solving:
    | { readonly request: SolveRequest; readonly startedMs: number; readonly passMs: number }
    | undefined;

  constructor(data: ParticipantData, world: World, crashes: CrashPlan, misbehaving?: Misbehaving) {
    this.misbehaving = misbehaving;
    this.data = data;
    this.world = world;
    this.crashes = crashes;
    this.witness = world.witnessOf?.(data.profile.id);
  }

  get id(): string {
    return this.data.profile.id;
  }

  /** Whether nothing more will come of it. */
  get over(): boolean {
    const { phase } = this.state ?? {};
    return phase === 'finished' || phase === 'refused' || phase === 'gone';
  }

  start(): void {
    if (this.state) return;
    const { profile } = this.data;
    this.state = newParticipant(profile, this.disk);
    this.witness?.life({ machine: 'participant', profile, stored: this.state.stored });
    this.take({ type: 'start', now: this.world.queue.now });
  }

  /** Back after having left: a new start from what was stored, as somebody who is not finished. */
  comeAgain(): void {
    if (!this.over || !this.disk) return;
    this.stop();
    this.disk = { ...this.disk, finished: undefined };
    this.start();
  }

  crash(): void {
    this.world.transcript.note(this.world.queue.now, this.id, CRASHES);
    this.stop();
  }

  private stop(): void {
    this.state = undefined;
    this.solving = undefined;
    this.life++;
    this.shard?.release();
    this.shard = undefined;
  }

  receive(frame: Uint8Array): void {
    if (!this.state) return;
    try {
      const message = decodeFrom('coordinator', frame, DEFAULT_LIMITS);
      this.world.transcript.delivered(this.world.queue.now, 'coordinator', this.id, message);
      this.misbehaving?.hear(message);
      this.take({ type: 'message', message, now: this.world.queue.now });
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
    }
  }

  take(input: ParticipantInput): void {
    if (!this.state) return;
    const effects = step(this.state, input, this.world.primitives);
    this.witness?.step(input, effects);
    const survived = this.crashes.survives(this.id, effects.length);
    for (const [e, effect] of effects.entries()) {
      if (e >= survived) break;
      this.carryOut(effect);
    }
    if (survived <= effects.length) this.crash();
  }

  private carryOut(effect: ParticipantEffect): void {
    const { queue, network } = this.world;
    switch (effect.type) {
      case 'persist':
        this.disk = effect.stored;
        break;
      case 'send': {
        const message = this.misbehaving?.say(effect.message) ?? effect.message;
        this.world.transcript.sent(queue.now, this.id, 'coordinator', message);
        const frame = encode(message, this.settings?.precision ?? 'f64');
        network.carry('up', this.id, frame, (bytes) => this.world.toCoordinator(this.id, bytes));
        break;
      }
      case 'prepare':
        this.prepare(effect.settings, effect.scaling);
        break;
      case 'solve':
        this.beginSolve(effect.request);
        break;
      case 'cancel':
        this.solving = undefined;
        break;
      case 'interrupt':
        this.interruptSolve();
        break;
      case 'timer':
        this.setTimer(effect.atMs);
        break;
    }
  }

  private later(atMs: number, run: () => void): () => void {
    const { life } = this;
    return this.world.queue.at(atMs, () => {
      if (this.life === life && this.state) run();
    });
  }

  private setTimer(atMs: number): void {
    if (atMs === Number.POSITIVE_INFINITY) return;
    this.dropTimer();
    this.dropTimer = this.later(atMs, () => this.take({ type: 'timer', now: this.world.queue.now }));
  }

  private prepare(settings: FederationSettings, scaling: Scaling): void {
    const { x, y, profile } = this.data;
    this.settings = settings;
    const { features } = profile;
    this.shard ??= scaledShard(this.world.arena, settings, scaling, { x, y, features });
    const problem = { y, cap: this.shard.cap, settings };
    this.later(this.world.queue.now, () =>
      this.take({ type: 'prepared', problem, now: this.world.queue.now }),
    );
  }

  private beginSolve(request: SolveRequest): void {
    const { queue, compute, seed } = this.world;
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
      const result = { ...outcome, computeMs };
      this.take({ type: 'solved', result, now: queue.now });
    });
  }

  /** What a solve has come to after so many passes' worth of time, whole and broken. */
  private solveFor({ request, passMs }: NonNullable<ParticipantNode['solving']>, within: number) {
    const whole = Math.min(request.passes, Math.floor(within));
    const rows = whole < request.passes ? Math.floor((within - whole) * this.data.profile.rows) : 0;
    const secret = () => stream(this.world.seed, 'secret', request.round, this.id);
    const outcome = carryOut(this.shard!, request, this.settings!, planned(whole, rows), secret);
    const used =
      outcome.passes === 0 && request.purpose === 'certify'
        ? 1
        : outcome.passes + (outcome.passes === whole ? rows / this.data.profile.rows : 0);
    return { outcome, computeMs: Math.min(request.budgetMs, used * passMs) };
  }

  /** The solve again, up to now: solves are deterministic, so what it had done by now can be computed afterwards. */
  private interruptSolve(): void {
    const { solving } = this;
    const { queue } = this.world;
    if (!solving) return;
    this.solving = undefined;
    const elapsed = queue.now - solving.startedMs;
    const { outcome } = this.solveFor(solving, elapsed / solving.passMs);
    const result = { ...outcome, computeMs: elapsed };
    this.later(queue.now, () => this.take({ type: 'solved', result, now: queue.now }));
  }
}
