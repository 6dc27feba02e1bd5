/** The simulated coordinator: the very host that runs as a service, on a virtual clock and network and a disk in memory, and crashes. */
import { stream } from '../base/random.ts';
import type { CoordinatorEffect, CoordinatorInput } from '../coordinator/effects.ts';
import type { CoordinatorOptions } from '../coordinator/options.ts';
import type { CoordinatorState, RoundRow } from '../coordinator/state.ts';
import type { StoredMember, StoredRun } from '../coordinator/stored.ts';
import { FederationHost } from '../host/federation-host.ts';
import { MemoryStore } from '../host/memory-store.ts';
import type { HostPorts, Transport } from '../host/ports.ts';
import { decodeFrom } from '../protocol/codec.ts';
import { DEFAULT_LIMITS } from '../protocol/limits.ts';
import { ProtocolError } from '../protocol/protocol-error.ts';
import type { MachineObserver, NodePorts } from './ports.ts';
import { CRASHES } from './transcript.ts';

interface CoordinatorPorts extends NodePorts {
  toParticipant(to: string, frame: Uint8Array): void;
  onRow(row: RoundRow): void;
}

export const COORDINATOR = 'coordinator';

export class CoordinatorNode {
  badFrames = 0;
  readonly transport: Transport = {
    send: (to, frame) =>
      this.ports.network.carry('down', to, frame, (bytes) => this.ports.toParticipant(to, bytes)),
  };
  /** What a crash leaves. */
  private readonly store = new MemoryStore();
  private readonly options: CoordinatorOptions;
  private readonly ports: CoordinatorPorts;
  private readonly observer: MachineObserver | undefined;
  /** Undefined while it is down. */
  private host: FederationHost | undefined;
  /** How many effects of the present step are carried out before it crashes, and how many have been. */
  private survived = 0;
  private performed = 0;

  constructor(options: CoordinatorOptions, ports: CoordinatorPorts) {
    this.options = options;
    this.ports = ports;
    this.observer = ports.observerOf?.(COORDINATOR);
  }

  get state(): CoordinatorState | undefined {
    return this.host?.state;
  }

  get disk(): { readonly run: StoredRun | undefined; readonly members: ReadonlyMap<string, StoredMember> } {
    const { run, members = [] } = this.store.loadRun(COORDINATOR) ?? {};
    return { run, members: new Map(members.map((member) => [member.id, member])) };
  }

  start(): void {
    if (this.host) return;
    this.host = this.open();
    this.host.start();
  }

  open(): FederationHost {
    const record = { name: COORDINATOR, id: COORDINATOR, createdMs: 0, options: this.options };
    return new FederationHost(record, this.store.loadRun(COORDINATOR), this.hostPorts());
  }

  crash(): void {
    this.ports.transcript.note(this.ports.queue.now, COORDINATOR, CRASHES);
    void this.host?.stop();
    this.host = undefined;
  }

  receive(from: string, frame: Uint8Array): void {
    if (!this.host) return;
    try {
      const message = decodeFrom('participant', frame, DEFAULT_LIMITS);
      this.ports.transcript.message('delivered', this.ports.queue.now, from, COORDINATOR, message);
      this.host.receive(from, message);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.badFrames++;
    }
  }

  take(input: CoordinatorInput): void {
    this.host?.take(input);
  }

  private hostPorts(): HostPorts {
    const { queue, primitives, crashes } = this.ports;
    return {
      store: this.store,
      transport: this.transport,
      clock: { now: () => queue.now, wallClock: () => queue.now, at: (atMs, run) => queue.at(atMs, run) },
      primitives,
      // The noise of a round is that of its name: drawn again after a crash it is the same.
      noiseOf: (round) => stream(this.options.seed, 'dp noise', round),
      recorder: {
        started: (start) => this.observer?.started(start),
        step: (input, effects) => {
          this.observer?.step(input, effects);
          this.survived = crashes.survives(COORDINATOR, effects.length);
          this.performed = 0;
          if (this.survived === 0) this.crash();
        },
        performed: (effect) => {
          this.note(effect);
          if (++this.performed === this.survived) this.crash();
        },
      },
    };
  }

  private note(effect: CoordinatorEffect): void {
    const { transcript, queue, onRow } = this.ports;
    if (effect.type === 'send') transcript.message('sent', queue.now, COORDINATOR, effect.to, effect.message);
    if (effect.type === 'refusal') transcript.note(queue.now, COORDINATOR, effect.message);
    if (effect.type === 'row') onRow(effect.row);
  }
}
