/** The kernels in WebAssembly SIMD: `assembly/kernels.ts` compiled, loaded without a file system so that Node and browsers do alike. */
import {
  type Address,
  type KernelMemory,
  type Kernels,
  type PassArguments,
  type PassSettings,
  STEP_FORMS,
} from './kernels.ts';
import { KERNELS_WASM_HEX } from './kernels.wasm.ts';

type PassExport = (...numbers: number[]) => void;
type Exports = Omit<Kernels, 'name' | 'memory' | 'passRows' | 'passGram'> &
  Record<'passRows' | 'passGram', PassExport>;

let compiled: WebAssembly.Module | undefined;

/** Throws where WebAssembly or its SIMD part is missing; `createKernels` then falls back. */
export function createWasmKernels(): Kernels {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 65536 });
  const { exports } = new WebAssembly.Instance(compileKernels(), { env: { memory } });
  const { passRows, passGram, ...others } = { ...exports } as unknown as Exports;
  return {
    ...others,
    name: 'wasm-simd',
    memory: memory as KernelMemory,
    passRows: (rows, at, settings) => callPass(passRows, rows, at, settings),
    passGram: (gram, at, settings) => callPass(passGram, gram, at, settings),
  };
}

/** Once in a process (or worker): later calls give the same module. */
export function compileKernels(): WebAssembly.Module {
  compiled ??= new WebAssembly.Module(bytesOf(KERNELS_WASM_HEX));
  return compiled;
}

function callPass(pass: PassExport, lines: Address, at: PassArguments, s: PassSettings): void {
  const { stride, y, low, high, cap, norm, beta, margin, change, order, report } = at;
  const { active, q, shrink, skip } = s;
  const step = STEP_FORMS.indexOf(s.step);
  const epsilon = s.step === 'tube' ? s.epsilon : 0;
  // biome-ignore format: the order of the kernel's arguments, in its groups
  pass(lines, stride, y, low, high, cap, norm, beta, margin, change, order, active, step, q, epsilon, shrink, skip, report);
}

function bytesOf(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: hex.length / 2 }, (_, i) =>
    Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16),
  );
}
