/**
 * A connection that comes back: admission, channel, and both again after every loss, with growing pauses. It ends by itself only where
 * trying again is pointless, and says why. What is sent while there is no connection is dropped: the protocol retransmits it.
 */
import { KindredError } from '../base/errors.ts';
import type { Clock, Eventually } from '../base/ports.ts';
import { decodeFrom } from '../protocol/codec.ts';
import { CLOSE } from '../protocol/joining.ts';
import type { Limits } from '../protocol/limits.ts';
import type { ToParticipant } from '../protocol/messages.ts';
import { ProtocolError } from '../protocol/protocol-error.ts';
import { type Applicant, admit, isFinal, OtherVersion, TryAgain } from './admission.ts';
import type { FederationName } from './participant-file.ts';
import type { Channel, RandomShare, Transport } from './ports.ts';

export interface ConnectionOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: RandomShare;
  /** Asked for before every attempt: it knows more after the first. */
  readonly applicant: () => Applicant;
  readonly retry: BackoffOptions;
  /** Between attempts at a server of another protocol version; absent: such a server ends it. */
  readonly upgrade?: BackoffOptions | undefined;
  /** Of what is read. */
  readonly limits: Limits;
}

interface ConnectionEvents {
  /** The server knows us; nothing has been sent yet, and nothing is before this is complete. */
  admitted(federation: FederationName): Eventually<void>;
  connected(): void;
  message(message: ToParticipant): void;
  /** Ignored: it was not of this protocol. */
  badFrame(message: string): void;
  /** Lost, or never there; the next attempt comes after `retryMs`. */
  lost(why: string, retryMs: number): void;
  /** The server speaks this version of the protocol; the next attempt comes after `retryMs`. */
  otherVersion?(server: number, why: string, retryMs: number): void;
  /** For good. */
  ended(error: Error): void;
}

/** A connection that held so long was a good one: the next attempt comes soon. */
const GOOD_MS = 5000;
/** Signatures that are refused: once may be an accident. */
const MOST_BAD_SIGNATURES = 2;
/** Frames in a row that are not of this protocol, before another connection is tried. */
const MOST_BAD_FRAMES = 20;

export class Connection {
  private readonly options: ConnectionOptions;
  private readonly events: ConnectionEvents;
  private readonly backoff: Backoff;
  private readonly upgradeBackoff: Backoff | undefined;
  private readonly closing = new AbortController();
  private channel: Channel | undefined;
  private hasWorked = false;
  private badSignatures = 0;
  private badFrames = 0;
  private readonly over: Promise<void>;

  constructor(options: ConnectionOptions, events: ConnectionEvents) {
    this.options = options;
    this.events = events;
    this.backoff = new Backoff(options.retry, options.random);
    this.upgradeBackoff = options.upgrade && new Backoff(options.upgrade, options.random);
    this.over = this.run();
  }

  /** False: it was dropped. */
  send(frame: Uint8Array): boolean {
    return this.channel?.send(frame) ?? false;
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.over;
  }

  private async run(): Promise<void> {
    const { signal } = this.closing;
    const { clock } = this.options;
    while (!signal.aborted) {
      const startedMs = clock.now();
      const error = await this.attempt().catch((cause: unknown) => cause as Error);
      this.channel = undefined;
      if (signal.aborted) return;
      const final = this.finalError(error);
      if (final) return this.events.ended(final);
      if (clock.now() - startedMs > GOOD_MS) this.backoff.reset();
      await pause(clock, this.retryAfter(error), signal);
    }
  }

  /** How long to wait, after those who want to know have been told. */
  private retryAfter(error: Error): number {
    if (error instanceof OtherVersion && this.upgradeBackoff) {
      const retryMs = this.upgradeBackoff.next();
      this.events.otherVersion?.(error.server, error.message, retryMs);
      return retryMs;
    }
    this.upgradeBackoff?.reset();
    const retryMs = this.backoff.next();
    this.events.lost(error.message, retryMs);
    return retryMs;
  }

