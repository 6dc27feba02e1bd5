/** The last accepted answer: round u32, and the share of its change that was taken, if not all of it: f64, 1 for all. */
import { type Field, f64, record, u32 } from './fields.ts';
import type { Accepted } from './messages.ts';

/** A share of 0 would be no acceptance. */
const share: Field<number | undefined> = {
  write(out, value = 1, name) {
    if (!isShare(value)) out.fail(`${name}: expected a number above 0 and at most 1, got ${value}`);
    f64.write(out, value, name);
  },
  read(input, name) {
    const value = f64.read(input, name);
    if (!isShare(value))
      input.refuse('BAD_FRAME', `${name}: expected a number above 0 and at most 1, got ${value}`);
    return value === 1 ? undefined : value;
  },
  same: (a = 1, b = 1) => a === b,
};

function isShare(value: number): boolean {
  return value > 0 && value <= 1;
}

export const accepted: Field<Accepted> = record<Accepted>({ round: u32, factor: share });
