/**
 * A participant for load tests: the real machine on a few rows of noise, with a real key and a real connection, but without a
 * thread, a disk or a clock of its own, so that one process can be thousands of them.
 */
import { type ClientOptions, WebSocket } from 'ws';
import { stream } from '../../base/random.ts';
import { ParticipantLoop } from '../../client/participant-loop.ts';
import { RowWork } from '../../client/row-work.ts';
import type { Arena } from '../../math/arena.ts';
import { toEnd } from '../../participant/solve.ts';
import { NOTHING_STORED } from '../../participant/state.ts';
import { decodeFrom, encode } from '../../protocol/codec.ts';
import { SUBPROTOCOL, TICKET_PREFIX } from '../../protocol/joining.ts';
import type { ToParticipant } from '../../protocol/messages.ts';
import { plainBytes } from '../files/files.ts';

/** One of each class: what is measured is the coordinator, not how long participants solve. */
const ROWS = 2;
/** As of other participants. */
const RETRY_MS = 2000;

/** What the participants of a process share. */
interface LoadPorts {
  readonly arena: Arena;
  readonly decoding: SharedDecoding;
  readonly features: number;
  readonly now: () => number;
  onRound(participant: LoadParticipant, round: number): void;
  /** How long it pretends to solve, in milliseconds; absent: it answers at once. */
  solvingMs?(participant: LoadParticipant): number;
}

export class LoadParticipant {
  readonly id: string;
  bytesIn = 0;
  bytesOut = 0;
  private readonly ports: LoadPorts;
  private readonly loop: ParticipantLoop;
  private readonly work: RowWork;
  private socket: WebSocket | undefined;
  private solving: NodeJS.Timeout | undefined;
  private sendElsewhere: ((frame: Uint8Array) => void) | undefined;
  private timer: { readonly atMs: number; run(): void } | undefined;

  constructor(id: string, ports: LoadPorts) {
    this.id = id;
    this.ports = ports;
    const { features, arena, now } = ports;
    const random = stream(1, 'load', 0, id);
    const x = Float64Array.from({ length: ROWS * features }, () => random.normal());
    const rows = { x, n: ROWS, d: features, slowdown: 1 };
    this.work = new RowWork(rows, now, () => stream(1, 'load mask'), arena);
    const { moments } = this.work;
    const targets = { labels: ['-1', '1'], positive: undefined, values: { mean: 0, m2: ROWS } };
    const profile = { id, rows: ROWS, features, benchmarkMs: 1, moments, targets, retryMs: RETRY_MS };
    this.loop = new ParticipantLoop({ profile, stored: NOTHING_STORED }, this.loopPorts());
  }

  /** Resolves when it is connected. */
  connect(url: string, ticket: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url, [SUBPROTOCOL, TICKET_PREFIX + ticket], CLIENT_OPTIONS);
      this.socket = socket;
      socket.on('open', resolve);
      socket.on('error', reject);
      socket.on('message', (data: Buffer) => this.receive(data));
    });
  }

  /** Instead of a connection: what it sends goes there, and `receive` takes what it is sent. */
  attach(send: (frame: Uint8Array) => void): void {
    this.sendElsewhere = send;
  }

  start(): void {
    this.loop.take({ type: 'start' });
  }

  /** Runs its timer, if it is time. */
  checkTimer(now: number): void {
    const { timer } = this;
    if (!timer || now < timer.atMs) return;
    this.timer = undefined;
    timer.run();
  }

  close(): void {
    clearTimeout(this.solving);
    this.loop.stop();
    this.socket?.terminate();
    this.work.release();
  }

  receive(data: Buffer): void {
    this.bytesIn += data.length;
    const message = this.ports.decoding.of(data);
    if (message.kind === 'round') this.ports.onRound(this, message.round);
    this.loop.take({ type: 'message', message });
  }

  private loopPorts(): ConstructorParameters<typeof ParticipantLoop>[1] {
    const { now } = this.ports;
    const y = Float64Array.from({ length: ROWS }, (_, i) => (i % 2 === 0 ? 1 : -1));
    return {
      clock: {
        now,
        at: (atMs, run) => {
          this.timer = { atMs, run };
          return () => {
            this.timer = undefined;
          };
        },
      },
      store: { save: () => {} },
      solver: {
        prepare: (settings, scaling) => {
          const cap = this.work.prepare(settings, scaling, y);
          this.loop.take({ type: 'prepared', problem: { y, cap, settings } });
        },
        solve: (request) => {
          const untilMs = now() + request.budgetMs;
          const limits = { untilMs, isStopped: () => false, isDropped: () => false };
          const result = toEnd(this.work.solve(request, limits))!;
          const pauseMs = this.ports.solvingMs?.(this) ?? 0;
          if (pauseMs > 0)
            this.solving = setTimeout(() => this.loop.take({ type: 'solved', result }), pauseMs);
          else this.loop.take({ type: 'solved', result });
        },
        cancel: () => clearTimeout(this.solving),
        interrupt: () => {},
      },
      send: (message, precision) => {
        const frame = encode(message, precision);
        this.bytesOut += frame.length;
        if (this.sendElsewhere) this.sendElsewhere(frame);
        else this.socket?.send(frame);
      },
      failed: (error) => {
        throw error;
      },
    };
  }
}

/** How load tests connect: as participants do, whose frames are masked as the WebSocket protocol demands. */
export const CLIENT_OPTIONS: ClientOptions = { perMessageDeflate: false };

/** When rounds open, as the first of many participants receives them. */
export interface Opening {
  readonly round: number;
  readonly atMs: number;
}

export class Openings {
  /** Newest round. */
  round = 0;
  private readonly listeners: ((opening: Opening) => void)[] = [];

  next(): Promise<Opening> {
    return new Promise((resolve) => this.listeners.push(resolve));
  }

  opened(round: number): void {
    this.round = round;
    if (this.listeners.length === 0) return;
    const opening = { round, atMs: performance.now() };
    for (const notify of this.listeners.splice(0)) notify(opening);
  }
}

/**
 * Messages of the coordinator to many participants of one process. On machines of their own each would decode what it is sent; here
 * they share two cores with the server, and a frame that is the same, byte by byte, as the one before it is decoded once.
 */
export class SharedDecoding {
  private last: { readonly frame: Buffer; readonly message: ToParticipant } | undefined;

  /** Not to be changed: it may be that of another participant, too. */
  of(frame: Buffer): ToParticipant {
    if (!this.last?.frame.equals(frame)) {
      // A copy: what ws hands out is a part of a larger buffer, which would be kept alive.
      this.last = { frame: Buffer.from(frame), message: decodeFrom('coordinator', plainBytes(frame)) };
    }
    return this.last.message;
  }
}
