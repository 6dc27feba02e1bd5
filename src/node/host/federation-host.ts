/**
 * One federation, alive: carries out the effects of the coordinator's machine in real time, in their order, with a store and
 * whatever transport there is. It decides nothing.
 *
 * What a `persist` brings is durable before anything later is carried out. If the store fails (a full disk), nothing more is sent
 * and nothing more is taken until it works again: the machine's memory is then ahead of the store, and stays so unseen.
 */

import type { CoordinatorEffect, CoordinatorInput } from '../../coordinator/effects.ts';
import { step } from '../../coordinator/machine.ts';
import { beginCoordinator, type CoordinatorStart } from '../../coordinator/start.ts';
import type { CoordinatorState } from '../../coordinator/state.ts';
import { gaussianNoise } from '../../privacy/dp/gaussian.ts';
import type { Primitives } from '../../privacy/secure/keys.ts';
import type { ToCoordinator, ToParticipant } from '../../protocol/messages.ts';
import { entropyStream } from '../entropy.ts';
import { Timer } from '../timer.ts';
import { Frames } from './frames.ts';
import type { FederationRecord, HistoryRow, Store } from './store.ts';

/** How long to wait before a store that failed is tried again. */
const STORE_RETRY_MS = 1000;

export interface HostWorld {
  readonly store: Store;
  readonly primitives: Primitives;
  /** Monotonic milliseconds: what the machine lives by. */
  readonly now: () => number;
  /** Milliseconds since 1970: what people are told. */
  readonly wallClock: () => number;
  /** May lose what it is given; `kind` says which earlier frame a new one makes obsolete. */
  send(to: string, frame: Uint8Array, kind: ToParticipant['kind']): void;
  onRow(row: HistoryRow): void;
  onSaved(ms: number): void;
  /** The store has failed (why), or works again (undefined). */
  onTrouble(error: Error | undefined): void;
  readonly record?: HostRecorder | undefined;
}

/** Sees what goes into the machine and what comes out of it. */
export interface HostRecorder {
  life(life: CoordinatorStart): void;
  step(input: CoordinatorInput, effects: readonly CoordinatorEffect[]): void;
  close?(): void;
}

/** What the operator may want of a federation. */
export type Order = 'pause' | 'resume' | 'finish' | 'recount' | { readonly forget: string };

type Persist = Extract<CoordinatorEffect, { type: 'persist' }>;

export class FederationHost {
  readonly record: FederationRecord;
  readonly state: CoordinatorState;
  private readonly world: HostWorld;
  private readonly frames: Frames;
  private readonly timer = new Timer();
  private readonly summing = new Timer();
  private readonly retry = new Timer();
  /** Effects that wait for a store that takes its time, or has failed. */
  private readonly waiting: CoordinatorEffect[] = [];
  /** Closed since the last durable change, which they go with. */
  private rows: HistoryRow[] = [];
  private busy: 'no' | 'saving' | 'trouble' = 'no';
  private stopped = false;
  /** What the operator was last refused. */
  private refusal: string | undefined;
  /** What came while the store did not work, and what nobody says again. */
  private postponed: CoordinatorInput[] = [];

  constructor(record: FederationRecord, world: HostWorld) {
    this.record = record;
    this.world = world;
    const { options, name } = record;
    this.frames = new Frames(options.precision);
    const life: CoordinatorStart = { machine: 'coordinator', options, ...world.store.loadRun(name) };
    this.state = beginCoordinator(life);
    world.record?.life(life);
  }

  start(): void {
    this.take({ type: 'start', now: this.world.now() });
  }

  receive(from: string, message: ToCoordinator): void {
    this.take({ type: 'message', from, message, now: this.world.now() });
  }

  /** The connection of a participant is gone. */
  away(id: string): void {
    this.take({ type: 'away', id, now: this.world.now() });
  }

