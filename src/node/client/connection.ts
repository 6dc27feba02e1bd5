/**
 * A connection that comes back: admission, socket, and both again after every loss, with growing pauses. It ends by itself only
 * where trying again is pointless, and says why. What is sent while there is no connection is dropped: the protocol says it
 * again.
 */
import { KindredError } from '../../base/errors.ts';
import { CLOSE } from '../../protocol/joining.ts';
import type { TlsOptions } from '../admin/post-json.ts';
import { type Applicant, admit } from './admission.ts';
import { Backoff, type BackoffOptions, pause } from './backoff.ts';
import type { Endpoint } from './endpoint.ts';
import type { FederationName } from './participant-file.ts';
import { isFinal, TryAgain } from './refusals.ts';
import { type Heartbeat, Socket } from './socket.ts';

export interface ConnectionOptions {
  readonly endpoint: Endpoint;
  /** Asked for before every attempt: it knows more after the first. */
  readonly applicant: () => Applicant;
  readonly tls: TlsOptions;
  readonly heartbeat: Heartbeat;
  readonly retry: BackoffOptions;
}

export interface ConnectionEvents {
  /** The server knows us; nothing has been said yet. */
  admitted(federation: FederationName): void;
  connected(): void;
  frame(bytes: Uint8Array): void;
  /** Lost, or never there; the next attempt comes after `retryMs`. */
  lost(why: string, retryMs: number): void;
  /** For good. */
  ended(error: Error): void;
}

/** A connection that held so long was a good one: the next attempt comes soon. */
const GOOD_MS = 5000;
/** Signatures that are refused: once may be an accident. */
const MOST_BAD_SIGNATURES = 2;

export class Connection {
  private readonly options: ConnectionOptions;
  private readonly events: ConnectionEvents;
  private readonly backoff: Backoff;
  private readonly closing = new AbortController();
  private socket: Socket | undefined;
  private hasWorked = false;
  private badSignatures = 0;
  private readonly over: Promise<void>;

  constructor(options: ConnectionOptions, events: ConnectionEvents) {
    this.options = options;
    this.events = events;
    this.backoff = new Backoff(options.retry);
    this.over = this.run();
  }

  /** False: it was dropped. */
  send(frame: Uint8Array): boolean {
    return this.socket?.send(frame) ?? false;
  }

  /** Gives the present connection up for a new one. */
  reconnect(why: string): void {
    this.socket?.drop(why);
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.over;
  }

  private async run(): Promise<void> {
    const { signal } = this.closing;
    while (!signal.aborted) {
      const startedMs = performance.now();
      const error = await this.attempt().catch((cause: unknown) => cause as Error);
      this.socket = undefined;
      if (signal.aborted) return;
      const final = this.finalError(error);
      if (final) return this.events.ended(final);
      if (performance.now() - startedMs > GOOD_MS) this.backoff.reset();
      const retryMs = this.backoff.next();
      this.events.lost(error.message, retryMs);
      await pause(retryMs, signal);
    }
  }

  /** From the challenge to the end of the socket; gives the reason why it ended, or throws it. */
  private async attempt(): Promise<Error> {
    const { endpoint, tls, heartbeat } = this.options;
    const { signal } = this.closing;
    const { ticket, federation } = await admit(endpoint, this.options.applicant(), tls, signal);
    if (signal.aborted) return new TryAgain('CLOSED', 'closed');
    this.badSignatures = 0;
    this.events.admitted(federation);
    return await new Promise<Error>((resolve) => {
      const stop = () => void socket.close().then(() => resolve(new TryAgain('CLOSED', 'closed')));
      const end = (error: Error) => {
        signal.removeEventListener('abort', stop);
        resolve(error);
      };
      const socket = new Socket(endpoint, ticket, tls, heartbeat, {
        opened: () => {
          this.socket = socket;
          this.hasWorked = true;
          this.events.connected();
        },
        frame: (bytes) => this.events.frame(bytes),
        failed: end,
        closed: (code, reason) => end(closeError(endpoint.label, code, reason)),
      });
      signal.addEventListener('abort', stop);
    });
  }

  private finalError(error: Error): Error | undefined {
    if (error instanceof KindredError) {
      if (isFinal(error) || ENDING_CODES.has(error.code) || !this.hasWorked) return error;
      return undefined;
    }
    if (!(error instanceof TryAgain)) return error;
    if (error.code !== 'BAD_SIGNATURE' || ++this.badSignatures < MOST_BAD_SIGNATURES) return undefined;
    return new KindredError(error.code, error.message, 'run');
  }
}

const ENDING_CODES = new Set(['REPLACED', 'REVOKED']);

/** What the end of an open connection means. */
function closeError(where: string, code: number, reason: string): Error {
  const said = reason === '' ? '' : ` (${reason})`;
  switch (code) {
    case CLOSE.replaced:
      return new KindredError(
        'REPLACED',
        `${where}: another process has connected with the same identity${said}; give each its own --state and --name`,
        'run',
      );
    case CLOSE.revoked:
      return new KindredError(
        'REVOKED',
        `${where}: the operator has revoked this participant${said}`,
        'input',
      );
    default:
      return new TryAgain(`CLOSED_${code}`, `${where}: the connection was closed with code ${code}${said}`);
  }
}
