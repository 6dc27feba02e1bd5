/**
 * Keeps strangers from using up what participants need: connections, in all and by address, and time. A stranger is a
 * connection that has not proved who it is; there may be so many of them, and when one more comes the oldest has to go. An
 * honest one needs only milliseconds, so it gets in even while others hold connections open and send nothing.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { addressOwner, isLoopback } from './addresses.ts';
import type { ServerLimits } from './limits.ts';
import type { TurnedAway } from './meters.ts';

const CHECK_MS = 1000;

interface Stranger {
  /** When it last sent a valid request, or read some of the answer. */
  sinceMs: number;
  /** Requests that are being answered. */
  busy: number;
  /** Bytes that have left for it. */
  taken: number;
}

interface GuardOptions {
  readonly now: () => number;
  /** Whether connections are by TLS. */
  readonly encrypted: boolean;
  onTurnedAway(why: TurnedAway): void;
}

export class Guard {
  private readonly limits: ServerLimits;
  private readonly now: () => number;
  private readonly onTurnedAway: (why: TurnedAway) => void;
  private readonly byAddress = new Map<string, number>();
  /** Oldest first. */
  private readonly strangers = new Map<Socket, Stranger>();
  private readonly checking: NodeJS.Timeout;
  private open = 0;

  constructor(server: Server, limits: ServerLimits, { now, encrypted, onTurnedAway }: GuardOptions) {
    this.limits = limits;
    this.now = now;
    this.onTurnedAway = onTurnedAway;
    server.on('connection', (socket: Socket) => this.count(socket));
    // Under TLS requests come on another socket than the one of the transport.
    server.on(encrypted ? 'secureConnection' : 'connection', (socket: Socket) => this.watch(socket));
    server.on('request', (request: IncomingMessage, response: ServerResponse) =>
      this.onRequest(request.socket, response),
    );
    this.checking = setInterval(() => this.check(), CHECK_MS).unref();
  }

  /** It is no stranger any more. */
  trust(socket: Socket): void {
    this.strangers.delete(socket);
  }

  get connections(): number {
    return this.open;
  }

  get strangerCount(): number {
    return this.strangers.size;
  }

  stop(): void {
    clearInterval(this.checking);
  }

  private count(socket: Socket): void {
    const address = addressOwner(socket.remoteAddress ?? '');
    const { connections, connectionsPerAddress } = this.limits;
    const others = this.byAddress.get(address) ?? 0;
    const crowded = others >= connectionsPerAddress && !isLoopback(socket.remoteAddress ?? '');
    if (crowded || this.open >= connections) {
      this.turnAway(socket, crowded ? 'CONNECTIONS_OF_ADDRESS' : 'CONNECTIONS');
      return;
    }
    this.open++;
    this.byAddress.set(address, others + 1);
    socket.once('close', () => {
      this.open--;
      const left = this.byAddress.get(address)! - 1;
      if (left > 0) this.byAddress.set(address, left);
      else this.byAddress.delete(address);
    });
  }

  private watch(socket: Socket): void {
    if (socket.destroyed) return;
    this.strangers.set(socket, { sinceMs: this.now(), busy: 0, taken: 0 });
    socket.once('close', () => this.strangers.delete(socket));
    if (this.strangers.size <= this.limits.strangers) return;
    const [oldest] = this.strangers.keys();
    this.turnAway(oldest, 'STRANGERS');
  }

  private onRequest(socket: Socket, response: ServerResponse): void {
    const stranger = this.strangers.get(socket);
    if (!stranger) return;
    stranger.busy++;
    stranger.sinceMs = this.now();
    response.once('close', () => {
      stranger.busy--;
      stranger.sinceMs = this.now();
    });
  }

  private check(): void {
    const { strangerMs, unreadMs } = this.limits;
    const now = this.now();
    for (const [socket, stranger] of this.strangers) {
      const taken = socket.bytesWritten - socket.writableLength;
      if (taken > stranger.taken) stranger.sinceMs = now;
      stranger.taken = taken;
      const isReading = stranger.busy > 0;
      if (now - stranger.sinceMs <= (isReading ? unreadMs : strangerMs)) continue;
      this.turnAway(socket, isReading ? 'TOO_SLOW' : 'STRANGER_TOO_LONG');
    }
  }

  private turnAway(socket: Socket, why: TurnedAway): void {
    this.strangers.delete(socket);
    socket.destroy();
    this.onTurnedAway(why);
  }
}
