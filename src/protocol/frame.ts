/**
 * The envelope of every message, little endian:
 *
 *   "KNDR", version u8, tag u8, flags u8, reserved u8 = 0, payload bytes u32, payload, CRC-32 u32 of all before it
 *
 * A frame is exactly one message: transports keep the boundaries, nothing is left over.
 */

import { crc32 } from '../base/crc32.ts';
import { invariant } from '../base/errors.ts';
import type { Limits } from './limits.ts';
import { PROTOCOL_VERSION } from './messages.ts';
import { ProtocolError } from './protocol-error.ts';
import type { Writer } from './writer.ts';

/** "KNDR" read as a little-endian u32. */
const MAGIC = 0x52_44_4e_4b;
const LENGTH_AT = 8;
const HEADER_BYTES = 12;
const TRAILER_BYTES = 4;
const ENVELOPE_BYTES = HEADER_BYTES + TRAILER_BYTES;

export interface Frame {
  readonly tag: number;
  readonly flags: number;
  /** A view into the frame. */
  readonly payload: Uint8Array;
}

/** The payload is written between `beginFrame` and `endFrame`. */
export function beginFrame(out: Writer, tag: number, flags: number): void {
  out.u32(MAGIC);
  out.u8(PROTOCOL_VERSION);
  out.u8(tag);
  out.u8(flags);
  out.u8(0);
  out.u32(0);
}

export function endFrame(out: Writer): Uint8Array {
  const payloadBytes = out.length - HEADER_BYTES;
  invariant(payloadBytes <= 0xffff_ffff, 'a payload below 4 GiB');
  out.patchU32(LENGTH_AT, payloadBytes);
  out.checksum();
  return out.finish();
}

/**
 * Takes the envelope off. Version before checksum: the rest of another version may look different. Checksum before all
 * else: damage in transit is called damage, not an unknown tag.
 */
export function openFrame(bytes: Uint8Array, limits: Limits): Frame {
  if (bytes.length > limits.maxFrameBytes) {
    refuse(`expected at most ${limits.maxFrameBytes} bytes, got ${bytes.length}`);
  }
  if (bytes.length < ENVELOPE_BYTES) refuse(`expected at least ${ENVELOPE_BYTES} bytes, got ${bytes.length}`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0, true) !== MAGIC) refuse('expected "KNDR" at the start, got other bytes');
  const version = bytes[4];
  if (version !== PROTOCOL_VERSION) {
    const older = version < PROTOCOL_VERSION ? 'sender' : 'receiver';
    const sentence = `expected protocol version ${PROTOCOL_VERSION}, got version ${version}; update kindred at the ${older}`;
    throw new ProtocolError('BAD_VERSION', `frame: ${sentence}`);
  }
  const frameBytes = view.getUint32(LENGTH_AT, true) + ENVELOPE_BYTES;
  if (bytes.length !== frameBytes) refuse(`expected ${frameBytes} bytes by its length, got ${bytes.length}`);
  const crcAt = bytes.length - TRAILER_BYTES;
  if (view.getUint32(crcAt, true) !== crc32(view, crcAt))
    refuse('checksum does not match: damaged in transit');
  if (bytes[7] !== 0) refuse(`expected 0 in the reserved byte, got ${bytes[7]}`);
  return { tag: bytes[5], flags: bytes[6], payload: bytes.subarray(HEADER_BYTES, crcAt) };
}

function refuse(sentence: string): never {
  throw new ProtocolError('BAD_FRAME', `frame: ${sentence}`);
}
