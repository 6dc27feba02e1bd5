/**
 * The way from a shard's host to its participants. What one step of the machine sends is collected until the event loop turns: a frame that
 * goes to many is published once for each gateway, with the numbers of the connections that it is for.
 */
import type { Transport } from '../host/ports.ts';
import type { Bus } from './bus.ts';
import { DOWN_BYTES, encodeDown, ID_BYTES } from './envelope.ts';
import type { Routes } from './routes.ts';
import type { Subjects } from './subjects.ts';

interface ShardTransportOptions {
  readonly bus: Bus;
  readonly subjects: Subjects;
  /** Its id. */
  readonly federation: string;
  readonly routes: Routes;
}

export class ShardTransport implements Transport {
  /** Frames and how many they were for. */
  readonly counts = { frames: 0, recipients: 0, unreachable: 0 };
  private readonly options: ShardTransportOptions;
  /** By gateway and frame: the connections. Frames that are the same are the same object. */
  private waiting = new Map<string, Map<Uint8Array, number[]>>();
  private isDue = false;
  private isStopped = false;

  constructor(options: ShardTransportOptions) {
    this.options = options;
  }

  send(to: string, frame: Uint8Array): void {
    const route = this.options.routes.of(to);
    if (!route) {
      this.counts.unreachable++;
      return;
    }
    const { gateway, connection } = route;
    const frames = this.waiting.get(gateway) ?? new Map<Uint8Array, number[]>();
    this.waiting.set(gateway, frames);
    const recipients = frames.get(frame);
    if (recipients) recipients.push(connection);
    else frames.set(frame, [connection]);
    if (this.isDue) return;
    this.isDue = true;
    setImmediate(() => this.flush());
  }

  /** Nothing more is sent, not even what waits. */
  stop(): void {
    this.isStopped = true;
    this.waiting.clear();
  }

  private flush(): void {
    this.isDue = false;
    if (this.isStopped) return;
    const { waiting } = this;
    this.waiting = new Map();
    for (const [gateway, frames] of waiting)
      for (const [frame, recipients] of frames) this.publish(gateway, frame, recipients);
  }

  private publish(gateway: string, frame: Uint8Array, recipients: readonly number[]): void {
    const { bus, subjects, federation } = this.options;
    const subject = subjects.down(federation, gateway);
    const most = Math.max(1, Math.floor((bus.maxPayload - DOWN_BYTES - frame.length) / ID_BYTES));
    for (let at = 0; at < recipients.length; at += most) {
      const connections = recipients.slice(at, at + most);
      this.counts.frames++;
      this.counts.recipients += connections.length;
      bus.publish(subject, encodeDown({ type: 'frame', connections, frame }));
    }
  }
}
