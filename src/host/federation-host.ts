/**
 * A running federation: carries out the effects of the coordinator's machine, in their order, on whatever ports there are. It
 * decides nothing. Servers and simulations run this very code.
 *
 * What a `persist` brings is durable before anything later is carried out, and before the machine takes another input. If the store
 * fails (a full disk), nothing is sent and no message is taken until it works again: the machine's memory is ahead of the store
 * by one change, and nobody sees it.
 */
import { EffectLoop } from '../base/effect-loop.ts';
import type { Eventually } from '../base/ports.ts';
import type { CoordinatorEffect, CoordinatorInput } from '../coordinator/effects.ts';
import { step } from '../coordinator/machine.ts';
import type { Place } from '../coordinator/place.ts';
import type { CoordinatorState } from '../coordinator/state.ts';
import type { StoredCoordinator } from '../coordinator/stored.ts';
import { beginCoordinator, type CoordinatorStart } from '../coordinator/stored.ts';
import { drawNoise } from '../privacy/dp/grid.ts';
import { encode } from '../protocol/codec.ts';
import type { ToCoordinator, ToParticipant } from '../protocol/messages.ts';
import { Frames } from './frames.ts';
import { asOneChange } from './one-change.ts';
import { type Order, Orders } from './orders.ts';
import type { FederationRecord, HistoryRow, HostPorts, SavedRun } from './ports.ts';

/** How long to wait before a store that has failed is tried again. */
const STORE_RETRY_MS = 1000;
/** How often a branch looks for what its parent may not have received. */
const BEAT_MS = 200;
/** Messages of one participant that may wait for the store; those above it are dropped, and retransmitted by the participant. */
const MOST_WAITING = 8;

type Summation = Extract<CoordinatorEffect, { type: 'summation' }>;

const STORE_FAILS = 'accepts no changes: its store is failing';

export class FederationHost {
  readonly record: FederationRecord;
  readonly state: CoordinatorState;
  /** Why the store takes nothing at the moment. */
  storeFailure: Error | undefined;
  private readonly ports: HostPorts;
  private readonly frames: Frames;
  private readonly loop: EffectLoop<CoordinatorInput, CoordinatorEffect>;
  private cancelTimer = () => {};
  private cancelSummation = () => {};
  private cancelRetry = () => {};
  private cancelBeat = () => {};
  /** Closed since the last durable change, with which they are saved. */
  private rows: HistoryRow[] = [];
  private saving: Promise<void> | undefined;
  /** Messages that wait for the store, by participant. */
  private readonly waiting = new Map<string, number>();
  /** Inputs that came while the store failed, and that nobody repeats. */
  private readonly postponed = new Map<string, CoordinatorInput>();
  private readonly orders = new Orders();
  private isStopped = false;

  /** `saved`: what the store has of the run. */
  constructor(record: FederationRecord, saved: SavedRun | undefined, ports: HostPorts, place?: Place) {
    this.record = record;
    this.ports = ports;
    const { options } = record;
    this.frames = new Frames(options.precision);
    const start: CoordinatorStart = { machine: 'coordinator', options, ...saved, ...(place && { place }) };
    this.state = beginCoordinator(start);
    ports.recorder?.started(start);
    this.loop = new EffectLoop({
      step: (input) => this.step(input),
      group: { takes: (next) => this.isGathering(next), merge: asOneChange },
      perform: (effect) => this.perform(effect),
      settled: () => this.orders.settled(),
      failed: (error) => {
        throw error;
      },
    });
  }

  start(): void {
    this.take({ type: 'start', now: this.ports.clock.now() });
    if (this.state.above) this.beat();
  }

  /** In a branch: a message of its parent. */
  receiveFromAbove(message: ToParticipant): void {
    if (this.storeFailure) return;
    this.take({ type: 'above', message, now: this.ports.clock.now() });
  }

  private beat(): void {
    const { clock } = this.ports;
    this.cancelBeat();
    this.cancelBeat = clock.at(clock.now() + BEAT_MS, () => {
      if (!this.storeFailure && !this.saving) this.take({ type: 'beat', now: clock.now() });
      this.beat();
    });
  }

  receive(from: string, message: ToCoordinator): void {
    if (this.storeFailure || (this.saving && !this.mayWait(from))) return;
    this.take({ type: 'message', from, message, now: this.ports.clock.now() });
  }

  /** The connection of a participant is gone. */
  away(id: string): void {
    this.take({ type: 'away', id, now: this.ports.clock.now() });
  }

  /** Somebody is connected who has not said so to this process. */
  present(id: string): void {
    this.take({ type: 'present', id, now: this.ports.clock.now() });
  }

  /** Resolves when the order has been carried out: with the reason if it was refused. */
  order(order: Order): Promise<string | undefined> {
    const reason = this.isStopped ? 'has been stopped' : this.storeFailure && STORE_FAILS;
    if (reason) return Promise.resolve(this.sentence(reason));
    return this.orders.give(order, this.ports.clock.now(), (input) => this.take(input));
  }

  take(input: CoordinatorInput): void {
    if (!this.storeFailure) this.loop.take(input);
    // The rest is repeated, by those who sent it or by time.
    else if (input.type === 'summed') this.postponed.set('summed', input);
    else if (input.type === 'away' || input.type === 'present')
      this.postponed.set(`${input.type} ${input.id}`, input);
  }

