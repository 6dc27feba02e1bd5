// The numeric kernels in WebAssembly SIMD (AssemblyScript). `../kernels-js.ts` is the same arithmetic in plain
// JavaScript, lane by lane: the two must give the same bits, so a change here is a change there.
//
// Memory belongs to the caller (see ../arena.ts); every argument is a byte address, a count or a number.
//   rows    n x stride f32, stride a multiple of 16, padded with zeros
//   vectors f64 unless said otherwise
// No relaxed SIMD: its results differ between machines.

const ROW_FORM: i32 = 0;
const GRAM_FORM: i32 = 1;

@inline
function sumLanes(v: v128): f32 {
  return (
    f32x4.extract_lane(v, 0) +
    f32x4.extract_lane(v, 1) +
    (f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3))
  );
}

/** x . z with both in f32, 16 running sums. */
@inline
function dotF32(x: usize, z: usize, stride: i32): f32 {
  let a0 = f32x4.splat(0);
  let a1 = f32x4.splat(0);
  let a2 = f32x4.splat(0);
  let a3 = f32x4.splat(0);
  const end = x + ((<usize>stride) << 2);
  while (x < end) {
    a0 = f32x4.add(a0, f32x4.mul(v128.load(x), v128.load(z)));
    a1 = f32x4.add(a1, f32x4.mul(v128.load(x, 16), v128.load(z, 16)));
    a2 = f32x4.add(a2, f32x4.mul(v128.load(x, 32), v128.load(z, 32)));
    a3 = f32x4.add(a3, f32x4.mul(v128.load(x, 48), v128.load(z, 48)));
    x += 64;
    z += 64;
  }
  return sumLanes(f32x4.add(f32x4.add(a0, a1), f32x4.add(a2, a3)));
}

/** z += c x in f32. */
@inline
function axpyF32(c: f32, x: usize, z: usize, stride: i32): void {
  const cc = f32x4.splat(c);
  const end = x + ((<usize>stride) << 2);
  while (x < end) {
    v128.store(z, f32x4.add(v128.load(z), f32x4.mul(cc, v128.load(x))));
    v128.store(z, f32x4.add(v128.load(z, 16), f32x4.mul(cc, v128.load(x, 16))), 16);
    v128.store(z, f32x4.add(v128.load(z, 32), f32x4.mul(cc, v128.load(x, 32))), 32);
    v128.store(z, f32x4.add(v128.load(z, 48), f32x4.mul(cc, v128.load(x, 48))), 48);
    x += 64;
    z += 64;
  }
}

/**
 * One pass of coordinate ascent over order[0..active). `lines` are the rows (row form: `change` is the change of z,
 * per feature) or the Gram matrix (Gram form: `change` is the change of the margins, per row).
 */
@inline
function pass(
  form: i32,
  lines: usize,
  stride: i32,
  y: usize,
  low: usize,
  high: usize,
  norm: usize,
  beta: usize,
  margin: usize,
  change: usize,
  order: usize,
  active: i32,
  q: f64,
  epsilon: f64,
  shrink: f64,
  skip: f64,
  report: usize,
): void {
  let worst: f64 = 0;
  let count = active;
  let a: i32 = 0;
  while (a < count) {
    const i = load<u32>(order + ((<usize>a) << 2));
    const i8 = (<usize>i) << 3;
    const h = q * load<f64>(norm + i8);
    if (h == 0) {
      a++;
      continue;
    }
    const line = lines + (<usize>i) * ((<usize>stride) << 2);
    const moved: f64 =
      form == ROW_FORM ? <f64>dotF32(line, change, stride) : <f64>load<f32>(change + ((<usize>i) << 2));
    const g = load<f64>(y + i8) - (load<f64>(margin + i8) + q * moved);
    const b = load<f64>(beta + i8);
    const lo = load<f64>(low + i8);
    const hi = load<f64>(high + i8);
    if (
      (b == hi && g - epsilon > shrink) ||
      (b == lo && g + epsilon < -shrink) ||
      (b == 0 && epsilon > 0 && Math.abs(g) < epsilon - shrink)
    ) {
      count--;
      store<u32>(order + ((<usize>a) << 2), load<u32>(order + ((<usize>count) << 2)));
      store<u32>(order + ((<usize>count) << 2), i);
      continue;
    }
    let t = b + g / h;
    if (epsilon > 0) {
      const e = epsilon / h;
      t = t > e ? t - e : t < -e ? t + e : 0;
    }
    const clipped = t < lo ? lo : t > hi ? hi : t;
    const delta = clipped - b;
    if (delta != 0) {
      const violation = Math.abs(t - b) * h;
      if (violation > worst) worst = violation;
      if (clipped != t || Math.abs(delta) * h > skip) {
        store<f64>(beta + i8, clipped);
        axpyF32(<f32>delta, line, change, stride);
      }
    }
    a++;
  }
  store<f64>(report, worst);
  store<f64>(report, <f64>count, 8);
}

