/** A participant's connection, once it is known whose it is: frames in, frames out, and what happens to those who misbehave. */
import type { WebSocket } from 'ws';
import { decodeFrom, encode } from '../../protocol/codec.ts';
import type { RejectCode } from '../../protocol/codes.ts';
import { CLOSE } from '../../protocol/joining.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { Join, ToCoordinator, ToParticipant } from '../../protocol/messages.ts';
import { ProtocolError } from '../../protocol/protocol-error.ts';
import { plainBytes } from '../files/files.ts';
import type { ServerLimits } from './limits.ts';
import type { TurnedAway } from './meters.ts';

/** How long a closing handshake may take. */
const CLOSE_MS = 2000;

interface ConnectionPorts {
  readonly limits: ServerLimits;
  readonly frameLimits: Limits;
  /** How many columns everybody has; undefined: nobody has sent the names. */
  readonly columns: number | undefined;
  readonly now: () => number;
  /** `frame`: what it was read from. */
  onMessage(message: ToCoordinator, frame: Uint8Array): void;
  onRejected(code: RejectCode): void;
  onTurnedAway(why: TurnedAway): void;
  onTraffic(direction: 'in' | 'out', bytes: number): void;
  onClose(connection: Connection): void;
}

export class Connection {
  readonly participant: string;
  /** When something last came from it. */
  receivedMs: number;
  private readonly socket: WebSocket;
  private readonly ports: ConnectionPorts;
  /** A token for each frame: a rate that may be exceeded for a while. */
  private tokens: number;
  private bad = 0;
  /** Since when there has been more to read than it should take. */
  private unreadSinceMs: number | undefined;
  /** Held back for a slow reader, the newest of each kind: it repeats or replaces an older one. */
  private readonly held = new Map<ToParticipant['kind'], Uint8Array>();

  constructor(socket: WebSocket, participant: string, ports: ConnectionPorts) {
    this.socket = socket;
    this.participant = participant;
    this.ports = ports;
    this.receivedMs = ports.now();
    this.tokens = ports.limits.frameBurst;
    socket.on('message', (data, isBinary) => this.onFrame(data as Buffer, isBinary));
    socket.on('ping', () => this.mayGoOn());
    socket.on('pong', () => this.mayGoOn());
    // Too large, in too many pieces, not WebSocket at all: ws closes with the right code.
    socket.on('error', () => {
      ports.onRejected('BAD_FRAME');
      this.terminateSoon();
    });
    socket.on('close', () => ports.onClose(this));
  }

  /** May hold it back or lose it: any message may be lost on a network, and the machines are made for that. */
  send(frame: Uint8Array, kind: ToParticipant['kind']): void {
    const { socket, ports } = this;
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > ports.limits.unreadBytes) {
      this.unreadSinceMs ??= ports.now();
      this.held.delete(kind);
      this.held.set(kind, frame);
      return;
    }
    ports.onTraffic('out', frame.length);
    socket.send(frame, this.afterWrite);
  }

  close(code: number, reason: string): void {
    this.socket.close(code, reason);
    this.terminateSoon();
  }

  /** Called every few seconds. */
  check(now: number): void {
    const { limits, onTurnedAway } = this.ports;
    if (this.socket.readyState !== this.socket.OPEN) return;
    if (now - this.receivedMs > limits.silentMs) {
      onTurnedAway('SILENT');
      this.socket.terminate();
    } else if (this.unreadSinceMs !== undefined && now - this.unreadSinceMs > limits.unreadMs) {
      onTurnedAway('TOO_SLOW');
      this.close(CLOSE.tooSlow, 'frames were not read in time');
    } else this.socket.ping();
  }

  private readonly afterWrite = () => {
    if (this.socket.bufferedAmount > this.ports.limits.unreadBytes) return;
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
    // The ping of a browser, which has no other. Whoever does not read gets no replies.
    if (isBinary && data.length === 0) {
      if (this.socket.bufferedAmount <= this.ports.limits.unreadBytes) this.socket.send(data);
      return;
    }
    this.ports.onTraffic('in', data.length);
    const message = this.read(data, isBinary);
    if (message) this.ports.onMessage(message, data);
  }

  /** Pings count, too: ws answers them, and the answers would pile up for whoever pings on and on and never reads. */
  private mayGoOn(): boolean {
    const { ports, socket } = this;
    // Replaced, revoked or closed: what it still sends is ignored.
    if (socket.readyState !== socket.OPEN) return false;
    const { framesPerSecond, frameBurst } = ports.limits;
    const now = ports.now();
    this.tokens = Math.min(frameBurst, this.tokens + ((now - this.receivedMs) * framesPerSecond) / 1000) - 1;
    this.receivedMs = now;
    if (this.tokens >= 0) return true;
    this.reject('RATE_LIMITED', `more than ${framesPerSecond} frames per second`);
    this.close(CLOSE.rateLimited, 'too many frames');
    return false;
  }

  private terminateSoon(): void {
    setTimeout(() => this.socket.terminate(), CLOSE_MS).unref();
  }

  private read(data: Buffer, isBinary: boolean): ToCoordinator | undefined {
    try {
      if (!isBinary) throw new ProtocolError('BAD_FRAME', 'frame: expected a binary message, got text');
      const message = decodeFrom('participant', plainBytes(data), this.ports.frameLimits);
      if (message.kind === 'join') this.checkJoin(message);
      if (message.kind === 'enlist' || message.kind === 'partial')
        throw new ProtocolError('BAD_FRAME', `${message.kind}: a participant may not send this message`);
      this.bad = 0;
      return message;
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.reject(error.code, error.message);
      this.bad++;
      if (this.bad >= this.ports.limits.badFrames) this.close(CLOSE.badFrames, 'too many invalid frames');
      return undefined;
    }
  }

  /** A join must match what was proved and sent for admission. */
  private checkJoin({ id, features }: Join): void {
    const { columns = features } = this.ports;
    if (id !== this.participant) {
      const sentence = `join: expected the id "${this.participant}" of this connection`;
      throw new ProtocolError('WRONG_IDENTITY', sentence);
    }
    if (features !== columns)
      throw new ProtocolError('WRONG_FEATURES', `join: expected ${columns} features, got ${features}`);
  }

  private reject(code: RejectCode, message: string): void {
    this.ports.onRejected(code);
    this.send(encode({ kind: 'reject', code, session: 0, message }, 'f64'), 'reject');
  }
}
