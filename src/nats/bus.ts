/**
 * Core NATS as machines need it: whatever is published may be lost. While there is no connection it is dropped, not kept: it would be
 * old when the connection is back, and everybody retransmits.
 */

import { ProtocolError } from '../protocol/protocol-error.ts';
import { Inbox } from './inbox.ts';

/** Where a server says nothing of it: its default. */
const USUAL_PAYLOAD = 1024 * 1024;

export interface BusCounts {
  readonly sent: { messages: number; bytes: number };
  readonly received: { messages: number; bytes: number };
  /** Not sent: no connection, or larger than the servers take. Or received, and too much at once. */
  dropped: number;
  /** Received, and not understood. */
  bad: number;
}

/** What is used of a connection. Its own types are not those of the library, whose users would have to compile them. */
export interface CoreConnection {
  readonly info?: { readonly max_payload: number } | undefined;
  isClosed(): boolean;
  publish(subject: string, bytes: Uint8Array): void;
  subscribe(
    subject: string,
    options: { callback(error: Error | null, message: CoreMessage): void },
  ): { unsubscribe(): void };
  request(
    subject: string,
    bytes: Uint8Array,
    options: { timeout: number },
  ): Promise<{ readonly data: Uint8Array }>;
  flush(): Promise<void>;
  status(): AsyncIterable<{ readonly type: string }>;
}

interface CoreMessage {
  readonly data: Uint8Array;
  readonly subject: string;
  respond(bytes: Uint8Array): boolean;
}

/** Somebody asks, and is answered. */
interface Question {
  readonly data: Uint8Array;
  /** False: it was dropped. */
  answer(bytes: Uint8Array): boolean;
}

export class Bus {
  readonly counts: BusCounts = {
    sent: { messages: 0, bytes: 0 },
    received: { messages: 0, bytes: 0 },
    dropped: 0,
    bad: 0,
  };
  /** Whether there is a connection at the moment. */
  isUp = true;
  private readonly connection: CoreConnection;
  private readonly inbox = new Inbox();

  constructor(connection: CoreConnection) {
    this.connection = connection;
    void this.watch();
  }

  /** The most that one message may have. */
  get maxPayload(): number {
    return this.connection.info?.max_payload ?? USUAL_PAYLOAD;
  }

  /** False: it was dropped. */
  publish(subject: string, bytes: Uint8Array): boolean {
    return this.send(bytes, () => {
      this.connection.publish(subject, bytes);
      return true;
    });
  }

  /** What `take` refuses with a ProtocolError is counted, and nothing else happens. Gives what ends it. */
  subscribe(subject: string, take: (bytes: Uint8Array, subject: string) => void): () => void {
    let isOver = false;
    const taken = ({ data, subject: from }: CoreMessage) => {
      if (isOver) return;
      try {
        take(data, from);
      } catch (failure) {
        if (!(failure instanceof ProtocolError)) throw failure;
        this.counts.bad++;
      }
    };
    const subscription = this.connection.subscribe(subject, {
      callback: (error, message) => {
        if (error) return;
        this.count('received', message.data);
        if (!this.inbox.put(message.data.length, () => taken(message))) this.counts.dropped++;
      },
    });
    return () => {
      isOver = true;
      subscription.unsubscribe();
    };
  }

  /** Rejects where nobody answers in time. */
  async request(subject: string, bytes: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    if (!this.isUp) throw new Error('no connection to NATS');
    const { data } = await this.connection.request(subject, bytes, { timeout: timeoutMs });
    return data;
  }

  /** Answers requests. */
  serve(subject: string, answer: (question: Question) => void): () => void {
    const subscription = this.connection.subscribe(subject, {
      callback: (error, message) => {
        if (error) return;
        answer({ data: message.data, answer: (bytes) => this.send(bytes, () => message.respond(bytes)) });
      },
    });
    return () => subscription.unsubscribe();
  }

  /** All that was published has reached the server. */
  async flush(): Promise<void> {
    if (this.isUp && !this.connection.isClosed()) await this.connection.flush();
  }

  /** A connection refuses, by throwing, what it cannot send: that it is closed or draining may show only then. */
  private send(bytes: Uint8Array, act: () => boolean): boolean {
    let isSent = false;
    try {
      isSent = this.isUp && !this.connection.isClosed() && bytes.length <= this.maxPayload && act();
    } catch {
      // Dropped, like everything that cannot be sent.
    }
    if (isSent) this.count('sent', bytes);
    else this.counts.dropped++;
    return isSent;
  }

  private count(direction: 'sent' | 'received', bytes: Uint8Array): void {
    const counts = this.counts[direction];
    counts.messages++;
    counts.bytes += bytes.length;
  }

  private async watch(): Promise<void> {
    for await (const { type } of this.connection.status()) {
      if (type === 'disconnect') this.isUp = false;
      if (type === 'reconnect') this.isUp = true;
    }
    this.isUp = false;
  }
}
