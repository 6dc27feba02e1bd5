/** A participant's connection, once it is known whose it is: frames in, frames out, and what happens to those who misbehave. */
import type { WebSocket } from 'ws';
import { decodeFrom, encode } from '../../protocol/codec.ts';
import { CLOSE } from '../../protocol/joining.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { Join, RejectCode, ToCoordinator, ToParticipant } from '../../protocol/messages.ts';
import { ProtocolError } from '../../protocol/protocol-error.ts';
import { plainBytes } from '../files/files.ts';
import type { ServerLimits } from './limits.ts';
import type { TurnedAway } from './meters.ts';
import { TokenBucket } from './token-bucket.ts';

/** How long a goodbye may take: whoever does not answer it is not waited for. */
const GOODBYE_MS = 2000;

export interface ConnectionWorld {
  readonly limits: ServerLimits;
  readonly frameLimits: Limits;
  /** How many columns everybody has; undefined: nobody has told. */
  readonly columns: number | undefined;
  readonly now: () => number;
  onMessage(message: ToCoordinator): void;
  onRejected(code: RejectCode): void;
  onTurnedAway(why: TurnedAway): void;
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
    socket.on('ping', () => this.mayGoOn());
    socket.on('pong', () => this.mayGoOn());
    socket.on('error', () => this.onMalformed());
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
    this.terminateSoon();
  }

  /** Asked every few seconds. */
  look(now: number): void {
    const { limits, onTurnedAway } = this.world;
    if (this.socket.readyState !== this.socket.OPEN) return;
    if (now - this.heardMs > limits.silentMs) {
      onTurnedAway('SILENT');
      this.socket.terminate();
    } else if (this.unreadSinceMs !== undefined && now - this.unreadSinceMs > limits.unreadMs) {
      onTurnedAway('TOO_SLOW');
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
    if (!this.mayGoOn()) return;
    this.world.onTraffic('in', data.length);
    const message = this.read(data, isBinary);
    if (message) this.world.onMessage(message);
  }

  /** Too large, in too many pieces, not WebSocket at all: ws says goodbye with the right code. */
  private onMalformed(): void {
    this.world.onRejected('BAD_FRAME');
    this.terminateSoon();
  }

  /** Pings count, too: ws answers them, and the answers would pile up for whoever asks on and on and never reads. */
  private mayGoOn(): boolean {
    const { world, socket } = this;
    // Replaced, revoked, turned out: what it still says is not heard.
    if (socket.readyState !== socket.OPEN) return false;
    const now = world.now();
    this.heardMs = now;
    if (this.bucket.take(now)) return true;
    this.reject('RATE_LIMITED', `more than ${world.limits.framesPerSecond} frames per second`);
    this.close(CLOSE.rateLimited, 'too many frames');
    return false;
  }

  private terminateSoon(): void {
    setTimeout(() => this.socket.terminate(), GOODBYE_MS).unref();
  }

  private read(data: Buffer, isBinary: boolean): ToCoordinator | undefined {
    try {
      if (!isBinary) throw new ProtocolError('BAD_FRAME', 'frame: expected a binary message, got text');
      const message = decodeFrom('participant', plainBytes(data), this.world.frameLimits);
      if (message.kind === 'join') this.checkJoin(message);
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

  /** What it says of itself must be what it has proved or told at the door. */
  private checkJoin({ id, features }: Join): void {
    const { columns = features } = this.world;
    if (id !== this.participant) {
      const sentence = `join: expected the id "${this.participant}" that the connection was made for`;
      throw new ProtocolError('WRONG_IDENTITY', sentence);
    }
    if (features !== columns)
      throw new ProtocolError('WRONG_FEATURES', `join: expected ${columns} features, got ${features}`);
  }

  private reject(code: RejectCode, message: string): void {
    this.world.onRejected(code);
    this.send(encode({ kind: 'reject', code, session: 0, message }, 'f64'), 'reject');
  }
}
