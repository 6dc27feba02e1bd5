/** Messages to bytes and back. PROTOCOL.md has the format. */

import { crc32 } from '../base/crc32.ts';
import { invariant } from '../base/errors.ts';
import { F32_FLAG, kindOfTag, layoutOf, type Sender, senderOf } from './layouts.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import {
  type Message,
  PROTOCOL_VERSION,
  type Precision,
  type ToCoordinator,
  type ToParticipant,
} from './messages.ts';
import { Reader, Writer } from './payload.ts';
import { ProtocolError } from './protocol-error.ts';

/** What each side may send. */
interface SentBy {
  readonly participant: ToCoordinator;
  readonly coordinator: ToParticipant;
}

/**
 * The vectors of a round are rounded to `precision`, those of the setting up never; whoever goes on computing with them
 * rounds them first. A message that a peer would have to refuse is a programmer's error, and throws.
 */
export function encode(message: Message, precision: Precision): Uint8Array {
  const { kind } = message;
  const { tag, payload, knownFlags } = layoutOf(kind);
  const flags = precision === 'f32' ? knownFlags & F32_FLAG : 0;
  const out = new Writer(kind, precisionOf(flags));
  beginFrame(out, tag, flags);
  payload.write(out, message, '');
  return endFrame(out);
}

/**
 * Throws `ProtocolError` and nothing else, whatever the bytes: also for what the other end of the connection may not send. The message
 * shares no memory with the bytes.
 */
export function decodeFrom<S extends Sender>(
  sender: S,
  bytes: Uint8Array,
  limits: Limits = DEFAULT_LIMITS,
): SentBy[S] {
  const frame = openFrame(bytes, limits);
  const kind = kindOf(frame);
  if (senderOf(layoutOf(kind)) !== sender) {
    throw new ProtocolError('BAD_FRAME', `${kind}: not for a ${sender} to send`);
  }
  return readPayload(kind, frame, limits) as SentBy[S];
}

function kindOf(frame: Frame): Message['kind'] {
  const kind = kindOfTag(frame.tag);
  if (kind === undefined)
    throw new ProtocolError('BAD_FRAME', `frame: there is no message with tag ${frame.tag}`);
  return kind;
}

function readPayload(kind: Message['kind'], { flags, payload }: Frame, limits: Limits): Message {
  const layout = layoutOf(kind);
  const unknown = flags & ~layout.knownFlags;
  if (unknown !== 0) throw new ProtocolError('BAD_FRAME', `${kind}: flags ${unknown} are not known here`);
  const input = new Reader(kind, payload, precisionOf(flags), limits);
  const message = layout.payload.read(input, '');
  input.ended('payload');
  return message;
}

function precisionOf(flags: number): Precision {
  return flags & F32_FLAG ? 'f32' : 'f64';
}

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
