/**
 * A tree of coordinators with very many participants in one process: real machines, real frames, stores in memory, and no network. What is
 * measured is how the work of the root and of the shards grows, not how fast a machine can move bytes.
 */
import { parseOptions } from '../../coordinator/options.ts';
import { FederationHost } from '../../host/federation-host.ts';
import { MemoryStore } from '../../host/memory-store.ts';
import type { Transport } from '../../host/ports.ts';
import { Arena } from '../../math/arena.ts';
import { shardName, shardOf } from '../../nats/subjects.ts';
import { decodeFrom } from '../../protocol/codec.ts';
import { systemClock } from '../clock.ts';
import { entropyStream, nodePrimitives } from '../crypto.ts';
import { LoadParticipant, SharedDecoding } from './load-participant.ts';

export interface LoadTreeOptions {
  readonly participants: number;
  readonly shards: number;
  readonly features: number;
}

export class LoadTree {
  /** Rounds that have been opened by the root. */
  round = 0;
  /** Milliseconds of processor time spent in the root and in all shards, and bytes that the root has received and sent. */
  readonly spent = { rootMs: 0, shardsMs: 0, rootBytes: 0 };
  private readonly root: FederationHost;
  private readonly branches: FederationHost[];
  private readonly participants: LoadParticipant[];
  private readonly byId = new Map<string, LoadParticipant>();
  private readonly tasks: (() => void)[] = [];

  constructor({ participants, shards, features }: LoadTreeOptions) {
    const options = parseOptions('load', {
      ...{
        minParticipants: participants,
        passes: 2,
        stop: { gap: 0, rounds: 1_000_000_000 },
        maxWaitMs: null,
      },
    });
    const record = { name: 'load', id: 'load', createdMs: 0, options, shards };
    const ports = { clock: systemClock, primitives: nodePrimitives(), noiseOf: entropyStream };
    const toShards: Transport = {
      send: (to, frame, kind) => {
        this.spent.rootBytes += frame.length;
        if (kind === 'round') this.round = Math.max(this.round, this.root.state.round);
        const shard = Number(to.split('-')[1]);
        this.later(() =>
          this.inShards(() => this.branches[shard].receiveFromAbove(decodeFrom('coordinator', frame))),
        );
      },
    };
    this.root = new FederationHost(
      record,
      undefined,
      { ...ports, store: new MemoryStore(), transport: toShards },
      { below: 'groups' },
    );
    const toParticipants: Transport = {
      send: (to, frame) =>
        this.later(() =>
          this.byId.get(to)?.receive(Buffer.from(frame.buffer, frame.byteOffset, frame.length)),
        ),
    };
    this.branches = Array.from({ length: shards }, (_, shard) => {
      const name = shardName(shard);
      const above = {
        send: (frame: Uint8Array) => {
          this.spent.rootBytes += frame.length;
          this.later(() => this.inRoot(() => this.root.receive(name, decodeFrom('participant', frame))));
        },
      };
      return new FederationHost(
        record,
        undefined,
        { ...ports, store: new MemoryStore(), transport: toParticipants, above },
        { below: 'participants', above: { name, epoch: 1 } },
      );
    });
    const load = {
      arena: new Arena(),
      decoding: new SharedDecoding(),
      features,
      now: () => performance.now(),
      onRound: () => {},
      solvingMs: () => 0,
    };
    this.participants = Array.from(
      { length: participants },
      (_, k) => new LoadParticipant(`p${k + 1}`, load),
    );
    for (const one of this.participants) this.connect(one, shards);
  }

  /** Everybody joins, the first time; comes back when so many rounds have been opened. */
  async run(rounds: number): Promise<void> {
    if (this.round === 0) {
      this.root.start();
      for (const branch of this.branches) branch.start();
      for (const one of this.participants) one.start();
    }
    while (this.round < rounds) {
      if (this.tasks.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      for (const task of this.tasks.splice(0)) task();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async close(): Promise<void> {
    for (const one of this.participants) one.close();
    await Promise.all([this.root, ...this.branches].map((host) => host.stop()));
  }

  private connect(one: LoadParticipant, shards: number): void {
    const branch = this.branches[shardOf(one.id, shards)];
    this.byId.set(one.id, one);
    one.attach((frame) =>
      this.later(() => this.inShards(() => branch.receive(one.id, decodeFrom('participant', frame)))),
    );
  }

  private later(task: () => void): void {
    this.tasks.push(task);
  }

  private inRoot(act: () => void): void {
    this.spent.rootMs += cpuMs(act);
  }

  private inShards(act: () => void): void {
    this.spent.shardsMs += cpuMs(act);
  }
}

/** Of this process: on a machine that has other things to do the clock would count those, too. */
function cpuMs(act: () => void): number {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
