/** The least that a round over NATS can be: so many frames one way, counted by another process, and one frame back. No machines. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { NatsConnection } from '@nats-io/transport-node';
import { connectNats } from '../../nats/connection.ts';
import { threadFile } from '../threads/threads.ts';
import { Openings } from './load-participant.ts';

const UP = 'kindred.floor.up';
const DOWN = 'kindred.floor.down';

export class NatsFloor {
  readonly openings = new Openings();
  private readonly child: ChildProcess;
  private readonly connection: NatsConnection;
  private readonly frames: number;
  private readonly frame: Uint8Array;

  private constructor(child: ChildProcess, connection: NatsConnection, frames: number, bytes: number) {
    this.child = child;
    this.connection = connection;
    this.frames = frames;
    this.frame = new Uint8Array(bytes);
    connection.subscribe(DOWN, { callback: () => this.next() });
  }

  static async start(url: string, frames: number, bytes: number): Promise<NatsFloor> {
    const child = fork(fileURLToPath(threadFile('load/nats-floor-server')), [url, `${frames}`]);
    await once(child, 'message');
    const connection = await connectNats({ servers: [url], name: 'floor' });
    await connection.flush();
    return new NatsFloor(child, connection, frames, bytes);
  }

  open(): void {
    for (let k = 0; k < this.frames; k++) this.connection.publish(UP, this.frame);
  }

  async stop(): Promise<void> {
    await this.connection.close();
    if (this.child.exitCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill();
    await ended;
  }

  private next(): void {
    this.openings.opened(this.openings.round + 1);
    this.open();
  }
}

/** The other side, in a process of its own. */
export async function countFrames(url: string, frames: number): Promise<void> {
  const connection = await connectNats({ servers: [url], name: 'floor server' });
  let arrived = 0;
  connection.subscribe(UP, {
    callback: (_, { data }) => {
      arrived++;
      if (arrived % frames === 0) connection.publish(DOWN, data);
    },
  });
  await connection.flush();
}
