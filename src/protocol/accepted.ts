/**
 * What became of an update: round u32, weights, and the factor if there is one. Weights are a u32 length, then f64 whatever
 * the precision: few, and both sides must combine with the very same ones. Whether there is a factor says bit 31 of that
 * length, which no length reaches: without one the bytes are those of round and weights alone.
 */
import { type Field, f64, u32 } from './fields.ts';
import type { Accepted } from './messages.ts';

const HAS_FACTOR = 0x8000_0000;

export const accepted: Field<Accepted> = {
  write(out, { round, weights, factor }, name) {
    u32.write(out, round, `${name}.round`);
    u32.write(out, weights.length + (factor === undefined ? 0 : HAS_FACTOR), `${name}.weights`);
    for (const [i, weight] of weights.entries()) f64.write(out, weight, `${name}.weights[${i}]`);
    if (factor === undefined) return;
    if (!isShortening(factor)) out.fail(`${name}.factor: expected a number between 0 and 1, got ${factor}`);
    f64.write(out, factor, `${name}.factor`);
  },
  read(input, name) {
    const round = input.u32(`${name}.round`);
    const coded = input.u32(`${name}.weights`);
    const hasFactor = coded >= HAS_FACTOR;
    const count = hasFactor ? coded - HAS_FACTOR : coded;
    const length = input.length(`${name}.weights`, count, input.limits.maxWeights, 'weights');
    const weights: number[] = [];
    for (let i = 0; i < length; i++) weights.push(f64.read(input, `${name}.weights[${i}]`));
    if (!hasFactor) return { round, weights };
    const factor = f64.read(input, `${name}.factor`);
    if (!isShortening(factor))
      input.refuse('BAD_FRAME', `${name}.factor: expected a number between 0 and 1, got ${factor}`);
    return { round, weights, factor };
  },
};

/** A factor of 1 is not said, and one of 0 would be no acceptance. */
function isShortening(factor: number): boolean {
  return factor > 0 && factor < 1;
}
