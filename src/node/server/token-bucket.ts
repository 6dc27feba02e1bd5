/** A rate that may be exceeded for a while. */
export class TokenBucket {
  private readonly perMs: number;
  private readonly most: number;
  private left: number;
  private atMs: number;

  constructor(perSecond: number, burst: number, now: number) {
    this.perMs = perSecond / 1000;
    this.most = burst;
    this.left = burst;
    this.atMs = now;
  }

  /** Whether there is one to take. */
  take(now: number): boolean {
    this.left = Math.min(this.most, this.left + (now - this.atMs) * this.perMs);
    this.atMs = now;
    if (this.left < 1) return false;
    this.left--;
    return true;
  }
}
