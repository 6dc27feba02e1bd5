/** Messages of the coordinator as frames, each encoded once for all who are sent the same. */
import { encode } from '../protocol/codec.ts';
import { haveSameBytes } from '../protocol/fields.ts';
import { LAYOUTS } from '../protocol/layouts.ts';
import type { Precision, RoundMessage, ToParticipant } from '../protocol/messages.ts';

/**
 * Messages as frames. Under rules that take the same step for everybody, all are sent the same when a round opens: that is then
 * encoded once, not a thousand times.
 */
export class Frames {
  private readonly precision: Precision;
  private last: { readonly message: RoundMessage; readonly frame: Uint8Array } | undefined;

  constructor(precision: Precision) {
    this.precision = precision;
  }

  /** Not to be changed: it may be that of another message, too. */
  of(message: ToParticipant): Uint8Array {
    if (message.kind !== 'round') return encode(message, this.precision);
    if (!this.last || !haveSameBytes(LAYOUTS.round.payload, this.last.message, message)) {
      this.last = { message, frame: encode(message, this.precision) };
    }
    return this.last.frame;
  }
}
