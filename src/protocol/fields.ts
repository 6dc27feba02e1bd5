/**
 * What a payload is made of. A field both writes and reads, so the two cannot drift apart; a record writes its fields in
 * the order in which they are listed: that order is the wire format (PROTOCOL.md), and a change of it a new version.
 */
import { utf8Bytes } from '../base/bytes.ts';
import type { RejectCode } from './codes.ts';
import type { Limits } from './limits.ts';
import type { Reader, Writer } from './payload.ts';

export interface Field<T> {
  write(out: Writer, value: T, name: string): void;
  read(input: Reader, name: string): T;
  /** Whether two values have the same bytes; absent: if they are the same number, text or object. */
  same?(a: T, b: T): boolean;
}

/** As far as that is seen at a glance: the same array, not one of equal numbers. */
export function haveSameBytes<T>(field: Field<T>, a: T, b: T): boolean {
  return field.same ? field.same(a, b) : Object.is(a, b);
}

const U16_MAX = 0xffff;
const U32_MAX = 0xffff_ffff;
const LONE_SURROGATE = /\p{Surrogate}/u;

function unsigned(bits: 'u16' | 'u32', most: number): Field<number> {
  return {
    write(out, value, name) {
      if (!(Number.isInteger(value) && value >= 0 && value <= most)) {
        out.fail(`${name}: expected a whole number from 0 to ${most}, got ${value}`);
      }
      out[bits](value);
    },
    read: (input, name) => input[bits](name),
  };
}

/** Counts and rounds. */
export const u32 = unsigned('u32', U32_MAX);
/** Places in the roster. */
export const u16 = unsigned('u16', U16_MAX);

/** A field whose values are checked on both sides; `problem` says what is wrong with one. */
export function checked<T>(
  field: Field<T>,
  code: RejectCode,
  problem: (value: T, name: string) => string | undefined,
): Field<T> {
  return {
    ...field,
    write(out, value, name) {
      const sentence = problem(value, name);
      if (sentence) out.fail(sentence);
      field.write(out, value, name);
    },
    read(input, name) {
      const value = field.read(input, name);
      const sentence = problem(value, name);
      return sentence ? input.refuse(code, sentence) : value;
    },
  };
}

const anyF64: Field<number> = {
  write: (out, value) => out.f64(value),
  read: (input, name) => input.f64(name),
};
export const f64 = checked(anyF64, 'NOT_FINITE', (value, name) =>
  Number.isFinite(value) ? undefined : `${name}: expected a finite number, got ${value}`,
);
/** The one number that may be Infinity: no deadline. */
export const f64OrInfinity = checked(anyF64, 'NOT_FINITE', (value, name) =>
  value > -Infinity ? undefined : `${name}: expected a finite number or Infinity, got ${value}`,
);

/** u32 length, then numbers in the payload's precision. */
export const vector: Field<Float64Array> = {
  write(out, value, name) {
    u32.write(out, value.length, name);
    out.vector(name, value);
  },
  read(input, name) {
    const length = input.length(name, input.u32(name), input.limits.maxFeatures + 1, 'numbers');
    return input.vector(name, length);
  },
};

/** u16 length, then UTF-8. */
function limitedText(limit: 'maxIdBytes' | 'maxTextBytes'): Field<string> {
  return {
    write(out, value, name) {
      const utf8 = utf8Bytes(value);
      if (utf8.length > U16_MAX) out.fail(`${name}: expected at most ${U16_MAX} bytes, got ${utf8.length}`);
      out.u16(utf8.length);
      out.raw(utf8);
    },
    read: (input, name) =>
      input.text(name, input.length(name, input.u16(name), input.limits[limit], 'bytes')),
  };
}

/** For people. */
export const text = limitedText('maxTextBytes');

/** A value of the target column. Never silently changed: a lone surrogate has no UTF-8. */
export const label = checked(limitedText('maxIdBytes'), 'BAD_FRAME', (value, name) =>
  LONE_SURROGATE.test(value) ? `${name}: expected well-formed text` : undefined,
);

/** Identifies, hence never empty. */
export const id = checked(label, 'BAD_FRAME', (value, name) =>
  value === '' ? `${name}: expected at least 1 byte, got 0` : undefined,
);

/** Always so many bytes: no length goes before. */
export function exactly(count: number): Field<Uint8Array> {
  return {
    write(out, value, name) {
      if (value.length !== count) out.fail(`${name}: expected ${count} bytes, got ${value.length}`);
      out.raw(value);
    },
    read: (input, name) => input.raw(name, count),
  };
}

