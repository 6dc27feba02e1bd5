/**
 * SHA-256 (FIPS 180-4), for what every participant hashes: names, rows, what it signs to join. Keys and masks of secure aggregation are made by
 * @noble/hashes; that package has SHA-512 in the same file, whose tables every page would load. Checked against it, and against Node's.
 */

/** The first 32 bits behind the point. */
const fraction = (value: number) => ((value - Math.floor(value)) * 2 ** 32) >>> 0;

/** By Newton's method from above: it stops falling at the last bit. */
function cubeRoot(p: number): number {
  let root = p;
  for (;;) {
    const next = (2 * root + p / (root * root)) / 3;
    if (next >= root) return root;
    root = next;
  }
}

const PRIMES: number[] = [];
for (let n = 2; PRIMES.length < 64; n++) if (PRIMES.every((p) => n % p !== 0)) PRIMES.push(n);

const START = PRIMES.slice(0, 8).map((p) => fraction(Math.sqrt(p)));
const K = Int32Array.from(PRIMES, (p) => fraction(cubeRoot(p)));
const BLOCK_BYTES = 64;
const LENGTH_BYTES = 8;
/** Schedule of the block at hand. */
const W = new Int32Array(64);

const turned = (x: number, by: number) => (x >>> by) | (x << (32 - by));

export class Sha256 {
  private readonly state = Int32Array.from(START);
  private readonly block = new Uint8Array(BLOCK_BYTES);
  private readonly view = new DataView(this.block.buffer);
  private bytes = 0;

  update(data: Uint8Array): this {
    const { block, view } = this;
    let at = 0;
    while (at < data.length) {
      const filled = this.bytes % BLOCK_BYTES;
      const taken = Math.min(BLOCK_BYTES - filled, data.length - at);
      block.set(data.subarray(at, at + taken), filled);
      at += taken;
      this.bytes += taken;
      if (filled + taken === BLOCK_BYTES) this.compress(view);
    }
    return this;
  }

  /** Nothing is added afterwards. */
  digest(): Uint8Array<ArrayBuffer> {
    const { bytes, state } = this;
    const padding = BLOCK_BYTES - ((bytes + LENGTH_BYTES) % BLOCK_BYTES);
    const end = new Uint8Array(padding + LENGTH_BYTES);
    end[0] = 0x80;
    const length = new DataView(end.buffer, padding);
    length.setUint32(0, Math.floor(bytes / 2 ** 29));
    length.setUint32(4, bytes << 3);
    this.update(end);
    const out = new Uint8Array(32);
    const view = new DataView(out.buffer);
    state.forEach((word, i) => {
      view.setInt32(4 * i, word);
    });
    return out;
  }

  private compress(view: DataView): void {
    for (let t = 0; t < 16; t++) W[t] = view.getInt32(4 * t);
    for (let t = 16; t < 64; t++) {
      const x = W[t - 15];
      const y = W[t - 2];
      const s0 = turned(x, 7) ^ turned(x, 18) ^ (x >>> 3);
      const s1 = turned(y, 17) ^ turned(y, 19) ^ (y >>> 10);
      W[t] = W[t - 16] + s0 + W[t - 7] + s1;
    }
    const { state } = this;
    // Not by destructuring: twice as slow.
    let a = state[0];
    let b = state[1];
    let c = state[2];
    let d = state[3];
    let e = state[4];
    let f = state[5];
    let g = state[6];
    let h = state[7];
    for (let t = 0; t < 64; t++) {
      const s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + K[t] + W[t]) | 0;
      const s0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + t1) | 0;
      d = c;
      c = b;
      b = a;
      a = (t1 + t2) | 0;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
  }
}

export function sha256(data: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Sha256().update(data).digest();
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
