/**
 * Server-sent events to one listener. What it does not read in time is not sent to it: whoever writes asks `isReady` first, and sends
 * the newest instead of everything once the reader has caught up.
 */
import { Readable } from 'node:stream';

interface EventStreamOptions {
  /** Bytes that may wait for the reader before it counts as slow. */
  readonly unreadBytes: number;
  readonly now: () => number;
}

export class EventStream extends Readable {
  /** Since when there has been more to read than should wait; undefined: the reader keeps up. */
  unreadSinceMs: number | undefined;
  private readonly now: () => number;

  constructor({ unreadBytes, now }: EventStreamOptions) {
    super({ highWaterMark: unreadBytes });
    this.now = now;
  }

  override _read(): void {
    this.unreadSinceMs = undefined;
  }

  get isReady(): boolean {
    return this.unreadSinceMs === undefined && !this.destroyed && !this.readableEnded;
  }

  send(frame: Buffer): void {
    if (this.destroyed || this.readableEnded) return;
    if (!this.push(frame)) this.unreadSinceMs ??= this.now();
  }

  /** After what has been sent. */
  end(): void {
    if (!this.destroyed) this.push(null);
  }
}

/** `json` has no line breaks: JSON.stringify writes none. */
export function eventFrame(event: string, json: string, id?: number): Buffer {
  const head = id === undefined ? '' : `id: ${id}\n`;
  return Buffer.from(`${head}event: ${event}\ndata: ${json}\n\n`);
}

/** A comment: it shows both sides that the connection works. */
export const HEARTBEAT = Buffer.from(': \n\n');
