/**
 * The effect loop of a participant: feeds its machine and carries out its effects over ports, in order, and decides nothing. `persist` is
 * complete before the next effect begins. A real process, a load test and a simulation run this loop; where no port answers with a
 * promise, everything has happened when `take` returns.
 */

import { EffectLoop } from '../base/effect-loop.ts';
import type { Clock, Eventually } from '../base/ports.ts';
import type { ParticipantEffect, ParticipantInput } from '../participant/effects.ts';
import { step } from '../participant/machine.ts';
import { newParticipant, type ParticipantStart, type ParticipantState } from '../participant/state.ts';
import type { SecureSide } from '../participant/summing.ts';
import type { Precision, ToCoordinator } from '../protocol/messages.ts';
import type { Solver, StateStore } from './ports.ts';

interface LoopPorts {
  readonly clock: Clock;
  readonly store: Pick<StateStore, 'save'>;
  readonly solver: Solver;
  /** May drop it. */
  send(message: ToCoordinator, precision: Precision): void;
  /** For whoever takes part in secure sums. */
  readonly side?: SecureSide | undefined;
  /** By the enrolment key; needed where the profile names one. */
  sign?(statement: Uint8Array): Eventually<Uint8Array>;
  readonly record?: Recorder | undefined;
  /** All effects of an input have been carried out. */
  settled?(): void;
  /** A step, an effect or `settled` has thrown: nothing after it was carried out, and the loop has stopped. */
  failed(error: unknown): void;
}

/** Sees everything that goes into the machine and comes out of it, before that is carried out: a `RunRecorder`, for instance. */
export interface Recorder {
  started(start: ParticipantStart): void;
  step(input: ParticipantInput, effects: readonly ParticipantEffect[]): void;
}

type WithoutTime<I> = I extends unknown ? Omit<I, 'now'> : never;
export type ParticipantEvent = WithoutTime<ParticipantInput>;

export class ParticipantLoop {
  readonly state: ParticipantState;
  private readonly ports: LoopPorts;
  private readonly loop: EffectLoop<ParticipantInput, ParticipantEffect>;
  private dropTimer = () => {};

  constructor(start: Omit<ParticipantStart, 'machine'>, ports: LoopPorts) {
    const { profile, stored } = start;
    this.ports = ports;
    this.state = newParticipant(profile, stored);
    ports.record?.started({ machine: 'participant', profile, stored });
    this.loop = new EffectLoop({
      step: (input) => this.step(input),
      perform: (effect) => this.perform(effect),
      settled: () => ports.settled?.(),
      failed: (error) => {
        this.dropTimer();
        ports.failed(error);
      },
    });
  }

  /** The newest round that is known of. */
  get round(): number {
    const { order, latest, stored } = this.state;
    return Math.max(order?.round ?? 0, latest?.round ?? 0, stored.base);
  }

  take(event: ParticipantEvent): void {
    this.loop.take({ ...event, now: this.ports.clock.now() } as ParticipantInput);
  }

  /** Training rests: nothing is retransmitted before the next input. */
  rest(): void {
    this.dropTimer();
  }

  /** Nothing more is carried out, not even what is left of the present input. */
  stop(): void {
    this.loop.stop();
    this.dropTimer();
  }

  private step(input: ParticipantInput): readonly ParticipantEffect[] {
    const effects = step(this.state, input, this.ports.side);
    this.ports.record?.step(input, effects);
    return effects;
  }

  protected perform(effect: ParticipantEffect): Eventually<void> {
    const { store, solver, send } = this.ports;
    switch (effect.type) {
      case 'persist':
        return store.save({ stored: effect.stored });
      case 'send':
        return send(effect.message, this.state.stored.settings?.precision ?? 'f64');
      case 'prepare':
        return solver.prepare(effect.settings, effect.scaling, effect.agreement);
      case 'solve':
        return solver.solve(effect.request);
      case 'sign':
        return this.sign(effect.statement);
      case 'cancel':
        return solver.cancel();
      case 'interrupt':
        return solver.interrupt();
      case 'timer':
        return this.setTimer(effect.atMs);
    }
  }

  private async sign(statement: Uint8Array): Promise<void> {
    const signature = await this.ports.sign?.(statement);
    if (signature) this.take({ type: 'signed', signature });
  }

  private setTimer(atMs: number): void {
    if (atMs === Number.POSITIVE_INFINITY) return;
    this.dropTimer();
    this.dropTimer = this.ports.clock.at(atMs, () => this.take({ type: 'timer' }));
  }
}
