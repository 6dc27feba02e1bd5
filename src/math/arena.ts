/**
 * One block of kernel memory, handed out in pieces. All participants of a process share one arena: a thousand separate
 * WebAssembly memories would each reserve gigabytes of address space.
 *
 * Free pieces are kept sorted by address and merged with their neighbours; first fit. Growing the memory detaches
 * earlier views, so views are asked for where they are used (`f64(address, length)`) and never kept over an allocation.
 */
import { invariant, KindredError } from '../base/errors.ts';
import type { Address, Kernels } from './kernels.ts';
import { JsKernels } from './kernels-js.ts';
import { createWasmKernels } from './kernels-wasm.ts';

const ALIGNMENT = 64;
const PAGE = 65536;
/** 4 GiB, less one page so that every address and end fits 32 bits. */
const LIMIT = 65535 * PAGE;

interface Piece {
  address: Address;
  bytes: number;
}

export class Arena {
  readonly kernels: Kernels;
  /** Bytes in use. */
  usedBytes = 0;
  private free: Piece[];
  private readonly used = new Map<Address, number>();
  private end: number;
  /** From here on nobody has written: grown memory is zero already, and zeroing it would touch every page twice. */
  private untouched: Address;

  constructor(kernels: Kernels = createKernels()) {
    this.kernels = kernels;
    this.end = kernels.memory.buffer.byteLength;
    this.untouched = this.end;
    // Address 0 stays unused, so that 0 can mean "none".
    this.free = [{ address: ALIGNMENT, bytes: this.end - ALIGNMENT }];
  }

  /** Zeroed memory of at least `bytes`. */
  allocate(bytes: number): Address {
    const size = Math.max(ALIGNMENT, Math.ceil(bytes / ALIGNMENT) * ALIGNMENT);
    let at = this.free.findIndex((piece) => piece.bytes >= size);
    if (at < 0) {
      this.grow(size);
      at = this.free.findIndex((piece) => piece.bytes >= size);
    }
    const piece = this.free[at];
    const { address } = piece;
    piece.address += size;
    piece.bytes -= size;
    if (piece.bytes === 0) this.free.splice(at, 1);
    this.used.set(address, size);
    this.usedBytes += size;
    const dirty = Math.min(size, this.untouched - address);
    if (dirty > 0) new Uint8Array(this.kernels.memory.buffer, address, dirty).fill(0);
    this.untouched = Math.max(this.untouched, address + size);
    return address;
  }

  release(address: Address): void {
    const bytes = this.used.get(address);
    invariant(bytes !== undefined, `arena: released address ${address} was not allocated`);
    this.used.delete(address);
    this.usedBytes -= bytes;
    let at = this.free.findIndex((piece) => piece.address > address);
    if (at < 0) at = this.free.length;
    this.free.splice(at, 0, { address, bytes });
    this.mergeAt(at);
    if (at > 0) this.mergeAt(at - 1);
  }

  f32(address: Address, length: number): Float32Array {
    return new Float32Array(this.kernels.memory.buffer, address, length);
  }

  f64(address: Address, length: number): Float64Array {
    return new Float64Array(this.kernels.memory.buffer, address, length);
  }

  u32(address: Address, length: number): Uint32Array {
    return new Uint32Array(this.kernels.memory.buffer, address, length);
  }

  private mergeAt(i: number): void {
    const piece = this.free[i];
    const next = this.free[i + 1];
    if (!piece || !next || piece.address + piece.bytes !== next.address) return;
    piece.bytes += next.bytes;
    this.free.splice(i + 1, 1);
  }

  private grow(size: number): void {
    const last = this.free.at(-1);
    const spare = last && last.address + last.bytes === this.end ? last.bytes : 0;
    // Half as much again, so that many small allocations do not grow page by page.
    const wanted = Math.max(size - spare, Math.min(this.end / 2, 256 * 1024 * 1024));
    let pages = Math.ceil(wanted / PAGE);
    if (this.end + pages * PAGE > LIMIT) pages = Math.ceil((size - spare) / PAGE);
    if (this.end + pages * PAGE > LIMIT) throw outOfMemory(size, this.usedBytes);
    try {
      this.kernels.memory.grow(pages);
    } catch {
      throw outOfMemory(size, this.usedBytes);
    }
    const address = this.end;
    this.end += pages * PAGE;
    this.free.push({ address, bytes: pages * PAGE });
    this.mergeAt(this.free.length - 2);
  }
}

/** SIMD where the engine has it, plain JavaScript otherwise. */
function createKernels(): Kernels {
  try {
    return createWasmKernels();
  } catch {
    return new JsKernels();
  }
}

function outOfMemory(bytes: number, used: number): KindredError {
  const mib = (b: number) => `${Math.ceil(b / 1048576)} MiB`;
  return new KindredError(
    'OUT_OF_MEMORY',
    `memory: ${mib(bytes)} needed in addition to ${mib(used)} in use, but a process can hold at most 4096 MiB of rows; use fewer rows or features`,
    'run',
  );
}