  /** From the challenge to the end of the channel; gives the reason why it ended, or throws it. */
  private async attempt(): Promise<Error> {
    const { transport } = this.options;
    const { signal } = this.closing;
    const { ticket, federation } = await admit(transport, this.options.applicant(), signal);
    if (signal.aborted) return CLOSED;
    this.badSignatures = 0;
    await this.events.admitted(federation);
    if (signal.aborted) return CLOSED;
    return await new Promise<Error>((resolve) => {
      const stop = () => void Promise.resolve(channel.close()).then(() => resolve(CLOSED));
      const end = (error: Error) => {
        signal.removeEventListener('abort', stop);
        resolve(error);
      };
      const giveUp = (why: string) => {
        channel.drop();
        end(closeError(transport.label, 1006, why));
      };
      const channel = transport.connect(ticket, {
        opened: () => {
          this.channel = channel;
          this.hasWorked = true;
          this.badFrames = 0;
          this.events.connected();
        },
        frame: (bytes) => this.receive(bytes, giveUp),
        failed: end,
        closed: (code, reason) => end(closeError(transport.label, code, reason)),
      });
      signal.addEventListener('abort', stop);
    });
  }

  private receive(bytes: Uint8Array, giveUp: (why: string) => void): void {
    let message: ToParticipant;
    try {
      message = decodeFrom('coordinator', bytes, this.options.limits);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.events.badFrame(error.message);
      this.badFrames++;
      if (this.badFrames >= MOST_BAD_FRAMES) giveUp(`${MOST_BAD_FRAMES} bad frames in a row`);
      return;
    }
    this.badFrames = 0;
    this.events.message(message);
  }

  private finalError(error: Error): Error | undefined {
    if (error instanceof KindredError) {
      if (isFinal(error) || ENDING_CODES.has(error.code) || !this.hasWorked) return error;
      return undefined;
    }
    if (!(error instanceof TryAgain)) return error;
    if (error instanceof OtherVersion && !this.upgradeBackoff)
      return new KindredError(error.code, error.message, 'run');
    if (error.code !== 'BAD_SIGNATURE' || ++this.badSignatures < MOST_BAD_SIGNATURES) return undefined;
    return new KindredError(error.code, error.message, 'run');
  }
}

const CLOSED = new TryAgain('CLOSED', 'closed');
const ENDING_CODES = new Set(['REPLACED', 'REVOKED', 'DELETED']);

/** What the end of an open connection means. */
function closeError(where: string, code: number, reason: string): Error {
  const given = reason === '' ? '' : ` (${reason})`;
  switch (code) {
    case CLOSE.replaced:
      return new KindredError(
        'REPLACED',
        `${where}: another process uses the same identity${given}; give each process its own --state and --name`,
        'run',
      );
    case CLOSE.revoked:
      return new KindredError(
        'REVOKED',
        `${where}: the operator has revoked this participant${given}`,
        'input',
      );
    case CLOSE.deleted:
      return new KindredError('DELETED', `${where}: deleted by the operator`, 'run');
    default:
      return new TryAgain(`CLOSED_${code}`, `${where}: the connection was closed with code ${code}${given}`);
  }
}

export interface BackoffOptions {
  readonly fromMs: number;
  readonly mostMs: number;
}

/** How long to wait before trying again: longer each time, up to a bound, and never in step with the others. */
export class Backoff {
  private readonly options: BackoffOptions;
  private readonly random: RandomShare;
  private tries = 0;

  constructor(options: BackoffOptions, random: RandomShare) {
    this.options = options;
    this.random = random;
  }

  /** "Full jitter": anything from nothing to twice the last bound, evenly. */
  next(): number {
    const { fromMs, mostMs } = this.options;
    // The exponent has a bound of its own: the power would not stay finite.
    const bound = Math.min(mostMs, fromMs * 2 ** Math.min(this.tries, 30));
    this.tries++;
    return Math.floor(this.random() * (Math.max(1, Math.floor(bound)) + 1));
  }

  reset(): void {
    this.tries = 0;
  }
}

/** Resolves after the time, or at once when the signal is aborted. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const over = () => {
      takeBack();
      signal.removeEventListener('abort', over);
      resolve();
    };
    const takeBack = clock.at(clock.now() + ms, over);
    signal.addEventListener('abort', over);
  });
}
