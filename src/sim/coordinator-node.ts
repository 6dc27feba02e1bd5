/** The simulated coordinator: the very host that runs as a service, on a virtual clock and network and a disk in memory, and crashes. */
import { stream } from '../base/random.ts';
import type { CoordinatorEffect, CoordinatorInput } from '../coordinator/effects.ts';
import type { CoordinatorOptions } from '../coordinator/options.ts';
import type { Place } from '../coordinator/place.ts';
import type { RoundRow } from '../coordinator/round-row.ts';
import type { CoordinatorState } from '../coordinator/state.ts';
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
  toMember(to: string, frame: Uint8Array): void;
  /** Of a branch: to its parent. */
  toParent?(frame: Uint8Array): void;
  onRow(row: RoundRow): void;
}

/** Alone, at the root of a tree, or a branch of it. */
type Role = { readonly name: string } & Pick<Place, 'below'>;

const GREETING_MS = 200;

export const COORDINATOR = 'coordinator';

export class CoordinatorNode {
  badFrames = 0;
  readonly transport: Transport = {
    send: (to, frame) =>
      this.ports.network.carry('down', to, frame, (bytes) => this.ports.toMember(to, bytes)),
  };
  readonly role: Role;
  /** Of a branch: counts its starts. */
  private epoch = 0;
  /** What a crash leaves. */
  private store = new MemoryStore();
  private readonly options: CoordinatorOptions;
  private readonly ports: CoordinatorPorts;
  private readonly observer: MachineObserver | undefined;
  /** Undefined while it is down. */
  private host: FederationHost | undefined;
  /** Who has sent something since it was restored. */
  private readonly heard = new Set<string>();
  /** How many effects of the present step are carried out before it crashes, and how many have been. */
  private survived = 0;
  private performed = 0;

  constructor(
    options: CoordinatorOptions,
    ports: CoordinatorPorts,
    role: Role = { name: COORDINATOR, below: 'participants' },
  ) {
    this.options = options;
    this.ports = ports;
    this.role = role;
    this.observer = ports.observerOf?.(role.name);
  }

  get state(): CoordinatorState | undefined {
    return this.host?.state;
  }

  get disk(): { readonly run: StoredRun | undefined; readonly members: ReadonlyMap<string, StoredMember> } {
    const { run, members = [] } = this.store.loadRun(this.role.name) ?? {};
    return { run, members: new Map(members.map((member) => [member.id, member])) };
  }

  start(): void {
    if (this.host) return;
    this.host = this.open();
    this.host.start();
  }

  open(): FederationHost {
    const { name, below } = this.role;
    const record = { name, id: name, createdMs: 0, options: this.options };
    const above = this.ports.toParent && { name, epoch: ++this.epoch };
    return new FederationHost(record, this.store.loadRun(name), this.hostPorts(), { below, above });
  }

  crash(): void {
    this.ports.transcript.note(this.ports.queue.now, this.role.name, CRASHES);
    void this.host?.stop();
    this.host = undefined;
  }

  /** What the disk has now, for `restore`. */
  backup(): MemoryStore {
    return this.store.copy();
  }

  /** It crashes, and comes back with what the disk had then. */
  restore(backup: MemoryStore): void {
    this.crash();
    this.store = backup.copy();
    this.heard.clear();
    this.start();
  }

  /** From now on: whoever stays connected, and has sent nothing since a restore or is no member, is asked to join. */
  greet(connected: readonly string[]): void {
    const { queue } = this.ports;
    for (const id of connected)
      if (!this.heard.has(id) || !this.state?.members.has(id)) this.host?.present(id);
    queue.at(queue.now + GREETING_MS, () => this.greet(connected));
  }

  receive(from: string, frame: Uint8Array): void {
    this.decoded(() => {
      const message = decodeFrom('participant', frame, DEFAULT_LIMITS);
      this.ports.transcript.message('delivered', this.ports.queue.now, from, this.role.name, message);
      this.heard.add(from);
      this.host!.receive(from, message);
    });
  }

  /** From the parent of a branch. */
  receiveFromAbove(frame: Uint8Array): void {
    this.decoded(() => {
      const message = decodeFrom('coordinator', frame, DEFAULT_LIMITS);
      this.ports.transcript.message('delivered', this.ports.queue.now, COORDINATOR, this.role.name, message);
      this.host!.receiveFromAbove(message);
    });
  }

  private decoded(act: () => void): void {
    if (!this.host) return;
    try {
      act();
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.badFrames++;
    }
  }

  take(input: CoordinatorInput): void {
    this.host?.take(input);
  }

  private hostPorts(): HostPorts {
    const { queue, primitives, crashes, toParent, network } = this.ports;
    const { name } = this.role;
    return {
      above: toParent && { send: (frame) => network.carry('up', name, frame, toParent) },
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
          this.survived = crashes.survives(name, effects.length);
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
    const { name } = this.role;
    if (effect.type === 'send') transcript.message('sent', queue.now, name, effect.to, effect.message);
    if (effect.type === 'up') transcript.message('sent', queue.now, name, COORDINATOR, effect.message);
    if (effect.type === 'refusal') transcript.note(queue.now, name, effect.message);
    if (effect.type === 'row') onRow(effect.row);
  }
}
