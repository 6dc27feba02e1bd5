/**
 * The kernels' interface. Two versions exist: plain JavaScript (the oracle, and the fallback where there is no SIMD) and
 * WebAssembly SIMD. They work on the same memory layout and give the same bits.
 *
 * Addresses are byte offsets into the memory of an `Arena`. Shapes:
 *   rows     n x stride f32, stride a multiple of LANES, padding zero
 *   gram     n x gramStride f32, gramStride a multiple of LANES, padding zero
 *   vectors  f64, `z` and `out` of a row operation padded to stride
 *   order    u32 row numbers
 */
export type Address = number;

/** Rows are padded to this many f32 values (64 bytes). */
const LANES = 16;

export function padded(length: number): number {
  return Math.ceil(length / LANES) * LANES;
}

/** What a pass over the coordinates reads and writes; the same for both forms. */
export interface PassArguments {
  readonly stride: number;
  readonly y: Address;
  readonly low: Address;
  readonly high: Address;
  /** C = C1 c of each row. */
  readonly cap: Address;
  /** |x_i|^2, f64. Rows with 0 are skipped. */
  readonly norm: Address;
  readonly beta: Address;
  /** x_i . z at the start of the solve, f64. */
  readonly margin: Address;
  /** f32: sum of (change of beta_i) x_i (row form), or of (change of beta_i) G_i (Gram form). */
  readonly change: Address;
  readonly order: Address;
  /** Two f64 out: largest violation met, and the number of rows still active. */
  readonly report: Address;
}

/**
 * How a row's one-dimensional problem is solved (steps.ts):
 *   clip     s linear: the vertex of a parabola, clipped to the box
 *   tube     the same, drawn towards 0 by epsilon
 *   ridge    s quadratic: 1/(2C) more on the diagonal
 *   entropy  s an entropy: Newton's method; nothing is ever at a bound, so nothing is shrunk
 * The order is that of the numbers in assembly/pass.ts.
 */
export const STEP_FORMS = ['clip', 'tube', 'ridge', 'entropy'] as const;
export type StepForm = (typeof STEP_FORMS)[number];

export interface PassSettings {
  readonly active: number;
  readonly step: StepForm;
  /** sigma + 1/C2. */
  readonly q: number;
  /** Of the tube. */
  readonly epsilon: number;
  /** Rows at a bound by more than this are left out of the next passes; Infinity: none. */
  readonly shrink: number;
  /** Moves smaller than this (in units of the margin) are not made, unless they end at a bound: small boxes make all moves small. */
  readonly skip: number;
}

export interface Kernels {
  readonly name: 'wasm-simd' | 'javascript';
  readonly memory: KernelMemory;
  passRows(rows: Address, at: PassArguments, settings: PassSettings): void;
  passGram(gram: Address, at: PassArguments, settings: PassSettings): void;
  shuffle(order: Address, count: number, seed: number): void;
  margins(rows: Address, n: number, stride: number, z: Address, out: Address): void;
  combine(rows: Address, n: number, stride: number, coefficient: Address, out: Address): void;
  squaredNorms(rows: Address, n: number, stride: number, out: Address): void;
  gram(rows: Address, n: number, stride: number, out: Address, outStride: number): void;
  scaleRow(raw: Address, shift: Address, factor: Address, row: Address, stride: number): void;
  rowDot(row: Address, stride: number, z: Address): number;
  rowAdd(row: Address, stride: number, c: number, z: Address): void;
}

/** Memory that grows by whole 64 KiB pages; growing detaches earlier views of `buffer`. */
export interface KernelMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}
