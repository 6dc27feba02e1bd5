/**
 * Who exchanges masks and shares with whom (SecAgg+: Bell et al. 2020, section 4): everybody with everybody up to 100
 * participants, above that a k-regular graph (Harary's: k/2 neighbours on either side of a circle) whose places are drawn
 * from the hash of the roster, so that costs grow with k and not with n.
 *
 * Given: at most a share `dropout` vanishes, at most a share `corrupted` works for the coordinator, who may lie in every
 * message and choose whom to call dropped. With k neighbours, k + 1 holders of every secret, threshold t, and X corrupted among k
 * (or k/2) random neighbours, Y dropped, both hypergeometric, for all n participants together:
 *
 *   correct     P[k - Y < t] <= 2^-correctnessBits / n      enough holders stay to recover every mask
 *   private     P[2t <= k + 1 + X] <= 2^-statisticalBits / n
 *                 an honest holder reveals one of two secrets, so no two groups of t can reveal both of a participant
 *   connected   P[k/2 + 1 + X' >= t] <= 2^-statisticalBits / n,  X' among k/2
 *                 who is cut off on one side has too few holders to go on, so the sum cannot be cut into parts
 *
 * k is the smallest for which a threshold exists, t the largest that is correct. Bell et al. ask for P[X >= t] only, against a
 * coordinator that follows the protocol; lying costs larger neighbourhoods. k and t by our own computation, 40 and 20 bits:
 *
 *   dropout, corrupted      n = 100     300       1,000      10,000
 *   5%, 5%                  99  95      56  43     76  58      90  68
 *   10%, 10%                99  90      96  72    134  99     172 126
 *   20%, 10%                99  80     160 109    266 178     374 248
 *   33%, 5%                 99  67     218 126    510 296     972 558
 *   33%, 20%                99  67     299 200    962 629   4,342 2,746
 *
 * Limit: who can try 2^g rosters (a coordinator with corrupted keys to spare) can choose the best of 2^g graphs, and g bits
 * of the 40 are lost. Ask for more bits where that matters; up to 100 there is nothing to choose.
 */
import { chacha20 } from '@noble/ciphers/chacha.js';
import { expPortable, logPortable } from '../../base/random.ts';
import { refuse } from './secure-error.ts';

export interface Security {
  /** Largest share of participants that may vanish during a round. */
  readonly dropout: number;
  /** Largest share of participants that may work for the coordinator. */
  readonly corrupted: number;
  readonly statisticalBits: number;
  readonly correctnessBits: number;
}

export interface GraphParameters {
  readonly neighbours: number;
  /** Shares that give a secret, out of neighbours + 1. */
  readonly threshold: number;
  /** How few may be summed. */
  readonly minimum: number;
  /** How many may work against the others. */
  readonly mostCorrupted: number;
}

const COMPLETE_UP_TO = 100;

/** Up to 100 participants a third may drop out; above, what keeps neighbourhoods small. */
export function defaultSecurity(participants: number): Security {
  const bits = { statisticalBits: 40, correctnessBits: 20 };
  return participants <= COMPLETE_UP_TO
    ? { dropout: 1 / 3, corrupted: 0.2, ...bits }
    : { dropout: 0.1, corrupted: 0.1, ...bits };
}

export function graphParameters(participants: number, security: Security): GraphParameters {
  checkSecurity(participants, security);
  const minimum = participants - Math.floor(security.dropout * participants);
  const mostCorrupted = Math.floor(security.corrupted * participants);
  if (participants > COMPLETE_UP_TO) {
    for (let k = 2; k < participants - 1; k += 2) {
      const threshold = thresholdFor(k, participants, security);
      if (threshold !== undefined) return { neighbours: k, threshold, minimum, mostCorrupted };
    }
  }
  // Nothing is left to chance in the complete graph: who is dropped or corrupted is a neighbour of everybody.
  if (2 * minimum <= participants + mostCorrupted)
    refuse(
      'SECURE_PARAMETERS',
      `secure aggregation: expected 2 (n - dropped) > n + corrupted, got n = ${participants}, dropped = ${participants - minimum}, corrupted = ${mostCorrupted}`,
    );
  return { neighbours: participants - 1, threshold: minimum, minimum, mostCorrupted };
}

