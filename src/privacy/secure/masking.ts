/**
 * The masked vector of Bonawitz et al. 2017, section 4:
 *
 *   y_i = x_i + PRG(b_i) + sum over neighbours j after i of PRG(s_ij) - sum over neighbours j before i of PRG(s_ij)
 *
 * In the sum of all the pairwise masks cancel; the self masks are taken off with the b_i that the holders reveal.
 *
 * Both ends of a pair derive their mask from the question that they answer, too. A coordinator may ask one participant something else and
 * call it counted in, and a threshold of the others, who agree among each other, would uncover its self mask; but then its pairwise masks
 * do not cancel, and the sum is noise. (The paper's participants are asked nothing: their vectors are their own.)
 */
import { bytesToHex } from '@noble/hashes/utils.js';
import { type Context, derive, pairContext } from './keys.ts';
import { addMask, subtractMask } from './prg.ts';
import type { Layout } from './roster.ts';
import { fromMe, type Neighbour, pairSeed, type Seat } from './seat.ts';

export function maskVector(
  words: Uint32Array,
  seat: Seat,
  present: readonly Neighbour[],
  selfMask: Uint8Array,
  round: number,
  question: Uint8Array,
): void {
  addMask(words, selfMaskKey(selfMask, seat.layout, seat.id, round));
  for (const neighbour of present) {
    const key = pairMaskKey(pairSeed(seat, neighbour, round), fromMe(seat, neighbour, round), question);
    if (seat.index < neighbour.index) addMask(words, key);
    else subtractMask(words, key);
  }
}

export function selfMaskKey(
  secret: Uint8Array,
  { federation }: Layout,
  id: string,
  round: number,
): Uint8Array {
  return derive(secret, 'self mask', { federation, round, from: id, to: id });
}

export function pairMaskKey(seed: Uint8Array, context: Context, question: Uint8Array): Uint8Array {
  const statement = bytesToHex(question);
  return derive(seed, 'pairwise keystream', { ...pairContext(context), statement });
}
