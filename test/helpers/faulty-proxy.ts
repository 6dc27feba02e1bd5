/**
 * A real TCP proxy between participants and the coordinator that does what bad networks do: it delays, it is slow, it loses and
 * doubles whole WebSocket frames, it goes silent without closing, it resets.
 */

import type { AddressInfo } from 'node:net';
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { type Stream, stream } from '../../src/base/random.ts';

export interface Faults {
  /** On the way, each direction. */
  readonly delayMs?: number;
  readonly jitterMs?: number;
  readonly bytesPerSecond?: number;
  /** Shares of WebSocket frames. */
  readonly drop?: number;
  readonly duplicate?: number;
  /** From then on nothing gets through, and nobody is told. */
  readonly silentAfterMs?: number;
  readonly resetAfterMs?: number;
}

export class FaultyProxy {
  /** Of the connections that come from now on. */
  faults: Faults | ((connection: number) => Faults) = {};
  connections = 0;
  private readonly server: Server;
  private readonly open = new Set<Socket>();
  private readonly random: Stream;

  private constructor(targetPort: number, seed: number) {
    this.random = stream(seed, 'faulty proxy');
    this.server = createServer({ noDelay: true }, (client) => this.forward(client, targetPort));
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
    this.resetAll();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private forward(client: Socket, port: number): void {
    const number = this.connections++;
    const faults = typeof this.faults === 'function' ? this.faults(number) : this.faults;
    const server = dial({ port, host: '127.0.0.1', noDelay: true });
    const state = { silent: false };
    const timers = [
      faults.silentAfterMs !== undefined &&
        setTimeout(() => {
          state.silent = true;
        }, faults.silentAfterMs),
      faults.resetAfterMs !== undefined && setTimeout(() => client.resetAndDestroy(), faults.resetAfterMs),
    ];
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.open.add(from);
      const lane = new Lane(to, faults, this.random, state);
      from.on('data', (data) => lane.take(data));
      // A network that is silent does not tell that somebody has gone.
      from.on('end', () => !state.silent && lane.end());
      from.on('error', () => {});
      from.on('close', () => {
        this.open.delete(from);
        if (state.silent) return;
        for (const timer of timers) if (timer) clearTimeout(timer);
        lane.end();
      });
    }
  }
}

/** One direction of one connection. */
class Lane {
  private readonly to: Socket;
  private readonly faults: Faults;
  private readonly random: Stream;
  private readonly state: { silent: boolean };
  private readonly frames = new FrameCutter();
  /** When the last byte so far arrives: order is kept, and the line is as fast as it is. */
  private freeMs = 0;

  constructor(to: Socket, faults: Faults, random: Stream, state: { silent: boolean }) {
    this.to = to;
    this.faults = faults;
    this.random = random;
    this.state = state;
  }

  take(data: Buffer): void {
    const { drop = 0, duplicate = 0 } = this.faults;
    for (const { bytes, isFrame } of this.frames.cut(data)) {
      if (isFrame && this.random.uniform() < drop) continue;
      this.carry(bytes);
      if (isFrame && this.random.uniform() < duplicate) this.carry(bytes);
    }
  }

  end(): void {
    this.later(() => this.to.end());
  }

  private carry(bytes: Buffer): void {
    const { bytesPerSecond = Number.POSITIVE_INFINITY } = this.faults;
    this.freeMs = Math.max(this.freeMs, performance.now()) + (1000 * bytes.length) / bytesPerSecond;
    this.later(() => {
      if (!this.state.silent && this.to.writable) this.to.write(bytes);
    });
  }

  private later(act: () => void): void {
    const { delayMs = 0, jitterMs = 0 } = this.faults;
    const now = performance.now();
    const atMs = Math.max(this.freeMs, now + delayMs + this.random.uniform() * jitterMs);
    this.freeMs = atMs;
    if (atMs <= now) act();
    else setTimeout(act, atMs - now);
  }
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** Cuts a stream into HTTP heads and bodies as they come and, after an upgrade, into whole WebSocket data frames. */
class FrameCutter {
  private upgraded = false;
  private rest = Buffer.alloc(0);

  cut(data: Buffer): { bytes: Buffer; isFrame: boolean }[] {
    this.rest = Buffer.concat([this.rest, data]);
    const pieces: { bytes: Buffer; isFrame: boolean }[] = [];
    if (!this.upgraded) {
      const head = this.rest.indexOf(HEAD_END);
      const isUpgrade = /\r\nupgrade: *websocket/i.test(
        this.rest.subarray(0, Math.max(0, head)).toString('latin1'),
      );
      const end = head >= 0 && isUpgrade ? head + HEAD_END.length : this.rest.length;
      pieces.push({ bytes: this.rest.subarray(0, end), isFrame: false });
      this.rest = this.rest.subarray(end);
      this.upgraded = isUpgrade;
      if (!this.upgraded) return pieces;
    }
    for (let size = frameSize(this.rest); size > 0 && size <= this.rest.length; size = frameSize(this.rest)) {
      const bytes = this.rest.subarray(0, size);
      // Only data: a lost or doubled ping or close is not what is tested here.
      pieces.push({ bytes, isFrame: (bytes[0] & 0x0f) <= 2 });
      this.rest = this.rest.subarray(size);
    }
    return pieces;
  }
}

/** Of the WebSocket frame at the start; 0: not all of its head is there. */
function frameSize(bytes: Buffer): number {
  if (bytes.length < 2) return 0;
  const mask = bytes[1] & 0x80 ? 4 : 0;
  const short = bytes[1] & 0x7f;
  if (short < 126) return 2 + mask + short;
  if (short === 126) return bytes.length < 4 ? 0 : 4 + mask + bytes.readUInt16BE(2);
  return bytes.length < 10 ? 0 : 10 + mask + Number(bytes.readBigUInt64BE(2));
}
