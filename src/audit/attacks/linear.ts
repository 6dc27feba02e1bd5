/** The little dense linear algebra that the attacks need, on vectors as rows. */
import { Matrix, SingularValueDecomposition } from 'ml-matrix';

export interface Span {
  readonly rank: number;
  /** Orthonormal vectors that span it. */
  readonly basis: readonly Float64Array[];
  /** All of them, falling. */
  readonly singularValues: readonly number[];
}

/** The space that vectors span; directions smaller than `relative` times the largest count as noise. */
export function spanOf(vectors: readonly Float64Array[], relative: number): Span {
  if (vectors.length === 0) return { rank: 0, basis: [], singularValues: [] };
  // Columns must not outnumber rows for this SVD; zero rows change nothing.
  const columns = vectors[0].length;
  const matrix = Matrix.zeros(Math.max(vectors.length, columns), columns);
  for (const [i, vector] of vectors.entries()) matrix.setRow(i, vector);
  const { diagonal, rightSingularVectors } = new SingularValueDecomposition(matrix);
  const rank = diagonal.filter((value) => value > relative * diagonal[0]).length;
  const basis = Array.from({ length: rank }, (_, r) => Float64Array.from(rightSingularVectors.getColumn(r)));
  return { rank, basis, singularValues: diagonal };
}

export interface Solved {
  readonly x: Float64Array;
  /** Largest |a.x - b|. */
  readonly worst: number;
  /** Smallest singular value of the system: an error e in b can move x by e / smallest. */
  readonly smallest: number;
}

/** Least squares for rows a_i . x = b_i. */
export function solveRows(rows: readonly Float64Array[], b: readonly number[]): Solved {
  const columns = rows[0].length;
  const matrix = Matrix.zeros(Math.max(rows.length, columns), columns);
  for (const [i, row] of rows.entries()) matrix.setRow(i, row);
  const svd = new SingularValueDecomposition(matrix, { autoTranspose: true });
  const right = Matrix.zeros(matrix.rows, 1);
  for (const [i, value] of b.entries()) right.set(i, 0, value);
  const x = Float64Array.from(svd.solve(right).getColumn(0));
  let worst = 0;
  for (const [i, row] of rows.entries()) worst = Math.max(worst, Math.abs(dotOf(row, x) - b[i]));
  return { x, worst, smallest: svd.diagonal.at(-1) ?? 0 };
}

/** Part of a vector that is outside a span, relative to its length: 0 inside, 1 orthogonal to it. */
export function shareOutside(vector: Float64Array, { basis }: Span): number {
  const rest = vector.slice();
  for (const direction of basis) {
    const along = dotOf(direction, rest);
    for (let j = 0; j < rest.length; j++) rest[j] -= along * direction[j];
  }
  return norm(rest) / Math.max(norm(vector), Number.MIN_VALUE);
}

export function norm(a: Float64Array): number {
  return Math.sqrt(dotOf(a, a));
}

function dotOf(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j] * b[j];
  return sum;
}
