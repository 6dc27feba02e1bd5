/**
 * What several listeners are sent of one subject. While there is a listener it is looked at again and again; what has changed is serialised once,
 * and everybody is sent what it has not been sent yet. Looking takes a bounded share of the time, however large the subject is.
 */
import type { HostClock } from '../../host/ports.ts';
import { EventStream, eventFrame, HEARTBEAT } from './event-stream.ts';
import type { ServerLimits } from './limits.ts';

const TICK_MS = 100;
/** At most one part in so many of the time is spent on a feed. */
const SHARE = 20;

export interface FeedPorts {
  readonly limits: Pick<ServerLimits, 'unreadBytes' | 'unreadMs' | 'heartbeatMs'>;
  readonly clock: HostClock;
  /** A listener that does not read. */
  onTooSlow(): void;
  /** What it shows cannot be read: its listeners are sent away, and come again. */
  onFailure(error: Error): void;
}

export interface Listener {
  readonly stream: EventStream;
  /** Whether it may still listen: asked now and then. */
  readonly isAllowed: () => boolean;
  /** Cuts its connection. */
  readonly cutOff: () => void;
  /** Versions of what it was sent last, by event. */
  readonly sent: Map<string, number>;
  heartbeatMs: number;
}

export type NewListener = Pick<Listener, 'isAllowed' | 'cutOff'>;

export abstract class Feed<L extends Listener = Listener> {
  protected readonly listeners = new Set<L>();
  protected readonly ports: FeedPorts;
  private timer: NodeJS.Timeout | undefined;
  private isLooking = false;

  constructor(ports: FeedPorts) {
    this.ports = ports;
  }

  get size(): number {
    return this.listeners.size;
  }

  /** Notices what is new. False: there is nothing more to come. */
  protected abstract look(): Promise<boolean>;

  /** Sends what it lacks, as long as it is ready. */
  protected abstract bring(listener: L): Promise<void>;

  protected add({ isAllowed, cutOff }: NewListener, of: (listener: Listener) => L): EventStream {
    const { limits, clock } = this.ports;
    const stream = new EventStream({ unreadBytes: limits.unreadBytes, now: clock.now });
    const listener = of({ stream, isAllowed, cutOff, sent: new Map(), heartbeatMs: clock.now() });
    this.listeners.add(listener);
    stream.once('close', () => this.listeners.delete(listener));
    // A connection that breaks is no failure of ours.
    stream.on('error', () => {});
    if (!this.timer && !this.isLooking) this.lookAfter(0);
    return stream;
  }

  /** Everybody is sent what is left to be read, and the end. */
  end(last?: Buffer): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const { stream } of this.listeners) {
      if (last) stream.send(last);
      stream.end();
    }
    this.listeners.clear();
  }

  private lookAfter(ms: number): void {
    this.timer = setTimeout(() => void this.tick(), ms).unref();
  }

  private async tick(): Promise<void> {
    this.timer = undefined;
    this.isLooking = true;
    const started = this.ports.clock.now();
    try {
      if (this.listeners.size > 0 && (await this.look())) {
        for (const listener of [...this.listeners]) await this.attend(listener);
      }
    } catch (error) {
      this.ports.onFailure(error as Error);
      this.end();
    } finally {
      this.isLooking = false;
    }
    const took = this.ports.clock.now() - started;
    if (this.listeners.size > 0) this.lookAfter(Math.max(TICK_MS, SHARE * took));
  }

  private async attend(listener: L): Promise<void> {
    const { limits, clock, onTooSlow } = this.ports;
    const { stream } = listener;
    const now = clock.now();
    if (now - (stream.unreadSinceMs ?? now) > limits.unreadMs) {
      onTooSlow();
      this.listeners.delete(listener);
      listener.cutOff();
      return;
    }
    if (now - listener.heartbeatMs >= limits.heartbeatMs) {
      listener.heartbeatMs = now;
      if (!listener.isAllowed()) {
        stream.end();
        this.listeners.delete(listener);
        return;
      }
      if (stream.isReady) stream.send(HEARTBEAT);
    }
    if (stream.isReady) await this.bring(listener);
  }
}

/** The newest of an event that replaces all earlier ones. */
export class Newest {
  private readonly event: string;
  private version = 0;
  private json = '';
  private frame: Buffer | undefined;

  constructor(event: string) {
    this.event = event;
  }

  /** `always`: what is sent with it, and is no change by itself. */
  update(value: object, always: object = {}): void {
    const json = JSON.stringify(value);
    if (json === this.json) return;
    this.json = json;
    this.version++;
    this.frame = eventFrame(this.event, JSON.stringify({ ...value, ...always }));
  }

  bring({ stream, sent }: Listener): void {
    if (!this.frame || !stream.isReady || sent.get(this.event) === this.version) return;
    sent.set(this.event, this.version);
    stream.send(this.frame);
  }
}
