/** The way to a server over HTTP and WebSocket. A channel notices when the other side has died. */
import type { createConnection as dial } from 'node:net';
import WebSocket, { type RawData } from 'ws';
import { inputError, KindredError } from '../../base/errors.ts';
import { refusalOfUpgrade, TryAgain } from '../../client/admission.ts';
import type { Endpoint } from '../../client/endpoint.ts';
import type { Channel, ChannelEvents, Transport } from '../../client/ports.ts';
import { SUBPROTOCOL, TICKET_PREFIX } from '../../protocol/joining.ts';
import { DEFAULT_LIMITS } from '../../protocol/limits.ts';
import { postJson, readAnswer, type TlsOptions } from '../admin/post-json.ts';
import { plainBytes } from '../files/files.ts';
import { packageVersion } from '../package-version.ts';
import type { HttpProxy } from '../proxy/proxy-choice.ts';
import { createConnectionThrough } from '../proxy/tunnel.ts';

export interface Heartbeat {
  readonly pingMs: number;
  /** Nothing received for so long: dead. */
  readonly silenceMs: number;
}

export const DEFAULT_HEARTBEAT: Heartbeat = { pingMs: 15_000, silenceMs: 30_000 };

/** How to get there. */
export interface Way {
  readonly tls?: TlsOptions | undefined;
  readonly proxy?: HttpProxy | undefined;
}

const AGENT = `kindred ${packageVersion()} node`;

export function webTransport(
  endpoint: Endpoint,
  way: Way = {},
  heartbeat: Heartbeat = DEFAULT_HEARTBEAT,
): Transport {
  const { label } = endpoint;
  return {
    label,
    origin: endpoint.challenge.origin,
    agent: AGENT,
    request: (step, body, signal) =>
      postJson(endpoint[step], body, { ...way, signal }).catch((error: unknown) => {
        throw networkError(label, error);
      }),
    connect: (ticket, events) => new Socket(endpoint, ticket, way, heartbeat, events),
  };
}

const HANDSHAKE_MS = 15_000;
/** Above this nothing more is queued: whatever is dropped is retransmitted. */
const MOST_BUFFERED_BYTES = 1024 * 1024;
/** How long a goodbye may take. */
const CLOSING_MS = 1000;

class Socket implements Channel {
  private readonly socket: WebSocket;
  private readonly heartbeat: Heartbeat;
  private receivedMs = performance.now();
  private pings: NodeJS.Timeout | undefined;
  private events: ChannelEvents | undefined;
  private readonly dialling = new AbortController();

  constructor(
    endpoint: Endpoint,
    ticket: string,
    { tls, proxy }: Way,
    heartbeat: Heartbeat,
    events: ChannelEvents,
  ) {
    this.heartbeat = heartbeat;
    this.events = events;
    const { connect: url } = endpoint;
    const { signal } = this.dialling;
    this.socket = new WebSocket(url, [SUBPROTOCOL, TICKET_PREFIX + ticket], {
      ...(endpoint.isSecure && tls),
      // ws hands it on to node:http as it is; its types know another form only.
      ...(proxy && {
        createConnection: createConnectionThrough({ url, proxy, tls, signal }) as unknown as typeof dial,
      }),
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: DEFAULT_LIMITS.maxFrameBytes,
      perMessageDeflate: false,
    });
    this.listen(endpoint.label);
  }

  send(frame: Uint8Array): boolean {
    const { socket } = this;
    if (socket.readyState !== WebSocket.OPEN || socket.bufferedAmount > MOST_BUFFERED_BYTES) return false;
    socket.send(frame);
    return true;
  }

  drop(): void {
    this.abandon();
    this.socket.terminate();
  }

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
      this.noteReceived();
      this.pings = setInterval(() => this.beat(), this.heartbeat.pingMs);
      this.events?.opened();
    });
    socket.on('message', (data: RawData, isBinary: boolean) => {
      this.noteReceived();
      if (isBinary) this.events?.frame(plainBytes(data as Buffer));
    });
    socket.on('ping', () => this.noteReceived());
    socket.on('pong', () => this.noteReceived());
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
    // Errors of an open connection are followed by its close, which reports all that matters.
    if (!events || socket.readyState === WebSocket.OPEN) return;
    this.abandon();
    socket.terminate();
    events.failed(error);
  }

  private beat(): void {
    const { events, socket, heartbeat, receivedMs } = this;
    if (performance.now() - receivedMs > heartbeat.silenceMs) {
      this.drop();
      events?.closed(1006, 'the server does not respond');
    } else {
      socket.ping();
    }
  }

  private noteReceived(): void {
    this.receivedMs = performance.now();
  }

  /** Whatever still comes from this socket is ignored. */
  private abandon(): void {
    this.events = undefined;
    this.dialling.abort();
    clearInterval(this.pings);
  }
}

/** Errors of TLS: whoever is not trusted now will not be in a minute either. */
const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|ERR_TLS|ERR_SSL|EPROTO/;

/** What went wrong on the way. */
function networkError(where: string, error: unknown): KindredError | TryAgain {
  if (error instanceof KindredError)
    return error.kind === 'input' ? error : new TryAgain(error.code, `${error.message} [${error.code}]`);
  const { code = '', message } = error as { code?: string; message: string };
  if (!UNTRUSTED.test(code)) return new TryAgain(code || 'NETWORK', `${where}: ${message || code}`);
  return inputError(
    'NOT_TRUSTED',
    `${where}: expected a trusted TLS connection, got ${message} (${code}); --ca gives trusted certificates, --tls-cert and --tls-key your own`,
  );
}
