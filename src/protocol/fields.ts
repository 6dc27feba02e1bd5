/**
 * What a payload is made of. A field both writes and reads, so the two cannot drift apart; a record writes its fields in
 * the order in which they are listed: that order is the wire format (PROTOCOL.md), and a change of it a new version.
 */
import type { Reader } from './reader.ts';
import type { Writer } from './writer.ts';

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

/** Counts and rounds. */
export const u32: Field<number> = {
  write(out, value, name) {
    if (!(Number.isInteger(value) && value >= 0 && value <= U32_MAX)) {
      out.fail(`${name}: expected a whole number from 0 to ${U32_MAX}, got ${value}`);
    }
    out.u32(value);
  },
  read: (input, name) => input.u32(name),
};

export const f64: Field<number> = {
  write(out, value, name) {
    if (!Number.isFinite(value)) out.fail(`${name}: expected a finite number, got ${value}`);
    out.f64(value);
  },
  read(input, name) {
    const value = input.f64(name);
    if (!Number.isFinite(value))
      input.refuse('NOT_FINITE', `${name}: expected a finite number, got ${value}`);
    return value;
  },
};

/** The one number that may be Infinity: no deadline. */
export const f64OrInfinity: Field<number> = {
  write(out, value, name) {
    if (!(value > -Infinity)) out.fail(`${name}: expected a finite number or Infinity, got ${value}`);
    out.f64(value);
  },
  read(input, name) {
    const value = input.f64(name);
    if (!(value > -Infinity)) {
      input.refuse('NOT_FINITE', `${name}: expected a finite number or Infinity, got ${value}`);
    }
    return value;
  },
};

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

/** Identifies, hence never empty and never silently changed. */
export const id: Field<string> = {
  write(out, value, name) {
    if (value === '' || LONE_SURROGATE.test(value)) out.fail(`${name}: expected well-formed text`);
    writeText(out, value, name);
  },
  read(input, name) {
    const value = readText(input, name, 'maxIdBytes');
    if (value === '') input.refuse('BAD_FRAME', `${name}: expected at least 1 byte, got 0`);
    return value;
  },
};

const LONE_SURROGATE = /\p{Surrogate}/u;

/** For people. */
export const text: Field<string> = {
  write: writeText,
  read: (input, name) => readText(input, name, 'maxTextBytes'),
};

/** u16 length, then UTF-8. */
function writeText(out: Writer, value: string, name: string): void {
  const bytes = UTF8.encode(value);
  if (bytes.length > U16_MAX) out.fail(`${name}: expected at most ${U16_MAX} bytes, got ${bytes.length}`);
  out.u16(bytes.length);
  out.raw(bytes);
}

function readText(input: Reader, name: string, limit: 'maxIdBytes' | 'maxTextBytes'): string {
  const length = input.length(name, input.u16(name), input.limits[limit], 'bytes');
  return input.text(name, length);
}

const UTF8 = new TextEncoder();

/** One of a few words, as a u8. */
export function choice<T extends string>(codes: Readonly<Record<T, number>>): Field<T> {
  const words = new Map<number, T>();
  for (const word of Object.keys(codes) as T[]) words.set(codes[word], word);
  const known = [...words.keys()].join(', ');
  return {
    write(out, value, name) {
      if (!Object.hasOwn(codes, value)) out.fail(`${name}: there is no "${value}"`);
      out.u8(codes[value]);
    },
    read(input, name) {
      const code = input.u8(name);
      return words.get(code) ?? input.refuse('BAD_FRAME', `${name}: expected one of ${known}, got ${code}`);
    },
  };
}

/** u8: 0 no, 1 yes. */
export const flag: Field<boolean> = {
  write: (out, value) => out.u8(value ? 1 : 0),
  read(input, name) {
    const code = input.u8(name);
    if (code > 1) input.refuse('BAD_FRAME', `${name}: expected 0 (no) or 1 (yes), got ${code}`);
    return code === 1;
  },
};

/** u8: 0 absent, 1 present. */
export function optional<T>(field: Field<T>): Field<T | undefined> {
  return {
    write(out, value, name) {
      out.u8(value === undefined ? 0 : 1);
      if (value !== undefined) field.write(out, value, name);
    },
    read(input, name) {
      const present = input.u8(name);
      if (present > 1)
        input.refuse('BAD_FRAME', `${name}: expected 0 (absent) or 1 (present), got ${present}`);
      return present === 1 ? field.read(input, name) : undefined;
    },
  };
}

/** Takes no bytes: the tag has said it already. */
export function constant<T>(value: T): Field<T> {
  return { write: () => {}, read: () => value };
}

/** Fields one after another. */
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
  const problem = (value: T): string | undefined => {
    const [na, nb] = [(value[a] as Float64Array).length, (value[b] as Float64Array).length];
    return na === nb ? undefined : `expected as many numbers in ${b} as in ${a} (${na}), got ${nb}`;
  };
  return {
    write(out, value, name) {
      const sentence = problem(value);
      if (sentence) out.fail(sentence);
      field.write(out, value, name);
    },
    read(input, name) {
      const value = field.read(input, name);
      const sentence = problem(value);
      return sentence ? input.refuse('WRONG_SHAPE', sentence) : value;
    },
  };
}
