/**
 * Challenges to sign. They are not kept: a challenge proves by a MAC that it was made here, for this federation, and when, by
 * this server's own clock. Only those that were used are remembered, until they would have expired: strangers who ask for
 * millions of them take no memory, and no signature is good twice.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const LIFETIME_MS = 60_000;
const RANDOM_BYTES = 16;
const MAC_BYTES = 32;
/** Some 20 MB. Whoever signs may be anybody, with any key. */
const MOST_USED = 100_000;

export class Challenges {
  private readonly secret = randomBytes(32);
  private readonly now: () => number;
  /** Used ones and when they expire, oldest first. */
  private readonly used = new Map<string, number>();

  constructor(now: () => number) {
    this.now = now;
  }

  make(federation: string): string {
    const body = Buffer.alloc(8 + RANDOM_BYTES);
    body.writeDoubleLE(this.now() + LIFETIME_MS);
    randomBytes(RANDOM_BYTES).copy(body, 8);
    return Buffer.concat([body, this.macOf(federation, body)]).toString('base64url');
  }

  /** Whether it was made here, for this federation, not too long ago, and is not used. */
  isGood(federation: string, challenge: string): boolean {
    const bytes = Buffer.from(challenge, 'base64url');
    // Other spellings of the same bytes would pass for other challenges.
    if (bytes.length !== 8 + RANDOM_BYTES + MAC_BYTES || bytes.toString('base64url') !== challenge)
      return false;
    const body = bytes.subarray(0, 8 + RANDOM_BYTES);
    if (!timingSafeEqual(bytes.subarray(body.length), this.macOf(federation, body))) return false;
    return body.readDoubleLE() > this.now() && !this.used.has(challenge);
  }

  /** False: too many were used in the last minute to remember one more. */
  use(challenge: string): boolean {
    const now = this.now();
    for (const [old, expires] of this.used) {
      if (expires > now) break;
      this.used.delete(old);
    }
    if (this.used.size >= MOST_USED) return false;
    this.used.set(challenge, now + LIFETIME_MS);
    return true;
  }

  private macOf(federation: string, body: Buffer): Buffer {
    return createHmac('sha256', this.secret).update(body).update(federation).digest();
  }
}
