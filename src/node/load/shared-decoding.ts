/**
 * Messages of the coordinator to many participants of one process. On machines of their own each would decode what it is sent; here
 * they share two cores with the server, and a frame that is the same, byte by byte, as the one before it is decoded once.
 */
import { decodeFrom } from '../../protocol/codec.ts';
import type { ToParticipant } from '../../protocol/messages.ts';
import { plainBytes } from '../files/files.ts';

export class SharedDecoding {
  private last: { readonly frame: Buffer; readonly message: ToParticipant } | undefined;

  /** Not to be changed: it may be that of another participant, too. */
  of(frame: Buffer): ToParticipant {
    if (!this.last?.frame.equals(frame)) {
      // A copy: what ws hands out is a part of a larger buffer, which would be kept alive.
      this.last = { frame: Buffer.from(frame), message: decodeFrom('coordinator', plainBytes(frame)) };
    }
    return this.last.message;
  }
}
