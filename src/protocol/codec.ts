/**
 * Messages to bytes and back, each in an envelope, little endian (PROTOCOL.md has the format):
 *
 *   "KNDR", version u8, tag u8, flags u8, reserved u8 = 0, payload bytes u32, payload, CRC-32 u32 of all before it
 *
 * A frame is exactly one message: transports keep the boundaries, nothing is left over.
 */
import { crc32 } from '../base/crc32.ts';
import { invariant } from '../base/errors.ts';
import { F32_FLAG, KIND_OF_TAG, layoutOf, type Sender, senderOf } from './layouts.ts';
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

/** "KNDR" read as a little-endian u32. */
const MAGIC = 0x52_44_4e_4b;
const LENGTH_AT = 8;
const HEADER_BYTES = 12;
const TRAILER_BYTES = 4;
const ENVELOPE_BYTES = HEADER_BYTES + TRAILER_BYTES;

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
  out.u32(MAGIC);
  for (const byte of [PROTOCOL_VERSION, tag, flags, 0]) out.u8(byte);
  out.u32(0);
  payload.write(out, message, '');
  const payloadBytes = out.length - HEADER_BYTES;
  invariant(payloadBytes <= 0xffff_ffff, 'a payload below 4 GiB');
  out.patchU32(LENGTH_AT, payloadBytes);
  out.checksum();
  return out.finish();
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
  const { tag, flags, payload } = openFrame(bytes, limits);
  const kind = KIND_OF_TAG.get(tag) ?? refuse(`unknown message tag ${tag}`);
  const layout = layoutOf(kind);
  if (senderOf(layout) !== sender) refuse(`a ${sender} may not send this message`, kind);
  const unknown = flags & ~layout.knownFlags;
  if (unknown !== 0) refuse(`unknown flags ${unknown}`, kind);
  const input = new Reader(kind, payload, precisionOf(flags), limits);
  const message = layout.payload.read(input, '');
  input.ended('payload');
  return message as SentBy[S];
}

function precisionOf(flags: number): Precision {
  return flags & F32_FLAG ? 'f32' : 'f64';
}

/**
 * Takes the envelope off. Version before checksum: the rest of another version may look different. Checksum before all
 * else: damage in transit is called damage, not an unknown tag. The payload is a view into the frame.
 */
function openFrame(bytes: Uint8Array, limits: Limits) {
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

function refuse(sentence: string, where = 'frame'): never {
  throw new ProtocolError('BAD_FRAME', `${where}: ${sentence}`);
}