  /** What the operator wants; why not, if it cannot be. */
  order(order: Order): string | undefined {
    if (this.busy === 'trouble') return `the store of "${this.record.name}" does not work at the moment`;
    this.refusal = undefined;
    const now = this.world.now();
    if (typeof order === 'string') this.take({ type: order, now });
    else this.take({ type: 'forget', id: order.forget, now });
    return this.refusal;
  }

  /** Everything that is known for good is in the store already. */
  stop(): void {
    this.stopped = true;
    for (const timer of [this.timer, this.summing, this.retry]) timer.clear();
    this.world.record?.close?.();
  }

  private take(input: CoordinatorInput): void {
    if (this.stopped) return;
    if (this.busy === 'trouble') {
      // The rest is said again, by those who said it or by time.
      if (input.type === 'summed' || input.type === 'away') this.postponed.push(input);
      return;
    }
    const effects = step(this.state, input, this.world.primitives);
    this.world.record?.step(input, effects);
    for (const effect of effects) if (effect.type === 'refusal') this.refusal = effect.message;
    if (this.busy === 'no') this.carryOut(effects);
    else this.waiting.push(...effects);
  }

  private carryOut(effects: readonly CoordinatorEffect[]): void {
    for (const [e, effect] of effects.entries()) {
      if (effect.type !== 'persist') {
        this.carryOutOne(effect);
        continue;
      }
      if (this.save(effect)) continue;
      this.waiting.unshift(...effects.slice(this.busy === 'trouble' ? e : e + 1));
      return;
    }
  }

  /** Whether it is durable already. */
  private save({ changes }: Persist): boolean {
    const { store, now, onSaved } = this.world;
    const started = now();
    const done = () => {
      this.rows = [];
      onSaved(now() - started);
    };
    try {
      const saved = store.saveRun(this.record.name, changes, this.rows);
      if (saved === undefined) {
        done();
        return true;
      }
      this.busy = 'saving';
      saved.then(
        () => {
          done();
          this.goOn();
        },
        (error: Error) => {
          this.waiting.unshift({ type: 'persist', changes });
          this.onStoreFailed(error);
        },
      );
    } catch (error) {
      this.onStoreFailed(error as Error);
    }
    return false;
  }

  private onStoreFailed(error: Error): void {
    this.busy = 'trouble';
    this.world.onTrouble(error);
    this.retry.set(STORE_RETRY_MS, () => {
      this.goOn();
      if (this.busy !== 'no') return;
      this.world.onTrouble(undefined);
      this.takeWhatWasMissed();
    });
  }

  private takeWhatWasMissed(): void {
    const now = this.world.now();
    for (const input of this.postponed.splice(0)) this.take({ ...input, now });
    this.take({ type: 'timer', now });
  }

  private goOn(): void {
    if (this.stopped) return;
    this.busy = 'no';
    this.carryOut(this.waiting.splice(0));
  }

  private carryOutOne(effect: Exclude<CoordinatorEffect, Persist>): void {
    const { now, wallClock } = this.world;
    switch (effect.type) {
      case 'send':
        this.world.send(effect.to, this.frames.of(effect.message), effect.message.kind);
        break;
      case 'timer':
        this.timer.set(effect.atMs - now(), () =>
          // A timer may ring a little early by another clock.
          this.take({ type: 'timer', now: Math.max(now(), effect.atMs) }),
        );
        break;
      case 'summation':
        this.summing.set(effect.ms, () => this.take({ type: 'summed', now: now(), ...drawn(effect) }));
        break;
      case 'row': {
        const row = { ...effect.row, closedMs: wallClock() };
        this.rows.push(row);
        this.world.onRow(row);
        break;
      }
      case 'refusal':
        // Told at once, in `take`: the operator waits for it.
        break;
    }
  }
}

/** Nobody can predict it, and it is never drawn again. */
function drawn({ noise }: Extract<CoordinatorEffect, { type: 'summation' }>): { noise?: Float64Array } {
  if (!noise) return {};
  return { noise: gaussianNoise(noise.length, noise.deviation, entropyStream()) };
}