function thresholdFor(k: number, n: number, security: Security): number | undefined {
  const dropped = Math.floor(security.dropout * n);
  const corrupted = Math.floor(security.corrupted * n);
  const union = logPortable(n) / Math.LN2;
  const statistical = security.statisticalBits + union;
  const threshold = k - tailQuantile(n - 1, dropped, k, security.correctnessBits + union);
  const hidden = 2 * threshold > k + 1 + tailQuantile(n - 1, corrupted, k, statistical);
  const connected = k / 2 + 1 + tailQuantile(n - 1, corrupted, k / 2, statistical) < threshold;
  return hidden && connected ? threshold : undefined;
}

/** The circle on which neighbours sit: `places[i]` is the place of participant i, `circle` its inverse. */
export interface Circle {
  readonly circle: readonly number[];
  readonly places: readonly number[];
  readonly neighbours: number;
}

export function circleOf(participants: number, neighbours: number, seed: Uint8Array): Circle {
  const all = Array.from({ length: participants }, (_, i) => i);
  // Where everybody is a neighbour of everybody, places do not matter.
  const circle = neighbours >= participants - 1 ? all : shuffled(all, seed);
  const places = new Array<number>(participants);
  for (let place = 0; place < participants; place++) places[circle[place]] = place;
  return { circle, places, neighbours };
}

/** By index, ascending. */
export function neighboursOf({ circle, places, neighbours }: Circle, index: number): number[] {
  const n = circle.length;
  const found: number[] = [];
  for (let rank = 0; rank < neighbours; rank++) {
    // Half of them follow, half come before; in the complete graph all follow.
    const ahead = neighbours >= n - 1 || rank < neighbours / 2 ? rank + 1 : n - neighbours + rank;
    found.push(circle[(places[index] + ahead) % n]);
  }
  return found.sort((a, b) => a - b);
}

/** Which neighbour of `from` this is, counted along the circle: 0 to neighbours - 1. */
export function rankOf({ circle, places, neighbours }: Circle, from: number, to: number): number {
  const n = circle.length;
  const ahead = (places[to] - places[from] + n) % n;
  return neighbours >= n - 1 || ahead <= neighbours / 2 ? ahead - 1 : ahead - (n - neighbours);
}

/** Sorted by 53 bits of keystream each: every order is equally likely up to ties, which do not happen. */
function shuffled(items: readonly number[], seed: Uint8Array): number[] {
  const bytes = chacha20(seed, new Uint8Array(12), new Uint8Array(8 * items.length));
  const words = new Uint32Array(bytes.slice().buffer);
  const key = (i: number) => words[2 * i] * 2 ** 21 + (words[2 * i + 1] >>> 11);
  return [...items].sort((a, b) => key(a) - key(b) || a - b);
}

function checkSecurity(participants: number, security: Security): void {
  const { dropout, corrupted, statisticalBits, correctnessBits } = security;
  const share = (x: number) => x >= 0 && x < 1;
  if (!(share(dropout) && share(corrupted) && statisticalBits > 0 && correctnessBits > 0))
    refuse(
      'SECURE_PARAMETERS',
      `secure aggregation: expected shares below 1 and bits above 0, got ${JSON.stringify(security)}`,
    );
  if (!(Number.isInteger(participants) && participants >= 2 && participants <= 65535))
    refuse('SECURE_PARAMETERS', `secure aggregation: expected 2 to 65535 participants, got ${participants}`);
}

/**
 * The smallest c with P[X > c] <= 2^-bits, X hypergeometric: how many of `marked` out of `population` are in a random draw of `draws`. Exact
 * terms in logarithms, so that probabilities of 2^-60 keep their digits; portable ones, because all participants must find the same.
 */
export function tailQuantile(population: number, marked: number, draws: number, bits: number): number {
  const allowed = expPortable(-bits * Math.LN2);
  const all = logChoose(population, draws);
  let tail = 0;
  for (let c = Math.min(draws, marked); c > 0; c--) {
    tail += expPortable(logChoose(marked, c) + logChoose(population - marked, draws - c) - all);
    if (tail > allowed) return c;
  }
  return 0;
}

/** ln of the number of ways to choose k out of n. */
export function logChoose(n: number, k: number): number {
  return k < 0 || k > n ? Number.NEGATIVE_INFINITY : logFactorial(n) - logFactorial(k) - logFactorial(n - k);
}

const factorials: number[] = [0];

/** Remembered up to the largest n asked for. */
function logFactorial(n: number): number {
  for (let i = factorials.length; i <= n; i++) factorials.push(factorials[i - 1] + logPortable(i));
  return factorials[n];
}
