/**
 * Messages as frames. Under rules that take the same step for everybody, all are told the same when a round opens: that is then
 * encoded once, not a thousand times.
 */
import { encode } from '../../protocol/codec.ts';
import type { Precision, RoundMessage, ToParticipant } from '../../protocol/messages.ts';

export class Frames {
  private readonly precision: Precision;
  private last: { readonly message: RoundMessage; readonly frame: Uint8Array } | undefined;

  constructor(precision: Precision) {
    this.precision = precision;
  }

  /** Not to be changed: it may be that of another message, too. */
  of(message: ToParticipant): Uint8Array {
    if (message.kind !== 'round') return encode(message, this.precision);
    if (!this.last || !says(this.last.message, message)) {
      this.last = { message, frame: encode(message, this.precision) };
    }
    return this.last.frame;
  }
}

/** Whether two messages say the same, as far as that is seen at a glance: the same w, not an equal one. */
function says(a: RoundMessage, b: RoundMessage): boolean {
  return (
    a.w === b.w &&
    a.session === b.session &&
    a.round === b.round &&
    a.best === b.best &&
    a.purpose === b.purpose &&
    a.sigma === b.sigma &&
    a.tolerance === b.tolerance &&
    a.waitMs === b.waitMs &&
    a.accepted.round === b.accepted.round &&
    a.accepted.factor === b.accepted.factor &&
    a.tellBefore === b.tellBefore
  );
}
