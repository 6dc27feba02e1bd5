/**
 * How tasks are related, after MOCHA (Smith et al. 2017): M = Omega^-1, an m x m matrix by rows, and what follows from it.
 *
 *   w_t    = (1/lambda) sum_t' M_tt' u_t'
 *   sigma' = max_t sum_t' |M_tt'| / M_tt                    their Lemma 9: all updates may be added in full
 *   M      = (W^T W)^(1/2) / tr((W^T W)^(1/2))              the best one for these models; I/m to start with
 *
 * Pure functions: a matrix, once made, never changes.
 */
import { dot, weightedSum } from './vector.ts';

/** Added to the diagonal of M, as a share of its mean: a task whose model is 0 must be able to move again. */
const RIDGE = 1e-6;

/** M, and how far its present turn has come. */
export interface StoredRelations {
  readonly matrix: Float64Array;
  readonly turn: Turn;
}

/** Rounds on one M, until it is renewed. */
export interface Turn {
  /** M is renewed at this gap; undefined until a gap under this M is known. */
  readonly goal: number | undefined;
  readonly rounds: number;
  /** Whether M hardly moved when it was renewed last. */
  readonly settled: boolean;
}

/** I/m: nothing is known of anybody. */
export function unrelated(m: number): Float64Array {
  const matrix = new Float64Array(m * m);
  for (let t = 0; t < m; t++) matrix[t * m + t] = 1 / m;
  return matrix;
}

/** One more task, after all others: related to nobody, as free as they are on average. Nobody else's model changes. */
export function withNewcomer(matrix: Float64Array, m: number): Float64Array {
  const wider = new Float64Array((m + 1) * (m + 1));
  for (let t = 0; t < m; t++) wider.set(matrix.subarray(t * m, (t + 1) * m), t * (m + 1));
  wider[m * (m + 1) + m] = traceOf(matrix, m) / m;
  return wider;
}

export function withoutTask(matrix: Float64Array, m: number, place: number): Float64Array {
  return matrix.filter((_, i) => i % m !== place && Math.floor(i / m) !== place);
}

/** sigma', the most that all tasks moving at once can multiply a step by. */
export function couplingOf(matrix: Float64Array, m: number): number {
  let largest = 1;
  for (let t = 0; t < m; t++) {
    let sum = 0;
    for (let s = 0; s < m; s++) sum += Math.abs(matrix[t * m + s]);
    largest = Math.max(largest, sum / matrix[t * m + t]);
  }
  return largest;
}

/** W from parts u_t that are given n_t times as large. */
export function modelsFrom(
  matrix: Float64Array,
  parts: readonly { readonly u: Float64Array; readonly rows: number }[],
  lambda: number,
): Float64Array[] {
  const m = parts.length;
  const vectors = parts.map(({ u }) => u);
  return parts.map((_, t) =>
    weightedSum(
      parts.map(({ rows }, s) => matrix[t * m + s] / (lambda * rows)),
      vectors,
    ),
  );
}

/** M for these models, and how far it moved, as a share of its largest entry. */
export function renewed(
  matrix: Float64Array,
  models: readonly Float64Array[],
): { matrix: Float64Array; moved: number } {
  const m = models.length;
  const root = symmetricSquareRoot(productsOf(models), m);
  const trace = traceOf(root, m);
  if (trace === 0) return { matrix, moved: 0 };
  const next = root.map((value, i) => value / trace + (i % (m + 1) === 0 ? RIDGE / m : 0));
  let moved = 0;
  let largest = 0;
  for (let i = 0; i < next.length; i++) {
    moved = Math.max(moved, Math.abs(next[i] - matrix[i]));
    largest = Math.max(largest, Math.abs(next[i]));
  }
  return { matrix: next, moved: moved / largest };
}

/** W^T W. */
function productsOf(models: readonly Float64Array[]): Float64Array {
  const m = models.length;
  const products = new Float64Array(m * m);
  for (let t = 0; t < m; t++) {
    for (let s = 0; s <= t; s++) products[t * m + s] = products[s * m + t] = dot(models[t], models[s]);
  }
  return products;
}

function traceOf(matrix: Float64Array, m: number): number {
  let trace = 0;
  for (let t = 0; t < m; t++) trace += matrix[t * m + t];
  return trace;
}

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
