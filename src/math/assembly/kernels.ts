// The numeric kernels in WebAssembly SIMD (AssemblyScript). `../kernels-js.ts` is the same arithmetic in plain
// JavaScript, lane by lane: the two must give the same bits, so a change here is a change there.
//
// Memory belongs to the caller (see ../arena.ts); every argument is a byte address, a count or a number.
//   rows    n x stride f32, stride a multiple of 16, padded with zeros
//   vectors f64 unless noted otherwise
// No relaxed SIMD: its results differ between machines.

export { gram } from './gram';
export { passGram, passRows } from './pass';
export { combine, margins, rowAdd, rowDot, scaleRow, shuffle, squaredNorms } from './rows';
