/** Messages to bytes and back. PROTOCOL.md has the format. */
import { beginFrame, endFrame, type Frame, openFrame } from './frame.ts';
import { F32_FLAG, kindOfTag, layoutOf, type Sender, senderOf } from './layouts.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import type { Message, Precision, ToCoordinator, ToParticipant } from './messages.ts';
import { ProtocolError } from './protocol-error.ts';
import { Reader } from './reader.ts';
import { Writer } from './writer.ts';

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
