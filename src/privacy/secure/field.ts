/**
 * The field GF(2^16) = GF(2)[z] / (z^16 + z^12 + z^3 + z + 1), in which secrets are shared. Addition is XOR.
 *
 * Why this field: shares are as long as the secret (a prime field above 2^128 or 2^256 adds a byte), 65,535 points are enough for
 * every participant to have its own (GF(2^8) ends at 255 and neighbourhoods are larger for high dropout), and no BigInt is
 * needed. Points and interpolation weights are public and use logarithm tables; secret values are only ever multiplied by a
 * public factor, in a loop over the bits of that factor, so neither branches nor addresses depend on a secret.
 */

const ORDER = 65535;
const LOW_TERMS = 0x100b;

/** log[x] and exp[i] of the generator z; exp is doubled so that a sum of two logarithms needs no reduction. */
const { log, exp } = tables();

/** Of public values only. */
export function multiply(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : exp[log[a] + log[b]];
}

/** Of public values only; b is not 0. */
export function divide(a: number, b: number): number {
  return a === 0 ? 0 : exp[log[a] + ORDER - log[b]];
}

/** sum += factor * secret, entry by entry. Every word holds two elements of the field. */
export function addProduct(sum: Uint32Array, factor: number, secret: Uint32Array): void {
  for (let i = 0; i < sum.length; i++) {
    let multiple = secret[i];
    let product = 0;
    for (let bits = factor; bits !== 0; bits >>>= 1) {
      product ^= multiple & -(bits & 1);
      multiple = timesZ(multiple);
    }
    sum[i] ^= product;
  }
}

/** Multiplies both halves of a word by z: what is shifted out of a half comes back as z^12 + z^3 + z + 1. */
function timesZ(word: number): number {
  const carry = (word >>> 15) & 0x00010001;
  return ((word << 1) & 0xfffefffe) ^ Math.imul(carry, LOW_TERMS);
}

function tables(): { log: Uint16Array; exp: Uint16Array } {
  const log = new Uint16Array(ORDER + 1);
  const exp = new Uint16Array(2 * ORDER);
  let x = 1;
  for (let i = 0; i < ORDER; i++) {
    exp[i] = exp[i + ORDER] = x;
    log[x] = i;
    x = timesZ(x) & 0xffff;
  }
  return { log, exp };
}
