/**
 * Protocol Buffers, the few parts that an ONNX file needs: varints, length-delimited fields, nested messages. A message is a list of fields, so its
 * length is known before it is written. https://protobuf.dev/programming-guides/encoding
 */
import { ByteWriter } from '../base/bytes.ts';

const VARINT = 0;
const DELIMITED = 2;

/** The bytes of a field, or of several. */
export type Field = Uint8Array;

const toUtf8 = new TextEncoder();

/** A whole number from 0 up to 2^53. */
function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return [...bytes, rest];
}

const keyOf = (field: number, type: number) => varint(field * 8 + type);

export function whole(field: number, value: number): Field {
  return Uint8Array.from([...keyOf(field, VARINT), ...varint(value)]);
}

export function bytes(field: number, value: Uint8Array): Field {
  return joined([Uint8Array.from([...keyOf(field, DELIMITED), ...varint(value.length)]), value]);
}

export function words(field: number, value: string): Field {
  return bytes(field, toUtf8.encode(value));
}

export function message(field: number, ...fields: readonly Field[]): Field {
  return bytes(field, joined(fields));
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const writer = new ByteWriter();
  for (const part of parts) writer.raw(part);
  return writer.finish();
}
