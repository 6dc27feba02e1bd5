/** Whole numbers from 0 to 2^32 - 1, one for each row, while nobody knows how many there will be: half the memory of an array. */

export class GrowingList {
  length = 0;
  private room = new Uint32Array(1024);

  push(value: number): void {
    if (this.length === this.room.length) {
      const larger = new Uint32Array(2 * this.room.length);
      larger.set(this.room);
      this.room = larger;
    }
    this.room[this.length++] = value;
  }

  /** Not a copy: nothing may be pushed afterwards. */
  finish(): Uint32Array {
    return this.room.subarray(0, this.length);
  }
}