  /** Nothing more is carried out. Resolves when the store has nothing of this federation under way. */
  async stop(): Promise<void> {
    if (this.isStopped) return;
    this.isStopped = true;
    this.loop.stop();
    this.cancelTimer();
    this.cancelSummation();
    this.cancelRetry();
    this.cancelBeat();
    this.ports.recorder?.close?.();
    await this.saving?.catch(() => {});
    this.refuseOrders('has been stopped');
  }

  private step(input: CoordinatorInput): readonly CoordinatorEffect[] {
    if (input.type === 'message') this.noLongerWaits(input.from);
    return this.orders.effectsOf(input, () => {
      const effects = step(this.state, input, this.ports.primitives);
      this.ports.recorder?.step(input, effects);
      return effects;
    });
  }

  /**
   * Before training only joins are durable, one by one: those that have waited for the store are saved together, as a whole crowd may
   * arrive at once. Later changes share arrays with a state that goes on, and are saved before anything else is taken.
   */
  private isGathering(next: CoordinatorInput): boolean {
    return (
      this.state.phase === 'gathering' &&
      next.type === 'message' &&
      (next.message.kind === 'join' || next.message.kind === 'moments')
    );
  }

  private perform(effect: CoordinatorEffect): Eventually<void> {
    const { recorder } = this.ports;
    const pending = this.carryOut(effect);
    if (pending) return pending.then(() => recorder?.performed?.(effect));
    recorder?.performed?.(effect);
  }

  private carryOut(effect: CoordinatorEffect): Eventually<void> {
    const { transport, clock, onRow } = this.ports;
    switch (effect.type) {
      case 'persist':
        return this.save(effect.changes);
      case 'send':
        transport.send(effect.to, this.frames.of(effect.message), effect.message.kind);
        break;
      case 'up':
        this.ports.above?.send(encode(effect.message, this.record.options.precision));
        break;
      case 'timer':
        this.setTimer(effect.atMs);
        break;
      case 'summation':
        this.cancelSummation();
        this.cancelSummation = clock.at(clock.now() + effect.ms, () =>
          this.take({ type: 'summed', now: clock.now(), ...this.noiseFor(effect) }),
        );
        break;
      case 'row': {
        const row = { ...effect.row, closedMs: clock.wallClock() };
        this.rows.push(row);
        onRow?.(row);
        break;
      }
      case 'fault':
        this.ports.onFault?.(effect.id, effect.code, effect.round);
        break;
      case 'refusal':
        // Whoever gave the order is answered when all effects have been carried out.
        break;
    }
  }

  private setTimer(atMs: number): void {
    if (atMs === Number.POSITIVE_INFINITY) return;
    const { clock } = this.ports;
    this.cancelTimer();
    this.cancelTimer = clock.at(atMs, () =>
      // It may ring a little early by another clock.
      this.take({ type: 'timer', now: Math.max(clock.now(), atMs) }),
    );
  }

  private noiseFor({ noise }: Summation): { noise?: Float64Array } {
    if (!noise) return {};
    return { noise: drawNoise(noise, this.ports.noiseOf(this.state.round)) };
  }

  private save(changes: StoredCoordinator): Eventually<void> {
    try {
      return this.trySave(changes)?.catch((error: Error) => this.saveAgain(changes, error));
    } catch (error) {
      return this.saveAgain(changes, error as Error);
    }
  }

  private trySave(changes: StoredCoordinator): Promise<void> | undefined {
    const { store, clock, onSaved } = this.ports;
    const started = clock.now();
    const onDurable = () => {
      this.rows = [];
      onSaved?.(clock.now() - started);
    };
    const saved = store.saveRun(this.record.name, changes, this.rows);
    if (!saved) {
      onDurable();
      return undefined;
    }
    this.saving = saved.then(onDurable).finally(() => {
      this.saving = undefined;
    });
    return this.saving;
  }

  private async saveAgain(changes: StoredCoordinator, failure: Error): Promise<void> {
    const { clock } = this.ports;
    let error = failure;
    while (!this.isStopped) {
      this.storeFailure = error;
      this.refuseOrders(STORE_FAILS);
      this.ports.onStoreFailure?.(error);
      await new Promise<void>((resolve) => {
        this.cancelRetry = clock.at(clock.now() + STORE_RETRY_MS, resolve);
      });
      try {
        await this.trySave(changes);
        this.onWorksAgain();
        return;
      } catch (again) {
        error = again as Error;
      }
    }
  }

  private sentence(reason: string): string {
    return `federation "${this.record.name}" ${reason}`;
  }

  private refuseOrders(reason: string): void {
    this.orders.refuseAll(this.sentence(reason));
  }

  private onWorksAgain(): void {
    this.storeFailure = undefined;
    this.ports.onStoreFailure?.(undefined);
    const now = this.ports.clock.now();
    for (const input of this.postponed.values()) this.take({ ...input, now });
    this.postponed.clear();
    this.take({ type: 'timer', now });
  }

  private mayWait(participant: string): boolean {
    const count = this.waiting.get(participant) ?? 0;
    if (count >= MOST_WAITING) return false;
    this.waiting.set(participant, count + 1);
    return true;
  }

  private noLongerWaits(participant: string): void {
    const count = this.waiting.get(participant);
    if (count === undefined) return;
    if (count > 1) this.waiting.set(participant, count - 1);
    else this.waiting.delete(participant);
  }
}
