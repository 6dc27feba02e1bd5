/**
 * The kernels in plain JavaScript: the oracle that the WebAssembly version must match bit for bit, and the fallback.
 * Sums run in the same lanes and are added in the same order; `Math.fround` makes every f32 step a true f32 step.
 */
import type { Address, KernelMemory, Kernels, PassArguments, PassSettings } from './kernels.ts';
import { entropyStep, towardsZero, vertex } from './steps.ts';

const PAGE = 65536;

class PlainMemory implements KernelMemory {
  buffer = new ArrayBuffer(PAGE);

  grow(pages: number): number {
    const before = this.buffer;
    this.buffer = new ArrayBuffer(before.byteLength + pages * PAGE);
    new Uint8Array(this.buffer).set(new Uint8Array(before));
    return before.byteLength / PAGE;
  }
}

export class JsKernels implements Kernels {
  readonly name = 'javascript';
  readonly memory: KernelMemory = new PlainMemory();
  private buffer: ArrayBuffer | undefined;
  private f32 = new Float32Array();
  private f64 = new Float64Array();
  private u32 = new Uint32Array();

  /** Made again after the memory has grown. */
  private views(): this {
    if (this.buffer === this.memory.buffer) return this;
    this.buffer = this.memory.buffer;
    this.f32 = new Float32Array(this.buffer);
    this.f64 = new Float64Array(this.buffer);
    this.u32 = new Uint32Array(this.buffer);
    return this;
  }

  passRows(rows: Address, at: PassArguments, settings: PassSettings): void {
    const { f32 } = this.views();
    const change = at.change >>> 2;
    this.pass(rows, at, settings, (line) => dotF32(f32, line, change, at.stride));
  }

  passGram(gram: Address, at: PassArguments, settings: PassSettings): void {
    const { f32 } = this.views();
    const change = at.change >>> 2;
    this.pass(gram, at, settings, (_line, i) => f32[change + i]);
  }

  private pass(
    lines: Address,
    at: PassArguments,
    settings: PassSettings,
    movedBy: (line: number, i: number) => number,
  ): void {
    const { f32, f64, u32 } = this;
    const { active, step, q, shrink, skip } = settings;
    const epsilon = step === 'tube' ? settings.epsilon : 0;
    const [y, low, high, norm] = [at.y >>> 3, at.low >>> 3, at.high >>> 3, at.norm >>> 3];
    const [cap, beta, margin, report] = [at.cap >>> 3, at.beta >>> 3, at.margin >>> 3, at.report >>> 3];
    const [order, change, first] = [at.order >>> 2, at.change >>> 2, lines >>> 2];
    let worst = 0;
    let count = active;
    let a = 0;
    while (a < count) {
      const i = u32[order + a];
      let h = q * f64[norm + i];
      if (h === 0) {
        a++;
        continue;
      }
      const line = first + i * at.stride;
      const target = f64[y + i];
      const m = f64[margin + i] + q * movedBy(line, i);
      const b = f64[beta + i];
      let g = target - m;
      if (step === 'entropy') {
        const c = f64[cap + i];
        const next = target * entropyStep(target * b, target * m, h, c);
        const delta = next - b;
        // h + 4/c is the least curvature: a lower bound of the gradient, without a logarithm.
        const violation = Math.abs(delta) * (h + 4 / c);
        if (violation > worst) worst = violation;
        if (violation > skip) {
          f64[beta + i] = next;
          axpyF32(f32, Math.fround(delta), line, change, at.stride);
        }
        a++;
        continue;
      }
      if (step === 'ridge') {
        const ridge = 0.5 / f64[cap + i];
        g -= ridge * b;
        h += ridge;
      }
      const lo = f64[low + i];
      const hi = f64[high + i];
      if (
        (b === hi && g - epsilon > shrink) ||
        (b === lo && g + epsilon < -shrink) ||
        (b === 0 && epsilon > 0 && Math.abs(g) < epsilon - shrink)
      ) {
        count--;
        u32[order + a] = u32[order + count];
        u32[order + count] = i;
        continue;
      }
      // At a bound and wanting to go further out: the step would change nothing, and a division takes long.
      if (epsilon === 0 && ((b === hi && g >= 0) || (b === lo && g <= 0))) {
        a++;
        continue;
      }
      let t = vertex(b, g, h);
      if (epsilon > 0) t = towardsZero(t, epsilon / h);
      const clipped = t < lo ? lo : t > hi ? hi : t;
      const delta = clipped - b;
      if (delta !== 0) {
        const violation = Math.abs(t - b) * h;
        if (violation > worst) worst = violation;
        if (clipped !== t || Math.abs(delta) * h > skip) {
          f64[beta + i] = clipped;
          axpyF32(f32, Math.fround(delta), line, change, at.stride);
        }
      }
      a++;
    }
    f64[report] = worst;
    f64[report + 1] = count;
  }

