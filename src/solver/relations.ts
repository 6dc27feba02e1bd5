/**
 * How tasks are related, after MOCHA (Smith et al. 2017): M = Omega^-1, an m x m matrix by rows, and what follows from it.
 *
 *   w_t    = (1/lambda) sum_t' M_tt' u_t'
 *   sigma' = max_t sum_t' |M_tt'| / M_tt                    their Lemma 9: all updates may be added in full
 *   M      = (W^T W)^(1/2) / tr((W^T W)^(1/2))              the best one for these models; I/m to start with
 *
 * Pure functions: a matrix, once made, never changes.
 */
import { symmetricSquareRoot } from './eigen.ts';
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

/** Without the task at this place. */
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
