/** Fields of secure aggregation: bytes that mean nothing to the codec, and lists. */
import type { Field } from './fields.ts';
import type { Limits } from './limits.ts';

const U16_MAX = 0xffff;

/** A place in the roster. */
export const place: Field<number> = {
  write(out, value, name) {
    if (!(Number.isInteger(value) && value >= 0 && value <= U16_MAX)) {
      out.fail(`${name}: expected a whole number from 0 to ${U16_MAX}, got ${value}`);
    }
    out.u16(value);
  },
  read: (input, name) => input.u16(name),
};

/** Always so many: no length goes before. */
export function exactly(count: number): Field<Uint8Array> {
  return {
    write(out, value, name) {
      if (value.length !== count) out.fail(`${name}: expected ${count} bytes, got ${value.length}`);
      out.raw(value);
    },
    read: (input, name) => input.raw(name, count),
  };
}

/** u32 length, then bytes; the most follows from the limits. */
export function bytes(most: (limits: Limits) => number): Field<Uint8Array> {
  return {
    write(out, value) {
      out.u32(value.length);
      out.raw(value);
    },
    read(input, name) {
      const length = input.length(name, input.u32(name), most(input.limits), 'bytes');
      return input.raw(name, length);
    },
  };
}

/** A bitmap over the roster: u16 length, then bytes. */
export const indexSet: Field<Uint8Array> = {
  write(out, value, name) {
    if (value.length > U16_MAX) out.fail(`${name}: expected at most ${U16_MAX} bytes, got ${value.length}`);
    out.u16(value.length);
    out.raw(value);
  },
  read(input, name) {
    const most = Math.ceil(input.limits.maxParticipants / 8);
    return input.raw(name, input.length(name, input.u16(name), most, 'bytes'));
  },
};

/** u16 count, then the items one after another. */
export function list<T>(item: Field<T>): Field<readonly T[]> {
  return {
    write(out, values, name) {
      if (values.length > U16_MAX) out.fail(`${name}: expected at most ${U16_MAX}, got ${values.length}`);
      out.u16(values.length);
      for (let i = 0; i < values.length; i++) item.write(out, values[i], `${name}[${i}]`);
    },
    read(input, name) {
      const count = input.length(name, input.u16(name), input.limits.maxParticipants, 'participants');
      const values: T[] = [];
      for (let i = 0; i < count; i++) values.push(item.read(input, `${name}[${i}]`));
      return values;
    },
  };
}
