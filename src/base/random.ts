/**
 * Derived random streams. Nothing in Kindred draws from a shared generator: whoever needs randomness names what it is
 * for, `stream(seed, purpose, round, participant)`, so results never depend on the order in which things happen.
 *
 * Generator: xoshiro128** (Blackman and Vigna) on 32-bit words, seeded by hashing the name. Only +, *, /, sqrt and
 * integer operations are used (also for the normal distribution), so every engine gives the same bits.
 */

export interface Stream {
  /** 32 random bits. */
  u32(): number;
  /** Uniform in [0, 1), 53 bits. */
  uniform(): number;
  /** Uniform integer in [0, n). */
  below(n: number): number;
  /** Standard normal. */
  normal(): number;
  /** Permutes in place. */
  shuffle(items: { length: number; [i: number]: unknown }): void;
}

export function stream(seed: number, purpose: string, round = 0, participant: number | string = 0): Stream {
  return new Draws(xoshiro(nameState(`${seed}|${purpose}|${round}|${participant}`)));
}

/** One 32-bit seed for a kernel that shuffles by itself, derived in the same way. */
export function seed32(seed: number, purpose: string, round = 0, participant: number | string = 0): number {
  return stream(seed, purpose, round, participant).u32();
}

/** All that can be drawn from random words. */
class Draws implements Stream {
  readonly u32: () => number;
  private spare: number | undefined;

  constructor(u32: () => number) {
    this.u32 = u32;
  }

  uniform(): number {
    const high = this.u32() >>> 5;
    const low = this.u32() >>> 6;
    return (high * 67108864 + low) / 9007199254740992;
  }

  below(n: number): number {
    return Math.floor(this.uniform() * n);
  }

  normal(): number {
    if (this.spare !== undefined) {
      const spare = this.spare;
      this.spare = undefined;
      return spare;
    }
    // Marsaglia's polar method.
    for (;;) {
      const u = 2 * this.uniform() - 1;
      const v = 2 * this.uniform() - 1;
      const s = u * u + v * v;
      if (s >= 1 || s === 0) continue;
      const factor = Math.sqrt((-2 * logPortable(s)) / s);
      this.spare = v * factor;
      return u * factor;
    }
  }

  shuffle(items: { length: number; [i: number]: unknown }): void {
    for (let i = items.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      const t = items[i];
      items[i] = items[j];
      items[j] = t;
    }
  }
}

/** Draws from another source of 32-bit words: the system's entropy, where nobody may be able to predict them. */
export function streamFrom(next: () => number): Stream {
  return new Draws(next);
}

function xoshiro([a, b, c, d]: number[]): () => number {
  return () => {
    const result = Math.imul(rotl(Math.imul(b, 5), 7), 9);
    const t = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= t;
    d = rotl(d, 11);
    return result >>> 0;
  };
}

function rotl(x: number, k: number): number {
  return (x << k) | (x >>> (32 - k));
}

/** Four well-mixed words from a name (FNV-1a per word with different offsets, then a murmur finaliser). */
function nameState(name: string): number[] {
  const words = [0x811c9dc5, 0x9e3779b9, 0x85ebca6b, 0xc2b2ae35];
  for (let i = 0; i < name.length; i++) {
    const ch = name.charCodeAt(i);
    for (let k = 0; k < 4; k++) words[k] = Math.imul(words[k] ^ (ch + k * 0x101), 0x01000193 + 2 * k);
  }
  for (let k = 0; k < 4; k++) words[k] = finalise(words[k] ^ words[(k + 1) & 3]);
  if ((words[0] | words[1] | words[2] | words[3]) === 0) words[0] = 1;
  return words;
}

function finalise(h: number): number {
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** e^x from +, * and / alone: x = k ln 2 + r, |r| <= ln 2 / 2, and a Taylor series of r. */
export function expPortable(x: number): number {
  const k = Math.round(x / Math.LN2);
  if (k > 1024) return Number.POSITIVE_INFINITY;
  if (k < -1074) return 0;
  const r = x - k * Math.LN2;
  let sum = 1;
  for (let n = 18; n >= 1; n--) sum = 1 + (sum * r) / n;
  for (let e = 0; e < k; e++) sum *= 2;
  for (let e = 0; e > k; e--) sum /= 2;
  return sum;
}

/**
 * Natural logarithm from +, * and / alone (Math.log may differ between engines).
 * x = m 2^e with m in [sqrt(1/2), sqrt(2)), ln m = 2 artanh((m-1)/(m+1)); error below 1e-15 relative.
 */
export function logPortable(x: number): number {
  if (!(x > 0)) return x === 0 ? Number.NEGATIVE_INFINITY : Number.NaN;
  let e = 0;
  while (x < Math.SQRT1_2) {
    x *= 2;
    e--;
  }
  while (x >= Math.SQRT2) {
    x /= 2;
    e++;
  }
  const t = (x - 1) / (x + 1);
  const t2 = t * t;
  let sum = 0;
  for (let k = 25; k >= 1; k -= 2) sum = sum * t2 + 1 / k;
  return 2 * t * sum + e * Math.LN2;
}