export function passRows(
  rows: usize,
  stride: i32,
  y: usize,
  low: usize,
  high: usize,
  norm: usize,
  beta: usize,
  margin: usize,
  change: usize,
  order: usize,
  active: i32,
  q: f64,
  epsilon: f64,
  shrink: f64,
  skip: f64,
  report: usize,
): void {
  pass(
    ROW_FORM, rows, stride, y, low, high, norm, beta, margin, change, order, active, q, epsilon, shrink, skip, report,
  );
}

export function passGram(
  gram: usize,
  stride: i32,
  y: usize,
  low: usize,
  high: usize,
  norm: usize,
  beta: usize,
  margin: usize,
  change: usize,
  order: usize,
  active: i32,
  q: f64,
  epsilon: f64,
  shrink: f64,
  skip: f64,
  report: usize,
): void {
  pass(
    GRAM_FORM, gram, stride, y, low, high, norm, beta, margin, change, order, active, q, epsilon, shrink, skip, report,
  );
}

/** Fisher-Yates over order[0..count), driven by xorshift32. */
export function shuffle(order: usize, count: i32, seed: u32): void {
  let s: u32 = seed == 0 ? 0x9e3779b9 : seed;
  for (let i = count - 1; i > 0; i--) {
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    const j = <usize>(<u32>((<f64>s * <f64>(i + 1)) / 4294967296.0));
    const pi = order + ((<usize>i) << 2);
    const pj = order + (j << 2);
    const t = load<u32>(pi);
    store<u32>(pi, load<u32>(pj));
    store<u32>(pj, t);
  }
}

/** out[i] = rows[i] . z, products and sums in f64 (8 running sums). */
export function margins(rows: usize, n: i32, stride: i32, z: usize, out: usize): void {
  for (let i: i32 = 0; i < n; i++) {
    let x = rows + (<usize>i) * ((<usize>stride) << 2);
    const end = x + ((<usize>stride) << 2);
    let p = z;
    let a0 = f64x2.splat(0);
    let a1 = f64x2.splat(0);
    let a2 = f64x2.splat(0);
    let a3 = f64x2.splat(0);
    while (x < end) {
      a0 = f64x2.add(a0, f64x2.mul(f64x2.promote_low_f32x4(v128.load64_zero(x)), v128.load(p)));
      a1 = f64x2.add(a1, f64x2.mul(f64x2.promote_low_f32x4(v128.load64_zero(x, 8)), v128.load(p, 16)));
      a2 = f64x2.add(a2, f64x2.mul(f64x2.promote_low_f32x4(v128.load64_zero(x, 16)), v128.load(p, 32)));
      a3 = f64x2.add(a3, f64x2.mul(f64x2.promote_low_f32x4(v128.load64_zero(x, 24)), v128.load(p, 48)));
      x += 32;
      p += 64;
    }
    const s = f64x2.add(f64x2.add(a0, a1), f64x2.add(a2, a3));
    store<f64>(out + ((<usize>i) << 3), f64x2.extract_lane(s, 0) + f64x2.extract_lane(s, 1));
  }
}

/** out += sum_i coefficient[i] rows[i], in f64; zero coefficients cost nothing. */
export function combine(rows: usize, n: i32, stride: i32, coefficient: usize, out: usize): void {
  for (let i: i32 = 0; i < n; i++) {
    const c = load<f64>(coefficient + ((<usize>i) << 3));
    if (c == 0) continue;
    const cc = f64x2.splat(c);
    let x = rows + (<usize>i) * ((<usize>stride) << 2);
    const end = x + ((<usize>stride) << 2);
    let p = out;
    while (x < end) {
      v128.store(p, f64x2.add(v128.load(p), f64x2.mul(cc, f64x2.promote_low_f32x4(v128.load64_zero(x)))));
      v128.store(p, f64x2.add(v128.load(p, 16), f64x2.mul(cc, f64x2.promote_low_f32x4(v128.load64_zero(x, 8)))), 16);
      x += 16;
      p += 32;
    }
  }
}

