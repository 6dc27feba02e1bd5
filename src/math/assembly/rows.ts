// Kernels over rows in f64: margins, combinations, norms, scaling, single rows; and the order in which a pass visits them.

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

/** The first row from i on whose coefficient is not zero; n where there is none. */
@inline
function nextUsed(coefficient: usize, i: i32, n: i32): i32 {
  while (i < n && load<f64>(coefficient + ((<usize>i) << 3)) == 0) i++;
  return i;
}

/** sum + c x for two of a row's values. */
@inline
function addTwo(sum: v128, c: v128, x: usize): v128 {
  return f64x2.add(sum, f64x2.mul(c, f64x2.promote_low_f32x4(v128.load64_zero(x))));
}

/**
 * out += sum_i coefficient[i] rows[i], in f64; zero coefficients cost nothing. Four rows at a time share the loads and
 * stores of `out`; each value still adds its rows one after the other.
 */
export function combine(rows: usize, n: i32, stride: i32, coefficient: usize, out: usize): void {
  const rowBytes = (<usize>stride) << 2;
  let i = nextUsed(coefficient, 0, n);
  while (i < n) {
    const j = nextUsed(coefficient, i + 1, n);
    const k = nextUsed(coefficient, j + 1, n);
    const l = nextUsed(coefficient, k + 1, n);
    let x0 = rows + (<usize>i) * rowBytes;
    const c0 = v128.load64_splat(coefficient + ((<usize>i) << 3));
    let p = out;
    const end = x0 + rowBytes;
    if (l >= n) {
      while (x0 < end) {
        v128.store(p, addTwo(v128.load(p), c0, x0));
        v128.store(p, addTwo(v128.load(p, 16), c0, x0 + 8), 16);
        x0 += 16;
        p += 32;
      }
      i = j;
      continue;
    }
    let x1 = rows + (<usize>j) * rowBytes;
    let x2 = rows + (<usize>k) * rowBytes;
    let x3 = rows + (<usize>l) * rowBytes;
    const c1 = v128.load64_splat(coefficient + ((<usize>j) << 3));
    const c2 = v128.load64_splat(coefficient + ((<usize>k) << 3));
    const c3 = v128.load64_splat(coefficient + ((<usize>l) << 3));
    while (x0 < end) {
      v128.store(p, addTwo(addTwo(addTwo(addTwo(v128.load(p), c0, x0), c1, x1), c2, x2), c3, x3));
      v128.store(
        p,
        addTwo(addTwo(addTwo(addTwo(v128.load(p, 16), c0, x0 + 8), c1, x1 + 8), c2, x2 + 8), c3, x3 + 8),
        16,
      );
      x0 += 16;
      x1 += 16;
      x2 += 16;
      x3 += 16;
      p += 32;
    }
    i = nextUsed(coefficient, l + 1, n);
  }
}

/**
 * out[i] = |rows[i]|^2 in f64, the values of a row added one after the other; four rows at a time, because such a sum
 * waits for itself.
 */
export function squaredNorms(rows: usize, n: i32, stride: i32, out: usize): void {
  const rowBytes = (<usize>stride) << 2;
  for (let i: i32 = 0; i < n; i += 4) {
    // Rows past the end repeat the last one: computed, never stored.
    let x0 = rows + (<usize>i) * rowBytes;
    let x1 = rows + (<usize>min(i + 1, n - 1)) * rowBytes;
    let x2 = rows + (<usize>min(i + 2, n - 1)) * rowBytes;
    let x3 = rows + (<usize>min(i + 3, n - 1)) * rowBytes;
    const end = x0 + rowBytes;
    let a0: f64 = 0;
    let a1: f64 = 0;
    let a2: f64 = 0;
    let a3: f64 = 0;
    while (x0 < end) {
      const v0 = <f64>load<f32>(x0);
      const v1 = <f64>load<f32>(x1);
      const v2 = <f64>load<f32>(x2);
      const v3 = <f64>load<f32>(x3);
      a0 += v0 * v0;
      a1 += v1 * v1;
      a2 += v2 * v2;
      a3 += v3 * v3;
      x0 += 4;
      x1 += 4;
      x2 += 4;
      x3 += 4;
    }
    const at = out + ((<usize>i) << 3);
    store<f64>(at, a0);
    if (i + 1 < n) store<f64>(at, a1, 8);
    if (i + 2 < n) store<f64>(at, a2, 16);
    if (i + 3 < n) store<f64>(at, a3, 24);
  }
}

/** row = (raw - shift) factor, rounded to f32 at the end; all padded to stride. */
export function scaleRow(raw: usize, shift: usize, factor: usize, row: usize, stride: i32): void {
  const end = row + ((<usize>stride) << 2);
  while (row < end) {
    const v = f64x2.mul(f64x2.sub(v128.load(raw), v128.load(shift)), v128.load(factor));
    v128.store64_lane(row, f32x4.demote_f64x2_zero(v), 0);
    raw += 16;
    shift += 16;
    factor += 16;
    row += 8;
  }
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
