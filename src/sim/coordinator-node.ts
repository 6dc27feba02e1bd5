/** The simulated coordinator: carries out the effects of the very machine that runs as a service. */
import { stream } from '../base/random.ts';
import type { CoordinatorEffect, CoordinatorInput } from '../coordinator/effects.ts';
import { step } from '../coordinator/machine.ts';
import type { CoordinatorOptions } from '../coordinator/options.ts';
import { beginCoordinator } from '../coordinator/start.ts';
import type { CoordinatorState, RoundRow } from '../coordinator/state.ts';
import type { StoredMember, StoredRun } from '../coordinator/stored.ts';
import { gaussianNoise } from '../privacy/dp/gaussian.ts';
import type { Primitives } from '../privacy/secure/keys.ts';
import { decodeFrom, encode } from '../protocol/codec.ts';
import { DEFAULT_LIMITS } from '../protocol/limits.ts';
import type { ToCoordinator } from '../protocol/messages.ts';
import { ProtocolError } from '../protocol/protocol-error.ts';
import type { EventQueue } from './events.ts';
import type { CrashPlan } from './faults.ts';
import type { Network } from './network.ts';
import { CRASHES, type Transcript } from './transcript.ts';
import type { Witness } from './witness.ts';

export interface CoordinatorWorld {
  readonly queue: EventQueue;
  readonly network: Network;
  readonly transcript: Transcript;
  toParticipant(to: string, frame: Uint8Array): void;
  onRow(row: RoundRow): void;
  readonly primitives: Primitives;
  readonly witnessOf?: ((node: string) => Witness | undefined) | undefined;
}

export const COORDINATOR = 'coordinator';

export class CoordinatorNode {
  /** Undefined while it is down. */
  state: CoordinatorState | undefined;
  /** What a crash leaves. */
  readonly disk: { run: StoredRun | undefined; members: Map<string, StoredMember> } = {
    run: undefined,
    members: new Map(),
  };
  badFrames = 0;
  private readonly options: CoordinatorOptions;
  private readonly world: CoordinatorWorld;
  private readonly crashes: CrashPlan;
  private readonly witness: Witness | undefined;
  private life = 0;
  /** Takes back the timer that is set. */
  private dropTimer = () => {};

  constructor(options: CoordinatorOptions, world: CoordinatorWorld, crashes: CrashPlan) {
    this.options = options;
    this.world = world;
    this.crashes = crashes;
    this.witness = world.witnessOf?.(COORDINATOR);
  }

  start(): void {
    if (this.state) return;
    const { options, disk } = this;
    const life = {
      machine: 'coordinator',
      options,
      run: disk.run,
      members: [...disk.members.values()],
    } as const;
    this.witness?.life(life);
    this.state = beginCoordinator(life);
    this.take({ type: 'start', now: this.world.queue.now });
  }

  crash(): void {
    this.world.transcript.note(this.world.queue.now, COORDINATOR, CRASHES);
    this.state = undefined;
    this.life++;
  }

  receive(from: string, frame: Uint8Array): void {
    if (!this.state) return;
    const { now } = this.world.queue;
    try {
      const message = decodeFrom('participant', frame, DEFAULT_LIMITS) as ToCoordinator;
      this.world.transcript.delivered(now, from, COORDINATOR, message);
      this.take({ type: 'message', from, message, now });
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.badFrames++;
    }
  }

  take(input: CoordinatorInput): void {
    if (!this.state) return;
    const effects = step(this.state, input, this.world.primitives);
    this.witness?.step(input, effects);
    const survived = this.crashes.survives(COORDINATOR, effects.length);
    for (const [e, effect] of effects.entries()) {
      if (e >= survived) break;
      this.carryOut(effect);
    }
    if (survived <= effects.length) this.crash();
  }

  private carryOut(effect: CoordinatorEffect): void {
    const { queue, network, transcript } = this.world;
    switch (effect.type) {
      case 'persist': {
        const { run, members, removed } = effect.changes;
        this.disk.run = run;
        for (const member of members) this.disk.members.set(member.id, member);
        for (const id of removed) this.disk.members.delete(id);
        break;
      }
      case 'send': {
        transcript.sent(queue.now, COORDINATOR, effect.to, effect.message);
        const frame = encode(effect.message, this.options.precision);
        network.carry('down', effect.to, frame, (bytes) => this.world.toParticipant(effect.to, bytes));
        break;
      }
      case 'timer': {
        if (effect.atMs === Number.POSITIVE_INFINITY) break;
        this.dropTimer();
        this.dropTimer = this.later(effect.atMs, () => this.take({ type: 'timer', now: queue.now }));
        break;
      }
      case 'summation':
        this.later(queue.now + effect.ms, () =>
          this.take({ type: 'summed', now: queue.now, ...this.draw(effect) }),
        );
        break;
      case 'row':
        this.world.onRow(effect.row);
        break;
      case 'refusal':
        transcript.note(queue.now, COORDINATOR, effect.message);
        break;
    }
  }

  /** The noise of a round is that of its name: drawn again after a crash it is the same. */
  private draw({ noise }: Extract<CoordinatorEffect, { type: 'summation' }>): { noise?: Float64Array } {
    if (!noise) return {};
    const random = stream(this.options.seed, 'dp noise', this.state!.round);
    return { noise: gaussianNoise(noise.length, noise.deviation, random) };
  }

  private later(atMs: number, run: () => void): () => void {
    const { life } = this;
    return this.world.queue.at(atMs, () => {
      if (this.life === life && this.state) run();
    });
  }
}
