/** A participant's connection, once it is known whose it is: frames in, frames out, and what happens to those who misbehave. */
import type { WebSocket } from 'ws';
import {
  CLOSE,
  decodeFrom,
  encode,
  type Limits,
  ProtocolError,
  type RejectCode,
  type ToCoordinator,
  type ToParticipant,
} from '../../protocol/index.ts';
import { plainBytes } from '../files.ts';
import type { ServerLimits } from './limits.ts';
import { TokenBucket } from './token-bucket.ts';

export interface ConnectionWorld {
  readonly limits: ServerLimits;
  readonly frameLimits: Limits;
  readonly now: () => number;
  onMessage(message: ToCoordinator): void;
  onRejected(code: RejectCode): void;
  onTraffic(direction: 'in' | 'out', bytes: number): void;
  onClose(connection: Connection): void;
}

export class Connection {
  readonly participant: string;
  private readonly socket: WebSocket;
  private readonly world: ConnectionWorld;
  private readonly bucket: TokenBucket;
  private bad = 0;
  private heardMs: number;
  /** Since when there has been more to read than it should take. */
  private unreadSinceMs: number | undefined;
  /** Held back for a slow reader, the newest of each kind: what an older one said, it says again or makes obsolete. */
  private readonly held = new Map<ToParticipant['kind'], Uint8Array>();

  constructor(socket: WebSocket, participant: string, world: ConnectionWorld) {
    this.socket = socket;
    this.participant = participant;
    this.world = world;
    const { framesPerSecond, frameBurst } = world.limits;
    this.heardMs = world.now();
    this.bucket = new TokenBucket(framesPerSecond, frameBurst, this.heardMs);
    socket.on('message', (data, isBinary) => this.onFrame(data as Buffer, isBinary));
    socket.on('pong', () => {
      this.heardMs = world.now();
    });
    // Too large, malformed: ws closes it with the right code.
    socket.on('error', () => world.onRejected('BAD_FRAME'));
    socket.on('close', () => world.onClose(this));
  }

  /** May hold it back or lose it: any message may be lost on a network, and the machines are made for that. */
  send(frame: Uint8Array, kind: ToParticipant['kind']): void {
    const { socket, world } = this;
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > world.limits.unreadBytes) {
      this.unreadSinceMs ??= world.now();
      this.held.delete(kind);
      this.held.set(kind, frame);
      return;
    }
    world.onTraffic('out', frame.length);
    socket.send(frame, this.afterWrite);
  }

  close(code: number, reason: string): void {
    this.socket.close(code, reason);
    // Whoever does not answer a goodbye is not waited for.
    setTimeout(() => this.socket.terminate(), 2000).unref();
  }

  /** Asked every few seconds. */
  look(now: number): void {
    const { silentMs, unreadMs } = this.world.limits;
    if (now - this.heardMs > silentMs) this.socket.terminate();
    else if (this.unreadSinceMs !== undefined && now - this.unreadSinceMs > unreadMs) {
      this.close(CLOSE.tooSlow, 'what it was sent was not read');
    } else this.socket.ping();
  }

  private readonly afterWrite = () => {
    if (this.socket.bufferedAmount > this.world.limits.unreadBytes) return;
    this.unreadSinceMs = undefined;
    for (const [kind, frame] of this.held) {
      this.held.delete(kind);
      this.send(frame, kind);
      if (this.held.has(kind)) return;
    }
  };

  /** Everything that it was sent has left this process, or never will. */
  get isDrained(): boolean {
    const { socket } = this;
    return socket.readyState !== socket.OPEN || (socket.bufferedAmount === 0 && this.held.size === 0);
  }

  private onFrame(data: Buffer, isBinary: boolean): void {
    const { world, socket } = this;
    // Replaced, revoked, turned out: what it still says is not heard.
    if (socket.readyState !== socket.OPEN) return;
    const now = world.now();
    this.heardMs = now;
    world.onTraffic('in', data.length);
    if (!this.bucket.take(now)) {
      this.reject('RATE_LIMITED', `more than ${world.limits.framesPerSecond} frames per second`);
      this.close(CLOSE.rateLimited, 'too many frames');
      return;
    }
    const message = this.read(data, isBinary);
    if (message) world.onMessage(message);
  }

  private read(data: Buffer, isBinary: boolean): ToCoordinator | undefined {
    try {
      if (!isBinary) throw new ProtocolError('BAD_FRAME', 'frame: expected a binary message, got text');
      const message = decodeFrom('participant', plainBytes(data), this.world.frameLimits);
      if (message.kind === 'join' && message.id !== this.participant) {
        const sentence = `join: expected the id "${this.participant}" that the connection was made for`;
        throw new ProtocolError('WRONG_IDENTITY', sentence);
      }
      this.bad = 0;
      return message;
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.reject(error.code, error.message);
      this.bad++;
      if (this.bad >= this.world.limits.badFrames)
        this.close(CLOSE.badFrames, 'too many frames that are none');
      return undefined;
    }
  }

  private reject(code: RejectCode, message: string): void {
    this.world.onRejected(code);
    this.send(encode({ kind: 'reject', code, session: 0, message }, 'f64'), 'reject');
  }
}
