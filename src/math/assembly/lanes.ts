// Sums and updates over the f32 lanes of a row, shared by the pass and the Gram matrix.

@inline
export function sumLanes(v: v128): f32 {
  return (
    f32x4.extract_lane(v, 0) +
    f32x4.extract_lane(v, 1) +
    (f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3))
  );
}

/** x . z with both in f32, 16 running sums. */
@inline
export function dotF32(x: usize, z: usize, stride: i32): f32 {
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
export function axpyF32(c: f32, x: usize, z: usize, stride: i32): void {
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
