/** The last accepted answer: round u32, and the share of its change that was taken, if not all of it: f64, 1 for all. */
import { checked, type Field, f64, record, u32 } from './fields.ts';
import type { Accepted } from './messages.ts';

/** A share of 0 would be no acceptance. */
const share = checked(f64, 'BAD_FRAME', (value, name) =>
  value > 0 && value <= 1 ? undefined : `${name}: expected a number above 0 and at most 1, got ${value}`,
);
const shareOrAll: Field<number | undefined> = {
  write: (out, value = 1, name) => share.write(out, value, name),
  read(input, name) {
    const value = share.read(input, name);
    return value === 1 ? undefined : value;
  },
  same: (a = 1, b = 1) => a === b,
};

export const accepted = record<Accepted>({ round: u32, factor: shareOrAll });
