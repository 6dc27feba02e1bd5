/** What leaves a page and what comes in, counted by kind of message. */
import { KIND_OF_TAG } from '../protocol/layouts.ts';

/** Bytes of bodies and frames, without what HTTP, WebSocket and TLS put around them. */
export interface Traffic {
  readonly sentBytes: number;
  readonly receivedBytes: number;
  /**
   * By kind: `challenge` and `session` are the two requests of admission, `ping` a sign of life, the others messages of the protocol
   * (PROTOCOL.md).
   */
  readonly sent: Readonly<Record<string, { readonly count: number; readonly bytes: number }>>;
}

export const NO_TRAFFIC: Traffic = { sentBytes: 0, receivedBytes: 0, sent: {} };

const TAG_AT = 5;

export class TrafficMeter {
  traffic: Traffic = NO_TRAFFIC;
  private readonly changed: () => void;

  constructor(changed: () => void) {
    this.changed = changed;
  }

  sentFrame(frame: Uint8Array): void {
    this.sent(frame.length === 0 ? 'ping' : (KIND_OF_TAG.get(frame[TAG_AT]) ?? 'other'), frame.length);
  }

  sent(kind: string, bytes: number): void {
    const { sentBytes, receivedBytes, sent } = this.traffic;
    const { count, bytes: before } = sent[kind] ?? { count: 0, bytes: 0 };
    this.traffic = {
      sentBytes: sentBytes + bytes,
      receivedBytes,
      sent: { ...sent, [kind]: { count: count + 1, bytes: before + bytes } },
    };
    this.changed();
  }

  received(bytes: number): void {
    this.traffic = { ...this.traffic, receivedBytes: this.traffic.receivedBytes + bytes };
    this.changed();
  }
}
