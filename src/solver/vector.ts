/** Plain f64 vector operations on the coordinator's side and on small things; rows go through the kernels. */

export function dot(a: Float64Array, b: Float64Array): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  const n4 = a.length & ~3;
  for (let j = 0; j < n4; j += 4) {
    s0 += a[j] * b[j];
    s1 += a[j + 1] * b[j + 1];
    s2 += a[j + 2] * b[j + 2];
    s3 += a[j + 3] * b[j + 3];
  }
  for (let j = n4; j < a.length; j++) s0 += a[j] * b[j];
  return s0 + s1 + (s2 + s3);
}

/** |a| */
export function norm(a: Float64Array): number {
  return Math.sqrt(dot(a, a));
}

/** a += c b */
export function addScaled(a: Float64Array, c: number, b: Float64Array): void {
  for (let j = 0; j < a.length; j++) a[j] = a[j] + c * b[j];
}

/** a + c b, new. */
export function plusScaled(a: Float64Array, c: number, b: Float64Array): Float64Array {
  const out = new Float64Array(a.length);
  for (let j = 0; j < a.length; j++) out[j] = a[j] + c * b[j];
  return out;
}

/** sum_m weights[m] vectors[m], in order, skipping zero weights: both sides of the wire get the same bits. */
export function weightedSum(weights: readonly number[], vectors: readonly Float64Array[]): Float64Array {
  const out = new Float64Array(vectors[0].length);
  for (let m = 0; m < vectors.length; m++) if (weights[m] !== 0) addScaled(out, weights[m], vectors[m]);
  return out;
}

/** One after the other, new. */
export function concatenate(parts: readonly Float64Array[]): Float64Array {
  const out = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