  shuffle(order: Address, count: number, seed: number): void {
    const { u32 } = this.views();
    const p = order >>> 2;
    let s = seed >>> 0 === 0 ? 0x9e3779b9 : seed >>> 0;
    for (let i = count - 1; i > 0; i--) {
      s ^= s << 13;
      s ^= s >>> 17;
      s ^= s << 5;
      const j = Math.floor(((s >>> 0) * (i + 1)) / 4294967296);
      const t = u32[p + i];
      u32[p + i] = u32[p + j];
      u32[p + j] = t;
    }
  }

  margins(rows: Address, n: number, stride: number, z: Address, out: Address): void {
    const { f32, f64 } = this.views();
    const [x0, z0, o] = [rows >>> 2, z >>> 3, out >>> 3];
    const s = new Float64Array(8);
    for (let i = 0; i < n; i++) {
      s.fill(0);
      const x = x0 + i * stride;
      for (let t = 0; t < stride; t += 8) {
        for (let l = 0; l < 8; l++) s[l] = s[l] + f32[x + t + l] * f64[z0 + t + l];
      }
      f64[o + i] = s[0] + s[2] + (s[4] + s[6]) + (s[1] + s[3] + (s[5] + s[7]));
    }
  }

  combine(rows: Address, n: number, stride: number, coefficient: Address, out: Address): void {
    const { f32, f64 } = this.views();
    const [x0, c0, o] = [rows >>> 2, coefficient >>> 3, out >>> 3];
    for (let i = 0; i < n; i++) {
      const c = f64[c0 + i];
      if (c === 0) continue;
      const x = x0 + i * stride;
      for (let t = 0; t < stride; t++) f64[o + t] = f64[o + t] + c * f32[x + t];
    }
  }

  squaredNorms(rows: Address, n: number, stride: number, out: Address): void {
    const { f32, f64 } = this.views();
    const [x0, o] = [rows >>> 2, out >>> 3];
    for (let i = 0; i < n; i++) {
      const x = x0 + i * stride;
      let sum = 0;
      for (let t = 0; t < stride; t++) sum += f32[x + t] * f32[x + t];
      f64[o + i] = sum;
    }
  }

