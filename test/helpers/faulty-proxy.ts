/**
 * A real TCP proxy between participants and the coordinator that does what bad networks do: it delays, it is slow, it loses and
 * doubles whole WebSocket messages, it goes silent without closing, it resets. Bytes keep their order, as TCP keeps it.
 */
import type { AddressInfo } from 'node:net';
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { type Stream, stream } from '../../src/base/random.ts';
import { FrameCutter, isData, type Piece } from './frame-cutter.ts';

export interface Faults {
  /** On the way, each direction. */
  readonly delayMs?: number;
  readonly jitterMs?: number;
  readonly bytesPerSecond?: number;
  /** Shares of WebSocket messages. */
  readonly drop?: number;
  readonly duplicate?: number;
  /** From then on nothing gets through, and nobody is told. */
  readonly silentAfterMs?: number;
  readonly resetAfterMs?: number;
}

/** What has been done to whom. */
export interface Deeds {
  dropped: number;
  doubled: number;
  silenced: number;
  reset: number;
}

/** What a line holds on its way; more waits at the sender's. */
const MOST_ON_THE_WAY = 64 * 1024;

export class FaultyProxy {
  /** Of the connections that come from now on. */
  faults: Faults | ((connection: number, random: Stream) => Faults) = {};
  connections = 0;
  readonly deeds: Deeds = { dropped: 0, doubled: 0, silenced: 0, reset: 0 };
  /** Sees everything as it comes in: whole WebSocket frames, and HTTP in pieces. */
  onPiece: ((connection: number, from: 'client' | 'server', piece: Piece) => void) | undefined;
  private readonly server: Server;
  private readonly open = new Set<Socket>();
  private readonly random: Stream;

  private constructor(targetPort: number, seed: number) {
    this.random = stream(seed, 'faulty proxy');
    // A client may close its half and still listen.
    const options = { noDelay: true, allowHalfOpen: true };
    this.server = createServer(options, (client) => this.forward(client, targetPort));
  }

  static async start(targetPort: number, seed = 1): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(targetPort, seed);
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Cuts everybody off. */
  resetAll(): void {
    for (const socket of this.open) socket.resetAndDestroy();
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.resetAll();
    await closed;
  }

  private forward(client: Socket, port: number): void {
    const { random, deeds } = this;
    const number = this.connections++;
    const faults = typeof this.faults === 'function' ? this.faults(number, random) : this.faults;
    const server = dial({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    const line: Line = { isSilent: false };
    const timers = [
      after(faults.silentAfterMs, () => {
        line.isSilent = true;
        deeds.silenced++;
      }),
      after(faults.resetAfterMs, () => {
        deeds.reset++;
        for (const socket of [client, server]) socket.resetAndDestroy();
      }),
    ];
    for (const [from, to, name] of [
      [client, server, 'client'],
      [server, client, 'server'],
    ] as const) {
      this.open.add(from);
      const lane = new Lane({ from, to, faults, random, line, deeds });
      from.on('data', (data) => {
        for (const piece of lane.frames.cut(data)) {
          this.onPiece?.(number, name, piece);
          lane.take(piece);
        }
      });
      // A network that is silent does not tell that somebody has gone.
      from.on('end', () => lane.end());
      from.on('error', () => {});
      from.on('close', (wasError) => {
        this.open.delete(from);
        if (line.isSilent) return;
        for (const timer of timers) clearTimeout(timer);
        if (wasError) to.resetAndDestroy();
        else lane.end();
      });
    }
  }
}

function after(ms: number | undefined, act: () => void): NodeJS.Timeout | undefined {
  return ms === undefined ? undefined : setTimeout(act, ms);
}

interface Line {
  isSilent: boolean;
}

interface LaneParts {
  readonly from: Socket;
  readonly to: Socket;
  readonly faults: Faults;
  readonly random: Stream;
  readonly line: Line;
  readonly deeds: Deeds;
}

/** One direction of one connection. */
class Lane {
  readonly frames = new FrameCutter();
  private readonly parts: LaneParts;
  /** When the last byte so far arrives: order is kept, and the line is as fast as it is. */
  private freeMs = 0;
  private onTheWay = 0;

  constructor(parts: LaneParts) {
    this.parts = parts;
  }

  take({ bytes, isFrame }: Piece): void {
    const { faults, random, deeds } = this.parts;
    const { drop = 0, duplicate = 0 } = faults;
    // Only data: a lost or doubled ping or close is not what happens to messages.
    const isMessage = isFrame && isData(bytes);
    if (isMessage && random.uniform() < drop) {
      deeds.dropped++;
      return;
    }
    this.carry(bytes);
    if (!isMessage || random.uniform() >= duplicate) return;
    deeds.doubled++;
    this.carry(bytes);
  }

  end(): void {
    const { line, to } = this.parts;
    this.later(() => !line.isSilent && to.writable && to.end());
  }

  private carry(bytes: Buffer): void {
    const { faults, line, from, to } = this.parts;
    const { bytesPerSecond = Number.POSITIVE_INFINITY } = faults;
    this.freeMs = Math.max(this.freeMs, performance.now()) + (1000 * bytes.length) / bytesPerSecond;
    this.onTheWay += bytes.length;
    if (this.onTheWay > MOST_ON_THE_WAY) from.pause();
    this.later(() => {
      this.onTheWay -= bytes.length;
      if (this.onTheWay <= MOST_ON_THE_WAY) from.resume();
      if (!line.isSilent && to.writable) to.write(bytes);
    });
  }

  private later(act: () => void): void {
    const { delayMs = 0, jitterMs = 0 } = this.parts.faults;
    const now = performance.now();
    const atMs = Math.max(this.freeMs, now + delayMs + this.parts.random.uniform() * jitterMs);
    this.freeMs = atMs;
    if (atMs <= now) act();
    else setTimeout(act, atMs - now);
  }
}
