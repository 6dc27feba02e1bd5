/**
 * Server-sent events over fetch, so that a token can be sent, which EventSource cannot. Reconnects after every loss, later and later, and
 * after a silence that the server's comments would have broken.
 */
import { ApiFailure, request } from './api.ts';
import { type ServerEvent, SseParser } from './sse-parser.ts';

export type StreamStatus =
  | { readonly type: 'connecting' }
  | { readonly type: 'open' }
  /** Of the clock of the page. */
  | { readonly type: 'waiting'; readonly retryAtMs: number; readonly why: ApiFailure }
  /** Nothing will change by itself: a token is needed, or there is no such thing. */
  | { readonly type: 'refused'; readonly why: ApiFailure };

export interface StreamOptions {
  /** Asked at every connection: where to continue may have changed. */
  readonly path: () => string;
  onEvent(event: ServerEvent): void;
  onStatus(status: StreamStatus): void;
}

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15_000;
/** The server breaks its silence every 15 s. */
const SILENCE_MS = 40_000;
/** A connection that lasted this long was a good one: the next loss is waited for from the beginning. */
const GOOD_MS = 5000;

export class EventStream {
  private readonly options: StreamOptions;
  private attempts = 0;
  private connection: AbortController | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private silence: ReturnType<typeof setTimeout> | undefined;
  private closed = false;
  private readonly hurry = () => {
    if (this.timer !== undefined) this.retry();
  };

  constructor(options: StreamOptions) {
    this.options = options;
    addEventListener('online', this.hurry);
    void this.run();
  }

  /** At once, in place of what it waits for or is connected to. */
  retry(): void {
    if (this.closed) return;
    this.stop();
    void this.run();
  }

  close(): void {
    this.closed = true;
    removeEventListener('online', this.hurry);
    this.stop();
  }

  private stop(): void {
    clearTimeout(this.timer);
    clearTimeout(this.silence);
    this.timer = undefined;
    this.connection?.abort();
    this.connection = undefined;
  }

  private async run(): Promise<void> {
    const connection = new AbortController();
    this.connection = connection;
    this.options.onStatus({ type: 'connecting' });
    const since = performance.now();
    let failure: ApiFailure;
    try {
      await this.read(connection.signal);
      failure = new ApiFailure('OFFLINE', 'The server has closed the connection.');
    } catch (error) {
      failure = error instanceof ApiFailure ? error : lost();
    }
    if (this.connection !== connection) return;
    this.connection = undefined;
    clearTimeout(this.silence);
    if (performance.now() - since > GOOD_MS) this.attempts = 0;
    this.failed(failure);
  }

  private async read(signal: AbortSignal): Promise<void> {
    const response = await request(this.options.path(), { signal });
    if (signal.aborted) return;
    this.options.onStatus({ type: 'open' });
    const parser = new SseParser((event) => {
      if (!signal.aborted) this.options.onEvent(event);
    });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      this.listen();
      const { value, done } = await reader.read();
      if (done || signal.aborted) return;
      parser.push(value);
    }
  }

  private listen(): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.retry(), SILENCE_MS);
  }

  private failed(why: ApiFailure): void {
    if (why.isForbidden || why.status === 404) {
      this.options.onStatus({ type: 'refused', why });
      return;
    }
    const most = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.attempts++);
    // Not everybody at once when the server is back.
    const waitMs = most * (0.75 + 0.25 * Math.random());
    this.timer = setTimeout(this.hurry, waitMs);
    this.options.onStatus({ type: 'waiting', retryAtMs: Date.now() + waitMs, why });
  }
}

function lost(): ApiFailure {
  return new ApiFailure('OFFLINE', 'The connection to the server is lost.');
}
