/** Step 3 of joining: one WebSocket, from its opening to its end, that notices when the other side has died. */
import WebSocket, { type RawData } from 'ws';
import { SUBPROTOCOL, TICKET_PREFIX } from '../../protocol/joining.ts';
import { DEFAULT_LIMITS } from '../../protocol/limits.ts';
import { readAnswer, type TlsOptions } from '../admin/post-json.ts';
import { plainBytes } from '../files/files.ts';
import type { Endpoint } from './endpoint.ts';
import { networkError, refusalOfUpgrade } from './refusals.ts';

export interface SocketEvents {
  opened(): void;
  frame(bytes: Uint8Array): void;
  /** It never opened. */
  failed(error: Error): void;
  closed(code: number, reason: string): void;
}

export interface Heartbeat {
  readonly pingMs: number;
  /** Nothing heard for so long: dead. */
  readonly silenceMs: number;
}

const HANDSHAKE_MS = 15_000;
/** Above this nothing more is queued: whatever is dropped will be said again. */
const MOST_BUFFERED_BYTES = 1024 * 1024;
/** How long a goodbye may take. */
const CLOSING_MS = 1000;

export class Socket {
  private readonly socket: WebSocket;
  private readonly heartbeat: Heartbeat;
  private heardMs = performance.now();
  private pings: NodeJS.Timeout | undefined;
  private events: SocketEvents | undefined;

  constructor(
    endpoint: Endpoint,
    ticket: string,
    tls: TlsOptions,
    heartbeat: Heartbeat,
    events: SocketEvents,
  ) {
    this.heartbeat = heartbeat;
    this.events = events;
    this.socket = new WebSocket(endpoint.connect, [SUBPROTOCOL, TICKET_PREFIX + ticket], {
      ...(endpoint.isSecure && tls),
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: DEFAULT_LIMITS.maxFrameBytes,
      perMessageDeflate: false,
    });
    this.listen(endpoint.label);
  }

  /** False: it was dropped. */
  send(frame: Uint8Array): boolean {
    const { socket } = this;
    if (socket.readyState !== WebSocket.OPEN || socket.bufferedAmount > MOST_BUFFERED_BYTES) return false;
    socket.send(frame);
    return true;
  }

  /** At once, and told to nobody on the other side. */
  drop(reason: string): void {
    const { events } = this;
    this.abandon();
    this.socket.terminate();
    events?.closed(1006, reason);
  }

  /** With a goodbye; no event comes of it. */
  async close(): Promise<void> {
    this.abandon();
    const { socket } = this;
    if (socket.readyState === WebSocket.CLOSED) return;
    await new Promise<void>((resolve) => {
      const late = setTimeout(() => socket.terminate(), CLOSING_MS);
      socket.once('close', () => {
        clearTimeout(late);
        resolve();
      });
      socket.close(1000);
    });
  }

  private listen(label: string): void {
    const { socket } = this;
    socket.on('open', () => {
      this.heard();
      this.pings = setInterval(() => this.beat(), this.heartbeat.pingMs);
      this.events?.opened();
    });
    socket.on('message', (data: RawData, isBinary: boolean) => {
      this.heard();
      if (isBinary) this.events?.frame(plainBytes(data as Buffer));
    });
    socket.on('ping', () => this.heard());
    socket.on('pong', () => this.heard());
    socket.on('unexpected-response', (_request, response) => {
      void readAnswer(response).then(
        (answer) => this.fail(refusalOfUpgrade(label, answer)),
        (error: unknown) => this.fail(networkError(label, error)),
      );
    });
    socket.on('error', (error) => this.fail(networkError(label, error)));
    socket.on('close', (code, reason) => {
      const { events } = this;
      this.abandon();
      events?.closed(code, reason.toString().slice(0, 200));
    });
  }

  private fail(error: Error): void {
    const { events, socket } = this;
    // Errors of an open connection are followed by its close, which says all that matters.
    if (!events || socket.readyState === WebSocket.OPEN) return;
    this.abandon();
    socket.terminate();
    events.failed(error);
  }

  private beat(): void {
    const isSilent = performance.now() - this.heardMs > this.heartbeat.silenceMs;
    if (isSilent) this.drop('the server has fallen silent');
    else this.socket.ping();
  }

  private heard(): void {
    this.heardMs = performance.now();
  }

  /** Whatever still comes from this socket means nothing any more. */
  private abandon(): void {
    this.events = undefined;
    clearInterval(this.pings);
  }
}
