/**
 * FlatBuffers, read with every offset and length checked against the bytes that are there. Fields are named by their number in the
 * schema, from 0; absent ones have a default.
 */

export class FlatTable {
  private readonly view: DataView;
  private readonly at: number;
  private readonly vtable: number;
  private readonly vtableSize: number;

  /** The table at a place. */
  constructor(view: DataView, at: number) {
    this.view = view;
    this.at = at;
    // A view throws where a place lies outside.
    this.vtable = at - view.getInt32(at, true);
    this.vtableSize = view.getUint16(this.vtable, true);
  }

  /** The table that a buffer is. */
  static root(bytes: Uint8Array): FlatTable {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return new FlatTable(view, view.getUint32(0, true));
  }

  uint8(field: number): number {
    const at = this.place(field);
    return at === 0 ? 0 : this.view.getUint8(at);
  }

  int16(field: number): number {
    const at = this.place(field);
    return at === 0 ? 0 : this.view.getInt16(at, true);
  }

  int64(field: number): number {
    const at = this.place(field);
    return at === 0 ? 0 : int64(this.view, at);
  }

  table(field: number): FlatTable | undefined {
    const at = this.place(field);
    return at === 0 ? undefined : new FlatTable(this.view, at + this.view.getUint32(at, true));
  }

  /** Numbers of 64 bits, `width` in each element. */
  numbers(field: number, width: 1 | 2): number[][] {
    return this.elements(field, 8 * width).map((at) =>
      Array.from({ length: width }, (_, i) => int64(this.view, at + 8 * i)),
    );
  }

  tables(field: number): FlatTable[] {
    return this.elements(field, 4).map((at) => new FlatTable(this.view, at + this.view.getUint32(at, true)));
  }

  /** Places of the elements of a vector, each of so many bytes. */
  elements(field: number, bytes: number): number[] {
    const at = this.place(field);
    if (at === 0) return [];
    const vector = at + this.view.getUint32(at, true);
    const length = this.view.getUint32(vector, true);
    if (length * bytes > this.view.byteLength - vector - 4)
      throw new Error('a list ends outside its message');
    return Array.from({ length }, (_, i) => vector + 4 + i * bytes);
  }

  /** 0: absent. */
  private place(field: number): number {
    const entry = 4 + 2 * field;
    const offset = entry + 2 <= this.vtableSize ? this.view.getUint16(this.vtable + entry, true) : 0;
    return offset === 0 ? 0 : this.at + offset;
  }
}

function int64(view: DataView, at: number): number {
  const value = Number(view.getBigInt64(at, true));
  if (!Number.isSafeInteger(value)) throw new Error(`a length of ${value}`);
  return value;
}
