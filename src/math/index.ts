export { Arena, createKernels } from './arena.ts';
export {
  type Address,
  type Kernels,
  LANES,
  type PassArguments,
  type PassSettings,
  padded,
} from './kernels.ts';
export { JsKernels } from './kernels-js.ts';
export { compileKernels, createWasmKernels } from './kernels-wasm.ts';
export * from './scaling.ts';