  gram(rows: Address, n: number, stride: number, out: Address, outStride: number): void {
    const { f32 } = this.views();
    const [x0, o] = [rows >>> 2, out >>> 2];
    const { fround } = Math;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j <= i; j++) {
        const x = x0 + i * stride;
        const z = x0 + j * stride;
        let a0 = 0;
        let a1 = 0;
        let a2 = 0;
        let a3 = 0;
        for (let t = 0; t < stride; t += 4) {
          a0 = fround(a0 + fround(f32[x + t] * f32[z + t]));
          a1 = fround(a1 + fround(f32[x + t + 1] * f32[z + t + 1]));
          a2 = fround(a2 + fround(f32[x + t + 2] * f32[z + t + 2]));
          a3 = fround(a3 + fround(f32[x + t + 3] * f32[z + t + 3]));
        }
        const value = fround(fround(a0 + a1) + fround(a2 + a3));
        f32[o + i * outStride + j] = value;
        f32[o + j * outStride + i] = value;
      }
    }
  }

  scaleRow(raw: Address, shift: Address, factor: Address, row: Address, stride: number): void {
    const { f32, f64 } = this.views();
    const [x, s, c, o] = [raw >>> 3, shift >>> 3, factor >>> 3, row >>> 2];
    for (let t = 0; t < stride; t++) f32[o + t] = (f64[x + t] - f64[s + t]) * f64[c + t];
  }

  rowDot(row: Address, stride: number, z: Address): number {
    const { f32, f64 } = this.views();
    const [x, z0] = [row >>> 2, z >>> 3];
    let a0 = 0;
    let a1 = 0;
    let a2 = 0;
    let a3 = 0;
    for (let t = 0; t < stride; t += 4) {
      a0 += f32[x + t] * f64[z0 + t];
      a1 += f32[x + t + 1] * f64[z0 + t + 1];
      a2 += f32[x + t + 2] * f64[z0 + t + 2];
      a3 += f32[x + t + 3] * f64[z0 + t + 3];
    }
    return a0 + a2 + (a1 + a3);
  }

  rowAdd(row: Address, stride: number, c: number, z: Address): void {
    const { f32, f64 } = this.views();
    const [x, z0] = [row >>> 2, z >>> 3];
    for (let t = 0; t < stride; t++) f64[z0 + t] = f64[z0 + t] + c * f32[x + t];
  }
}

/** x . z in f32 with 16 running sums, as the SIMD version keeps them: four vectors of four lanes. */
function dotF32(f32: Float32Array, x: number, z: number, stride: number): number {
  const { fround } = Math;
  let [a0, a1, a2, a3, a4, a5, a6, a7] = [0, 0, 0, 0, 0, 0, 0, 0];
  let [a8, a9, a10, a11, a12, a13, a14, a15] = [0, 0, 0, 0, 0, 0, 0, 0];
  for (let t = 0; t < stride; t += 16) {
    const p = x + t;
    const r = z + t;
    a0 = fround(a0 + fround(f32[p] * f32[r]));
    a1 = fround(a1 + fround(f32[p + 1] * f32[r + 1]));
    a2 = fround(a2 + fround(f32[p + 2] * f32[r + 2]));
    a3 = fround(a3 + fround(f32[p + 3] * f32[r + 3]));
    a4 = fround(a4 + fround(f32[p + 4] * f32[r + 4]));
    a5 = fround(a5 + fround(f32[p + 5] * f32[r + 5]));
    a6 = fround(a6 + fround(f32[p + 6] * f32[r + 6]));
    a7 = fround(a7 + fround(f32[p + 7] * f32[r + 7]));
    a8 = fround(a8 + fround(f32[p + 8] * f32[r + 8]));
    a9 = fround(a9 + fround(f32[p + 9] * f32[r + 9]));
    a10 = fround(a10 + fround(f32[p + 10] * f32[r + 10]));
    a11 = fround(a11 + fround(f32[p + 11] * f32[r + 11]));
    a12 = fround(a12 + fround(f32[p + 12] * f32[r + 12]));
    a13 = fround(a13 + fround(f32[p + 13] * f32[r + 13]));
    a14 = fround(a14 + fround(f32[p + 14] * f32[r + 14]));
    a15 = fround(a15 + fround(f32[p + 15] * f32[r + 15]));
  }
  const l0 = fround(fround(a0 + a4) + fround(a8 + a12));
  const l1 = fround(fround(a1 + a5) + fround(a9 + a13));
  const l2 = fround(fround(a2 + a6) + fround(a10 + a14));
  const l3 = fround(fround(a3 + a7) + fround(a11 + a15));
  return fround(fround(l0 + l1) + fround(l2 + l3));
}

/** z += c x in f32. */
function axpyF32(f32: Float32Array, c: number, x: number, z: number, stride: number): void {
  const { fround } = Math;
  for (let t = 0; t < stride; t++) f32[z + t] = f32[z + t] + fround(c * f32[x + t]);
}
