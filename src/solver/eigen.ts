/**
 * Eigenvalues and vectors of a symmetric m x m matrix by cyclic Jacobi rotations: plain, exact enough (1e-14), and fast
 * for the few hundred tasks that MOCHA's Omega may have.
 */
function symmetricEigen(matrix: Float64Array, m: number): { values: Float64Array; vectors: Float64Array } {
  const a = matrix.slice();
  const v = new Float64Array(m * m);
  for (let i = 0; i < m; i++) v[i * m + i] = 1;
  for (let sweep = 0; sweep < 60; sweep++) {
    let off = 0;
    let size = 0;
    for (let i = 0; i < m; i++) {
      for (let j = 0; j < m; j++) {
        size += a[i * m + j] ** 2;
        if (i !== j) off += a[i * m + j] ** 2;
      }
    }
    if (off <= 1e-30 * size) break;
    for (let p = 0; p < m - 1; p++) for (let q = p + 1; q < m; q++) rotate(a, v, m, p, q);
  }
  return { values: Float64Array.from({ length: m }, (_, i) => a[i * m + i]), vectors: v };
}

/** Makes a[p][q] zero. */
function rotate(a: Float64Array, v: Float64Array, m: number, p: number, q: number): void {
  const apq = a[p * m + q];
  if (apq === 0) return;
  const theta = (a[q * m + q] - a[p * m + p]) / (2 * apq);
  const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let k = 0; k < m; k++) {
    const akp = a[k * m + p];
    const akq = a[k * m + q];
    a[k * m + p] = c * akp - s * akq;
    a[k * m + q] = s * akp + c * akq;
  }
  for (let k = 0; k < m; k++) {
    const apk = a[p * m + k];
    const aqk = a[q * m + k];
    a[p * m + k] = c * apk - s * aqk;
    a[q * m + k] = s * apk + c * aqk;
    const vkp = v[k * m + p];
    const vkq = v[k * m + q];
    v[k * m + p] = c * vkp - s * vkq;
    v[k * m + q] = s * vkp + c * vkq;
  }
}

/** The symmetric square root; negative eigenvalues (rounding) count as 0. */
export function symmetricSquareRoot(matrix: Float64Array, m: number): Float64Array {
  const { values, vectors } = symmetricEigen(matrix, m);
  const root = new Float64Array(m * m);
  for (let e = 0; e < m; e++) {
    const r = Math.sqrt(Math.max(0, values[e]));
    if (r === 0) continue;
    for (let i = 0; i < m; i++) {
      const c = r * vectors[i * m + e];
      for (let j = 0; j < m; j++) root[i * m + j] += c * vectors[j * m + e];
    }
  }
  return root;
}
