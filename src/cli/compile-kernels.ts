/**
 * The kernels, compiled once and for all when a command begins. V8 compiles WebAssembly lazily and twice: a quick version
 * first, whose loops are several times as slow, and a good one in the background once a function has proved to be hot. A
 * training is over in less time than that takes, most of all on a machine that is busy.
 *
 * The flags hold for this one module: they are put back before anything else is compiled. Threads that compile the same
 * bytes later are given the same code.
 */
import { setFlagsFromString } from 'node:v8';
import { compileKernels } from '../math/kernels-wasm.ts';

export function compileKernelsFully(): void {
  setFlagsFromString('--no-liftoff');
  setFlagsFromString('--no-wasm-lazy-compilation');
  try {
    compileKernels();
  } catch {
    // No WebAssembly SIMD here: `createKernels` falls back to plain JavaScript.
  } finally {
    setFlagsFromString('--wasm-lazy-compilation');
    setFlagsFromString('--liftoff');
  }
}
