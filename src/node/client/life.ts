/**
 * One life of a participant: feeds its machine and carries out what it asks for, in order, and decides nothing. `persist` is
 * complete before the next effect begins. What is thrown in here, a full disk for instance, is the end of the participation: nothing
 * after it has been carried out.
 */
import type { Scaling } from '../../math/scaling.ts';
import type { ParticipantEffect, ParticipantInput } from '../../participant/effects.ts';
import { beginParticipant, type ParticipantLife } from '../../participant/life.ts';
import { step } from '../../participant/machine.ts';
import type { ParticipantState, Profile } from '../../participant/state.ts';
import type { Primitives } from '../../privacy/secure/keys.ts';
import { encode } from '../../protocol/codec.ts';
import type { FederationSettings } from '../../settings/federation.ts';
import { Timer } from '../timer.ts';
import type { OwnRows } from './own-rows.ts';
import { checkSameClasses } from './participant-file.ts';
import type { StateFolder } from './state-folder.ts';

export interface LifeParts {
  readonly profile: Profile;
  readonly folder: StateFolder;
  readonly rows: OwnRows;
  readonly primitives: Primitives;
  /** May drop it. */
  send(frame: Uint8Array): unknown;
  /** The timer of the machine is over: to be handed to `take`. */
  timeOver(): void;
  readonly record?: Recorder | undefined;
}

/** Sees everything that goes into the machine and comes out of it, before that is carried out: a `RunRecorder`, for instance. */
export interface Recorder {
  life(life: ParticipantLife): void;
  step(input: ParticipantInput, effects: readonly ParticipantEffect[]): void;
}

type WithoutTime<I> = I extends unknown ? Omit<I, 'now'> : never;
export type Happening = WithoutTime<ParticipantInput>;

export class Life {
  readonly state: ParticipantState;
  private readonly parts: LifeParts;
  private readonly timer = new Timer();
  private hasStarted = false;

  /** From what is stored: for the first time, after a crash, or after an end. */
  constructor(parts: LifeParts) {
    this.parts = parts;
    const stored = { ...parts.folder.file.stored, finished: undefined };
    const life: ParticipantLife = { machine: 'participant', profile: parts.profile, stored };
    this.state = beginParticipant(life);
    parts.record?.life(life);
  }

  /** The newest round heard of. */
  get round(): number {
    const { order, latest, stored } = this.state;
    return Math.max(order?.round ?? 0, latest?.round ?? 0, stored.base);
  }

  /** The first connection begins the life; later ones say again what may not have been heard. */
  connected(): void {
    const type = this.hasStarted ? 'timer' : 'start';
    this.hasStarted = true;
    this.take({ type });
  }

  take(happening: Happening): void {
    const input = { ...happening, now: performance.now() } as ParticipantInput;
    const effects = step(this.state, input, this.parts.primitives);
    this.parts.record?.step(input, effects);
    for (const effect of effects) this.carryOut(effect);
    // A timer of the time before would be taken for a new connection.
    if (this.state.phase === 'finished') this.timer.clear();
  }

  stop(): void {
    this.timer.clear();
  }

  private carryOut(effect: ParticipantEffect): void {
    const { folder, rows, send } = this.parts;
    switch (effect.type) {
      case 'persist':
        folder.update({ stored: effect.stored });
        break;
      case 'send':
        send(encode(effect.message, this.state.stored.settings?.precision ?? 'f64'));
        break;
      case 'prepare':
        prepareRows(folder, rows, effect.settings, effect.scaling);
        break;
      case 'solve':
        rows.solver.solve(effect.request);
        break;
      case 'cancel':
        rows.solver.cancel();
        break;
      case 'interrupt':
        rows.solver.interrupt();
        break;
      case 'timer':
        this.timer.set(effect.atMs - performance.now(), () => this.parts.timeOver());
        break;
    }
  }
}

/** The classes are known from here on, and stored: predictions need them. */
export function prepareRows(
  folder: StateFolder,
  rows: OwnRows,
  settings: FederationSettings,
  scaling: Scaling,
): void {
  const classes = rows.classesFor(settings.objective);
  checkSameClasses(folder.path, folder.file, classes);
  const known = folder.file.classes;
  const isNews = classes?.positive !== known?.positive || classes?.negative !== known?.negative;
  if (isNews) folder.update({ classes });
  rows.prepare(settings, scaling);
}