/**
 * out[i][j] = rows[i] . rows[j] in f32 for all pairs, out padded to `outStride`. Four lanes per pair; 4 x 2 pairs at a
 * time share their loads, which changes the speed and not the sums.
 */
export function gram(rows: usize, n: i32, stride: i32, out: usize, outStride: i32): void {
  const rowBytes = (<usize>stride) << 2;
  const outBytes = (<usize>outStride) << 2;
  for (let i: i32 = 0; i < n; i += 4) {
    for (let j: i32 = 0; j < i + 4 && j < n; j += 2) {
      // Rows past the end repeat the last one: computed, never stored.
      const x0 = rows + (<usize>i) * rowBytes;
      const x1 = rows + (<usize>min(i + 1, n - 1)) * rowBytes;
      const x2 = rows + (<usize>min(i + 2, n - 1)) * rowBytes;
      const x3 = rows + (<usize>min(i + 3, n - 1)) * rowBytes;
      const z0 = rows + (<usize>j) * rowBytes;
      const z1 = rows + (<usize>min(j + 1, n - 1)) * rowBytes;
      let a00 = f32x4.splat(0);
      let a01 = f32x4.splat(0);
      let a10 = f32x4.splat(0);
      let a11 = f32x4.splat(0);
      let a20 = f32x4.splat(0);
      let a21 = f32x4.splat(0);
      let a30 = f32x4.splat(0);
      let a31 = f32x4.splat(0);
      for (let t: usize = 0; t < rowBytes; t += 16) {
        const v0 = v128.load(z0 + t);
        const v1 = v128.load(z1 + t);
        let u = v128.load(x0 + t);
        a00 = f32x4.add(a00, f32x4.mul(u, v0));
        a01 = f32x4.add(a01, f32x4.mul(u, v1));
        u = v128.load(x1 + t);
        a10 = f32x4.add(a10, f32x4.mul(u, v0));
        a11 = f32x4.add(a11, f32x4.mul(u, v1));
        u = v128.load(x2 + t);
        a20 = f32x4.add(a20, f32x4.mul(u, v0));
        a21 = f32x4.add(a21, f32x4.mul(u, v1));
        u = v128.load(x3 + t);
        a30 = f32x4.add(a30, f32x4.mul(u, v0));
        a31 = f32x4.add(a31, f32x4.mul(u, v1));
      }
      putPair(out, outBytes, n, i, j, a00);
      putPair(out, outBytes, n, i, j + 1, a01);
      putPair(out, outBytes, n, i + 1, j, a10);
      putPair(out, outBytes, n, i + 1, j + 1, a11);
      putPair(out, outBytes, n, i + 2, j, a20);
      putPair(out, outBytes, n, i + 2, j + 1, a21);
      putPair(out, outBytes, n, i + 3, j, a30);
      putPair(out, outBytes, n, i + 3, j + 1, a31);
    }
  }
}

@inline
function putPair(out: usize, outBytes: usize, n: i32, i: i32, j: i32, lanes: v128): void {
  if (i >= n || j > i) return;
  const value = sumLanes(lanes);
  store<f32>(out + (<usize>i) * outBytes + ((<usize>j) << 2), value);
  store<f32>(out + (<usize>j) * outBytes + ((<usize>i) << 2), value);
}

/** rows[i] . z in f64, one row (stochastic gradient steps). */
export function rowDot(row: usize, stride: i32, z: usize): f64 {
  let a0 = f64x2.splat(0);
  let a1 = f64x2.splat(0);
  const end = row + ((<usize>stride) << 2);
  while (row < end) {
    a0 = f64x2.add(a0, f64x2.mul(f64x2.promote_low_f32x4(v128.load64_zero(row)), v128.load(z)));
    a1 = f64x2.add(a1, f64x2.mul(f64x2.promote_low_f32x4(v128.load64_zero(row, 8)), v128.load(z, 16)));
    row += 16;
    z += 32;
  }
  const s = f64x2.add(a0, a1);
  return f64x2.extract_lane(s, 0) + f64x2.extract_lane(s, 1);
}

/** z += c row in f64, one row. */
export function rowAdd(row: usize, stride: i32, c: f64, z: usize): void {
  const cc = f64x2.splat(c);
  const end = row + ((<usize>stride) << 2);
  while (row < end) {
    v128.store(z, f64x2.add(v128.load(z), f64x2.mul(cc, f64x2.promote_low_f32x4(v128.load64_zero(row)))));
    row += 8;
    z += 16;
  }
}
