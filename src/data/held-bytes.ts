/** The part of a stream that is in memory: bytes are added behind and dropped in front. */

export class HeldBytes {
  private room: Uint8Array;
  private filled = 0;

  /** `size`: room for so many bytes from the start. */
  constructor(size = 0) {
    this.room = new Uint8Array(size);
  }

  get length(): number {
    return this.filled;
  }

  /** A view, valid until the next change. */
  get bytes(): Uint8Array {
    return this.room.subarray(0, this.filled);
  }

  add(chunk: Uint8Array): void {
    const needed = this.filled + chunk.length;
    if (needed > this.room.length) {
      // Twice as much, or a long record would be copied over and over.
      const larger = new Uint8Array(Math.max(needed, 2 * this.room.length));
      larger.set(this.bytes);
      this.room = larger;
    }
    this.room.set(chunk, this.filled);
    this.filled = needed;
  }

  drop(count: number): void {
    this.room.copyWithin(0, count, this.filled);
    this.filled -= count;
  }
}
