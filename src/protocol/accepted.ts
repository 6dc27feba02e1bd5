/** The last accepted answer: round u32, and the share of its change that was taken, if not all of it: f64, 1 for all. */
import { type Field, f64, u32 } from './fields.ts';
import type { Accepted } from './messages.ts';

export const accepted: Field<Accepted> = {
  write(out, { round, factor = 1 }, name) {
    u32.write(out, round, `${name}.round`);
    if (!isShare(factor)) out.fail(`${name}.factor: expected a number above 0 and at most 1, got ${factor}`);
    f64.write(out, factor, `${name}.factor`);
  },
  read(input, name) {
    const round = input.u32(`${name}.round`);
    const factor = f64.read(input, `${name}.factor`);
    if (!isShare(factor))
      input.refuse('BAD_FRAME', `${name}.factor: expected a number above 0 and at most 1, got ${factor}`);
    return factor === 1 ? { round } : { round, factor };
  },
};

/** A factor of 0 would be no acceptance. */
function isShare(factor: number): boolean {
  return factor > 0 && factor <= 1;
}