/** Length, then bytes that mean nothing to the codec; the most follows from the limits. */
function lengthAndBytes(length: Field<number>, most: (limits: Limits) => number): Field<Uint8Array> {
  return {
    write(out, value, name) {
      length.write(out, value.length, name);
      out.raw(value);
    },
    read: (input, name) =>
      input.raw(name, input.length(name, length.read(input, name), most(input.limits), 'bytes')),
  };
}

export const bytes = (most: (limits: Limits) => number) => lengthAndBytes(u32, most);
/** A bitmap over the roster. */
export const indexSet = lengthAndBytes(u16, ({ maxParticipants }) => Math.ceil(maxParticipants / 8));

/** u16 count (u32 of columns), then the items one after another. */
export function list<T>(
  item: Field<T>,
  [limit, unit]: readonly ['maxParticipants' | 'maxLabels' | 'maxLevels' | 'maxFeatures', string] = [
    'maxParticipants',
    'participants',
  ],
): Field<readonly T[]> {
  // Columns are as many as features, which may be more than a u16 holds.
  const length = limit === 'maxFeatures' ? u32 : u16;
  return {
    write(out, values, name) {
      length.write(out, values.length, name);
      for (let i = 0; i < values.length; i++) item.write(out, values[i], `${name}[${i}]`);
    },
    read(input, name) {
      const count = input.length(name, length.read(input, name), input.limits[limit], unit);
      return Array.from({ length: count }, (_, i) => item.read(input, `${name}[${i}]`));
    },
  };
}

/** One of a few values, as a u8; `meaning` of its numbers is for the sentence of a refusal. */
function coded<T>(codes: ReadonlyMap<T, number>, meaning: string): Field<T> {
  const values = new Map([...codes].map(([value, code]) => [code, value]));
  return {
    write: (out, value, name) => out.u8(codes.get(value) ?? out.fail(`${name}: there is no "${value}"`)),
    read(input, name) {
      const code = input.u8(name);
      if (!values.has(code)) input.refuse('BAD_FRAME', `${name}: expected ${meaning}, got ${code}`);
      return values.get(code) as T;
    },
  };
}

export function choice<T extends string>(codes: Readonly<Record<T, number>>): Field<T> {
  const known = Object.values(codes).join(', ');
  return coded(new Map(Object.entries<number>(codes) as [T, number][]), `one of ${known}`);
}

const YES_OR_NO = new Map([false, true].map((value, code) => [value, code]));
/** u8: 0 no, 1 yes. */
export const flag = coded(YES_OR_NO, '0 (no) or 1 (yes)');
const presence = coded(YES_OR_NO, '0 (absent) or 1 (present)');

/** u8: 0 absent, 1 present. */
export function optional<T>(field: Field<T>): Field<T | undefined> {
  return {
    write(out, value, name) {
      presence.write(out, value !== undefined, name);
      if (value !== undefined) field.write(out, value, name);
    },
    read: (input, name) => (presence.read(input, name) ? field.read(input, name) : undefined),
  };
}

/** Takes no bytes: the tag determines it. */
export function constant<T>(value: T): Field<T> {
  return { write: () => {}, read: () => value };
}

export function record<T extends object>(fields: { readonly [K in keyof T]-?: Field<T[K]> }): Field<T> {
  const keys = Object.keys(fields) as (keyof T & string)[];
  const nameOf = (name: string, key: string) => (name === '' ? key : `${name}.${key}`);
  return {
    write(out, value, name) {
      for (const key of keys) fields[key].write(out, value[key], nameOf(name, key));
    },
    read(input, name) {
      const value: Partial<T> = {};
      for (const key of keys) value[key] = fields[key].read(input, nameOf(name, key));
      return value as T;
    },
    same: (a, b) => keys.every((key) => haveSameBytes(fields[key], a[key], b[key])),
  };
}

/** Two vectors over the same features. */
export function sameLength<T extends object>(
  field: Field<T>,
  a: keyof T & string,
  b: keyof T & string,
): Field<T> {
  return checked(field, 'WRONG_SHAPE', (value) => {
    const [na, nb] = [(value[a] as Float64Array).length, (value[b] as Float64Array).length];
    return na === nb ? undefined : `expected as many numbers in ${b} as in ${a} (${na}), got ${nb}`;
  });
}
