/** Frames made by hand, with a checksum from elsewhere: the codec does not check itself. */
import { crc32 } from 'node:zlib';
import { decodeFrom } from '../../src/protocol/codec.ts';
import type { RejectCode } from '../../src/protocol/codes.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/protocol/limits.ts';
import type { Message } from '../../src/protocol/messages.ts';
import { PROTOCOL_VERSION } from '../../src/protocol/messages.ts';
import { ProtocolError } from '../../src/protocol/protocol-error.ts';

export interface Envelope {
  readonly magic?: string;
  readonly version?: number;
  readonly tag: number;
  readonly flags?: number;
  readonly reserved?: number;
}

/** Whoever may have sent it. */
export function decode(bytes: Uint8Array, limits: Limits = DEFAULT_LIMITS): Message {
  return decodeFrom(bytes[5] < 0x80 ? 'participant' : 'coordinator', bytes, limits);
}

/** A frame around any payload, with the right length and checksum. */
export function frameOf(envelope: Envelope, payload: Uint8Array): Uint8Array {
  const { magic = 'KNDR', version = PROTOCOL_VERSION, tag, flags = 0, reserved = 0 } = envelope;
  const frame = Buffer.alloc(16 + payload.length);
  frame.write(magic, 0, 'latin1');
  frame.set([version, tag, flags, reserved], 4);
  frame.writeUInt32LE(payload.length, 8);
  frame.set(payload, 12);
  return sealed(frame);
}

/** A copy with the checksum made right again. */
export function sealed(frame: Uint8Array): Uint8Array {
  const copy = Buffer.from(frame);
  copy.writeUInt32LE(crc32(copy.subarray(0, copy.length - 4)), copy.length - 4);
  return new Uint8Array(copy);
}

export function payloadOf(frame: Uint8Array): Uint8Array {
  return frame.slice(12, -4);
}

export type Result =
  | { readonly message: Message }
  | { readonly code: RejectCode; readonly sentence: string }
  | { readonly escaped: unknown };

/** What comes of decoding: a message, a refusal, or something that must never come. */
export function tryDecode(bytes: Uint8Array, limits: Limits = DEFAULT_LIMITS): Result {
  try {
    return { message: decode(bytes, limits) };
  } catch (error) {
    if (error instanceof ProtocolError) return { code: error.code, sentence: error.message };
    return { escaped: error };
  }
}

export function refusalOf(bytes: Uint8Array, limits?: Limits): { code: RejectCode; sentence: string } {
  const result = tryDecode(bytes, limits);
  if ('code' in result) return result;
  throw new Error(`expected a refusal, got ${JSON.stringify(result)}`);
}
