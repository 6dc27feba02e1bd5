// The Gram matrix of a shard's rows.
import { sumLanes } from './lanes';

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
      let x0 = rows + (<usize>i) * rowBytes;
      let x1 = rows + (<usize>min(i + 1, n - 1)) * rowBytes;
      let x2 = rows + (<usize>min(i + 2, n - 1)) * rowBytes;
      let x3 = rows + (<usize>min(i + 3, n - 1)) * rowBytes;
      let z0 = rows + (<usize>j) * rowBytes;
      let z1 = rows + (<usize>min(j + 1, n - 1)) * rowBytes;
      let a00 = f32x4.splat(0);
      let a01 = f32x4.splat(0);
      let a10 = f32x4.splat(0);
      let a11 = f32x4.splat(0);
      let a20 = f32x4.splat(0);
      let a21 = f32x4.splat(0);
      let a30 = f32x4.splat(0);
      let a31 = f32x4.splat(0);
      // Six pointers that move, not one offset: V8 would compute all six addresses again, products and all, each time.
      const end = x0 + rowBytes;
      while (x0 < end) {
        const v0 = v128.load(z0);
        const v1 = v128.load(z1);
        let u = v128.load(x0);
        a00 = f32x4.add(a00, f32x4.mul(u, v0));
        a01 = f32x4.add(a01, f32x4.mul(u, v1));
        u = v128.load(x1);
        a10 = f32x4.add(a10, f32x4.mul(u, v0));
        a11 = f32x4.add(a11, f32x4.mul(u, v1));
        u = v128.load(x2);
        a20 = f32x4.add(a20, f32x4.mul(u, v0));
        a21 = f32x4.add(a21, f32x4.mul(u, v1));
        u = v128.load(x3);
        a30 = f32x4.add(a30, f32x4.mul(u, v0));
        a31 = f32x4.add(a31, f32x4.mul(u, v1));
        x0 += 16;
        x1 += 16;
        x2 += 16;
        x3 += 16;
        z0 += 16;
        z1 += 16;
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
