/**
 * The way from a page to a server: fetch and WebSocket. Browsers hide the pings of WebSocket, so signs of life are empty messages, which
 * the server sends back.
 */
import { TryAgain } from '../client/admission.ts';
import type { Endpoint } from '../client/endpoint.ts';
import type { Channel, ChannelEvents, Reply, Transport } from '../client/ports.ts';
import { SUBPROTOCOL, TICKET_PREFIX } from '../protocol/joining.ts';
import type { TrafficMeter } from './traffic.ts';

export interface Heartbeat {
  readonly pingMs: number;
  /** So many pings without anything received: the other side is gone. Counted, not timed: a page that was asleep has missed nothing. */
  readonly unanswered: number;
}

/** The version of the package: a page has no package.json to read it from. */
export const AGENT = 'kindred 0.1.0 browser';

export const DEFAULT_HEARTBEAT: Heartbeat = { pingMs: 15_000, unanswered: 2 };

export function webTransport(endpoint: Endpoint, meter: TrafficMeter, heartbeat: Heartbeat): Transport {
  return {
    label: endpoint.label,
    origin: endpoint.challenge.origin,
    agent: AGENT,
    request: (step, body, signal) => request(endpoint, step, body, signal, meter),
    connect: (ticket, events) => new SocketChannel(endpoint, ticket, events, meter, heartbeat),
  };
}

const SILENCE_MS = 15_000;

async function request(
  endpoint: Endpoint,
  step: 'challenge' | 'session',
  body: unknown,
  signal: AbortSignal,
  meter: TrafficMeter,
): Promise<Reply> {
  const text = JSON.stringify(body);
  meter.sent(step, new TextEncoder().encode(text).length);
  try {
    const response = await fetch(endpoint[step], {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: text,
      // Nothing of this origin's own goes along: participants prove themselves by signature.
      credentials: 'omit',
      cache: 'no-store',
      signal: AbortSignal.any([signal, AbortSignal.timeout(SILENCE_MS)]),
    });
    const bytes = await response.arrayBuffer();
    meter.received(bytes.byteLength);
    return { status: response.status, body: parsed(bytes) };
  } catch (error) {
    // Browsers tell scripts no more: an untrusted certificate looks like a server that is not there.
    throw new TryAgain('NETWORK', `${endpoint.label}: ${(error as Error).message}`);
  }
}

function parsed(bytes: ArrayBuffer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

const HANDSHAKE_MS = 15_000;
/** Above this nothing more is queued: whatever is dropped is retransmitted. */
const MOST_BUFFERED_BYTES = 1024 * 1024;
/** How long a goodbye may take. */
const CLOSING_MS = 1000;
const WATCH_MS = 1000;
const PING = new Uint8Array(0);

class SocketChannel implements Channel {
  private readonly socket: WebSocket;
  private readonly meter: TrafficMeter;
  private readonly heartbeat: Heartbeat;
  private events: ChannelEvents | undefined;
  private timer: ReturnType<typeof setTimeout>;
  private unanswered = 0;
  private beatenMs = 0;
  private wasOnline = navigator.onLine;

  constructor(
    endpoint: Endpoint,
    ticket: string,
    events: ChannelEvents,
    meter: TrafficMeter,
    heartbeat: Heartbeat,
  ) {
    this.events = events;
    this.meter = meter;
    this.heartbeat = heartbeat;
    this.socket = new WebSocket(endpoint.connect, [SUBPROTOCOL, TICKET_PREFIX + ticket]);
    this.socket.binaryType = 'arraybuffer';
    this.timer = setTimeout(() => this.socket.close(), HANDSHAKE_MS);
    this.listen(endpoint.label);
  }

  send(frame: Uint8Array): boolean {
    const { socket, meter } = this;
    if (socket.readyState !== WebSocket.OPEN || socket.bufferedAmount > MOST_BUFFERED_BYTES) return false;
    socket.send(frame as Uint8Array<ArrayBuffer>);
    meter.sentFrame(frame);
    return true;
  }

  drop(): void {
    this.abandon();
    this.socket.close();
  }

  async close(): Promise<void> {
    this.abandon();
    const { socket } = this;
    if (socket.readyState === WebSocket.CLOSED) return;
    await new Promise<void>((resolve) => {
      const late = setTimeout(resolve, CLOSING_MS);
      socket.onclose = () => {
        clearTimeout(late);
        resolve();
      };
      socket.close(1000);
    });
  }

  private listen(label: string): void {
    const { socket } = this;
    let hasOpened = false;
    socket.onopen = () => {
      hasOpened = true;
      clearTimeout(this.timer);
      this.beatenMs = performance.now();
      this.timer = setInterval(() => this.watch(), Math.min(WATCH_MS, this.heartbeat.pingMs));
      this.events?.opened();
    };
    socket.onmessage = ({ data }: MessageEvent<ArrayBuffer | string>) => {
      this.unanswered = 0;
      if (typeof data === 'string') return;
      this.meter.received(data.byteLength);
      if (data.byteLength > 0) this.events?.frame(new Uint8Array(data));
    };
    socket.onclose = ({ code, reason }) => {
      const { events } = this;
      this.abandon();
      if (hasOpened) events?.closed(code, reason.slice(0, 200));
      // Scripts do not learn why; admission, which comes first, says so.
      else events?.failed(new TryAgain('NETWORK', `${label}: the connection was not accepted`));
    };
  }

  /**
   * The browser knows that the device is offline before any time-out does. Workers get no event of it in Chromium, so it is asked for. Only the
   * change counts: a server on this very machine can be reached all the same.
   */
  private watch(): void {
    if (this.wasOnline && !navigator.onLine) {
      this.giveUp('this device is offline');
      return;
    }
    this.wasOnline = navigator.onLine;
    const now = performance.now();
    if (now - this.beatenMs < this.heartbeat.pingMs) return;
    this.beatenMs = now;
    this.beat();
  }

  private beat(): void {
    if (this.unanswered >= this.heartbeat.unanswered) {
      this.giveUp('the server does not respond');
      return;
    }
    this.unanswered++;
    this.send(PING);
  }

  private giveUp(why: string): void {
    const { events } = this;
    this.drop();
    events?.closed(1006, why);
  }

  /** Whatever still comes from this socket is ignored. */
  private abandon(): void {
    this.events = undefined;
    clearTimeout(this.timer);
  }
}
