/**
 * A tree of coordinators with very many participants in one process: real machines, real frames, stores in memory, and no network. What is
 * measured is how the work of the root, of branches and of shards grows, not how fast a machine can move bytes. Nothing is ever lost here, so
 * nothing is retransmitted: that one process takes long for everybody's work is no reason to do it twice.
 */
import { parseOptions } from '../../coordinator/options.ts';
import { FederationHost } from '../../host/federation-host.ts';
import { MemoryStore } from '../../host/memory-store.ts';
import type { HostClock, Transport } from '../../host/ports.ts';
import { Arena } from '../../math/arena.ts';
import { nodeName, nodesIn, parentOf, type Shape } from '../../nats/shape.ts';
import { shardOf } from '../../nats/subjects.ts';
import { decodeFrom } from '../../protocol/codec.ts';
import { systemClock } from '../clock.ts';
import { entropyStream, nodePrimitives } from '../crypto.ts';
import { CpuMeter } from './cpu-meter.ts';
import { LoadParticipant, SharedDecoding } from './load-participant.ts';

export interface LoadTreeOptions {
  readonly participants: number;
  readonly shards: number;
  /** Absent: all shards are below the root. */
  readonly fanIn?: number | undefined;
  readonly features: number;
}

type Level = 'root' | 'branches' | 'shards';

/** Milliseconds of processor time of the root, of all branches and of all shards; bytes that the root has received and sent. */
export interface Spent {
  readonly rootMs: number;
  readonly branchesMs: number;
  readonly shardsMs: number;
  readonly rootBytes: number;
}

/** Longer than any run. */
const NO_RETRY_MS = 86_400_000;

export class LoadTree {
  /** Rounds that have been opened by the root. */
  round = 0;
  private readonly shape: Shape;
  private readonly root: FederationHost;
  /** Shards, then branches. */
  private readonly nodes: FederationHost[];
  private readonly participants: LoadParticipant[];
  private readonly byId = new Map<string, LoadParticipant>();
  private readonly meter = new CpuMeter<Level>();
  private rootBytes = 0;
  private tasks: (() => void)[] = [];

  constructor({ participants, shards, fanIn, features }: LoadTreeOptions) {
    this.shape = { shards, fanIn };
    const options = parseOptions('load', {
      ...{ minParticipants: participants, passes: 2, stop: { gap: 0, rounds: 1_000_000_000 } },
      ...{ maxWaitMs: null, retryMs: NO_RETRY_MS },
    });
    const record = { name: 'load', id: 'load', createdMs: 0, options, shards, fanIn };
    this.root = new FederationHost(record, undefined, this.portsOf(undefined), { below: 'groups' });
    this.nodes = Array.from({ length: nodesIn(this.shape) }, (_, node) => {
      const above = { name: nodeName(node, this.shape), epoch: 1 };
      const below = node < shards ? 'participants' : 'groups';
      return new FederationHost(record, undefined, this.portsOf(node), { below, above });
    });
    const load = {
      ...{ arena: new Arena(), decoding: new SharedDecoding(), features },
      ...{ now: () => performance.now(), onRound: () => {}, solvingMs: () => 0 },
    };
    this.participants = Array.from(
      { length: participants },
      (_, k) => new LoadParticipant(`p${k + 1}`, load),
    );
    for (const one of this.participants) this.connect(one);
  }

  get spent(): Spent {
    const [rootMs, branchesMs, shardsMs] = (['root', 'branches', 'shards'] as const).map((level) =>
      this.meter.of(level),
    );
    return { rootMs, branchesMs, shardsMs, rootBytes: this.rootBytes };
  }

  /** Of all participants so far, both ways. */
  get participantBytes(): number {
    return this.participants.reduce((sum, { bytesIn, bytesOut }) => sum + bytesIn + bytesOut, 0);
  }

  /** Everybody joins, the first time; comes back when so many rounds have been opened. */
  async run(rounds: number): Promise<void> {
    if (this.round === 0) {
      for (const host of [this.root, ...this.nodes]) host.start();
      for (const one of this.participants) one.start();
    }
    while (this.round < rounds) {
      this.meter.charge(undefined);
      if (this.tasks.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      const tasks = this.tasks;
      this.tasks = [];
      for (const task of tasks) task();
      this.meter.charge(undefined);
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.meter.charge(undefined);
  }

  async close(): Promise<void> {
    for (const one of this.participants) one.close();
    await Promise.all([this.root, ...this.nodes].map((host) => host.stop()));
  }

  /** Undefined: of the root. */
  private portsOf(node: number | undefined) {
    const level = this.levelOf(node);
    return {
      ...{ primitives: nodePrimitives(), noiseOf: entropyStream, store: new MemoryStore() },
      clock: this.clockOf(level),
      transport: level === 'shards' ? this.toParticipants() : this.toNodes(level),
      ...(node !== undefined && { above: { send: (frame: Uint8Array) => this.up(node, frame) } }),
    };
  }

  private levelOf(node: number | undefined): Level {
    if (node === undefined) return 'root';
    return node < this.shape.shards ? 'shards' : 'branches';
  }

  /** A round is closed by a timer: that is work of its coordinator, too. */
  private clockOf(level: Level): HostClock {
    return {
      ...systemClock,
      at: (atMs, run) =>
        systemClock.at(atMs, () => {
          this.meter.charge(level);
          run();
          this.meter.charge(undefined);
        }),
    };
  }

  private toNodes(from: Level): Transport {
    return {
      send: (to, frame, kind) => {
        if (from === 'root') this.rootBytes += frame.length;
        if (from === 'root' && kind === 'round') this.round = Math.max(this.round, this.root.state.round);
        const node = Number(to.split('-')[1]);
        this.later(this.levelOf(node), () =>
          this.nodes[node].receiveFromAbove(decodeFrom('coordinator', frame)),
        );
      },
    };
  }

  private toParticipants(): Transport {
    return {
      send: (to, frame) =>
        this.later(undefined, () =>
          this.byId.get(to)?.receive(Buffer.from(frame.buffer, frame.byteOffset, frame.length)),
        ),
    };
  }

  private up(node: number, frame: Uint8Array): void {
    const parent = parentOf(node, this.shape);
    if (parent === undefined) this.rootBytes += frame.length;
    const host = parent === undefined ? this.root : this.nodes[parent];
    this.later(this.levelOf(parent), () =>
      host.receive(nodeName(node, this.shape), decodeFrom('participant', frame)),
    );
  }

  private connect(one: LoadParticipant): void {
    const shard = this.nodes[shardOf(one.id, this.shape.shards)];
    this.byId.set(one.id, one);
    one.attach((frame) =>
      this.later('shards', () => shard.receive(one.id, decodeFrom('participant', frame))),
    );
  }

  /** Undefined: work of participants, which is not measured. */
  private later(level: Level | undefined, task: () => void): void {
    this.tasks.push(() => {
      this.meter.charge(level);
      task();
    });
  }
}
