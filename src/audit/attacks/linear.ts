/** The little dense linear algebra that the attacks need, on vectors as rows. */
import { addScaled, dot, norm } from '../../solver/vector.ts';

export interface Span {
  readonly rank: number;
  /** Orthonormal vectors that span it. */
  readonly basis: readonly Float64Array[];
}

/** The space that vectors span; directions smaller than `relative` times the largest count as noise. */
export function spanOf(vectors: readonly Float64Array[], relative: number): Span {
  const { rows, sizes } = orthogonal(vectors);
  const rank = sizes.filter((size) => size > relative * sizes[0]).length;
  const basis = rows.slice(0, rank).map((row, r) => row.map((value) => value / sizes[r]));
  return { rank, basis };
}

/**
 * Least squares for rows a_i . x = b_i; of several solutions the shortest. With the largest |a . x - b|, and the smallest singular
 * value of the system: an error e in b can move x by e / smallest.
 */
export function solveRows(vectors: readonly Float64Array[], b: readonly number[]) {
  const columns = vectors[0].length;
  const { rows, sizes, right } = orthogonal(vectors, b);
  const x = new Float64Array(columns);
  for (const [r, size] of sizes.entries())
    if (size > 1e-15 * columns * sizes[0]) addScaled(x, right[r] / (size * size), rows[r]);
  const worst = Math.max(...vectors.map((row, i) => Math.abs(dot(row, x) - b[i])));
  return { x, worst, smallest: sizes[columns - 1] ?? 0 };
}

/**
 * A singular value decomposition by one-sided Jacobi rotations (Hestenes 1958): rows are turned against each other, two at a time,
 * until all are orthogonal. What is left are the right singular vectors, each as long as its singular value, largest first. `b` is
 * turned with them.
 */
function orthogonal(vectors: readonly Float64Array[], b?: readonly number[]) {
  const turned = vectors.map((vector, i) => ({ row: vector.slice(), right: b?.[i] ?? 0 }));
  // Shorter rows are rounding: they have no direction.
  const least = 1e-32 * turned.reduce((sum, { row }) => sum + dot(row, row), 0);
  for (let sweep = 0, crossed = true; crossed && sweep < 60; sweep++) {
    crossed = false;
    for (let p = 0; p < turned.length - 1; p++)
      for (let q = p + 1; q < turned.length; q++) crossed = turn(turned[p], turned[q], least) || crossed;
  }
  const sorted = turned.map((each) => ({ ...each, size: norm(each.row) })).sort((x, y) => y.size - x.size);
  return {
    rows: sorted.map(({ row }) => row),
    sizes: sorted.map(({ size }) => size),
    right: sorted.map(({ right }) => right),
  };
}

interface Turned {
  readonly row: Float64Array;
  right: number;
}

/** Makes two rows orthogonal; false where they were. */
function turn(x: Turned, y: Turned, least: number): boolean {
  const [xx, yy, xy] = [dot(x.row, x.row), dot(y.row, y.row), dot(x.row, y.row)];
  if (Math.min(xx, yy) <= least || Math.abs(xy) <= 1e-15 * Math.sqrt(xx * yy)) return false;
  const zeta = (yy - xx) / (2 * xy);
  const t = Math.sign(zeta || 1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
  const c = 1 / Math.sqrt(1 + t * t);
  const s = c * t;
  for (let j = 0; j < x.row.length; j++) {
    const [a, b] = [x.row[j], y.row[j]];
    x.row[j] = c * a - s * b;
    y.row[j] = s * a + c * b;
  }
  [x.right, y.right] = [c * x.right - s * y.right, s * x.right + c * y.right];
  return true;
}

/** Part of a vector that is outside a span, relative to its length: 0 inside, 1 orthogonal to it. */
export function shareOutside(vector: Float64Array, { basis }: Span): number {
  const rest = vector.slice();
  for (const direction of basis) addScaled(rest, -dot(direction, rest), direction);
  return norm(rest) / Math.max(norm(vector), Number.MIN_VALUE);
}
