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

interface Exports {
  passRows: PassExport;
  passGram: PassExport;
  shuffle(order: number, count: number, seed: number): void;
  margins(rows: number, n: number, stride: number, z: number, out: number): void;
  combine(rows: number, n: number, stride: number, coefficient: number, out: number): void;
  squaredNorms(rows: number, n: number, stride: number, out: number): void;
  gram(rows: number, n: number, stride: number, out: number, outStride: number): void;
  scaleRow(raw: number, shift: number, factor: number, row: number, stride: number): void;
  rowDot(row: number, stride: number, z: number): number;
  rowAdd(row: number, stride: number, c: number, z: number): void;
}

let compiled: WebAssembly.Module | undefined;

/** Throws where WebAssembly or its SIMD part is missing; `createKernels` then falls back. */
export function createWasmKernels(): Kernels {
  return new WasmKernels(compileKernels());
}

/** Once in a process (or worker): later calls give the same module. */
export function compileKernels(): WebAssembly.Module {
  compiled ??= new WebAssembly.Module(bytesOf(KERNELS_WASM_HEX));
  return compiled;
}

class WasmKernels implements Kernels {
  readonly name = 'wasm-simd';
  readonly memory: KernelMemory;
  readonly shuffle: Exports['shuffle'];
  readonly margins: Exports['margins'];
  readonly combine: Exports['combine'];
  readonly squaredNorms: Exports['squaredNorms'];
  readonly gram: Exports['gram'];
  readonly scaleRow: Exports['scaleRow'];
  readonly rowDot: Exports['rowDot'];
  readonly rowAdd: Exports['rowAdd'];
  private readonly rowsPass: PassExport;
  private readonly gramPass: PassExport;

  constructor(module: WebAssembly.Module) {
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 65536 });
    const instance = new WebAssembly.Instance(module, { env: { memory } });
    const exports = instance.exports as unknown as Exports;
    this.memory = memory as KernelMemory;
    this.rowsPass = exports.passRows;
    this.gramPass = exports.passGram;
    this.shuffle = exports.shuffle;
    this.margins = exports.margins;
    this.combine = exports.combine;
    this.squaredNorms = exports.squaredNorms;
    this.gram = exports.gram;
    this.scaleRow = exports.scaleRow;
    this.rowDot = exports.rowDot;
    this.rowAdd = exports.rowAdd;
  }

  passRows(rows: Address, at: PassArguments, settings: PassSettings): void {
    callPass(this.rowsPass, rows, at, settings);
  }

  passGram(gram: Address, at: PassArguments, settings: PassSettings): void {
    callPass(this.gramPass, gram, at, settings);
  }
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
