/**
 * x of a x = b for a symmetric positive definite matrix, a handful of rows, by elimination: no pivoting needed. Undefined where a
 * pivot is not above `least`: x is then not determined.
 */
export function solvePositive(
  matrix: readonly ArrayLike<number>[],
  b: ArrayLike<number>,
  least = 0,
): number[] | undefined {
  const m = b.length;
  const a = matrix.map((row, i) => [...Array.from(row), b[i]]);
  for (let i = 0; i < m; i++) {
    if (!(a[i][i] > least)) return undefined;
    for (let k = i + 1; k < m; k++) {
      const factor = a[k][i] / a[i][i];
      for (let j = i; j <= m; j++) a[k][j] -= factor * a[i][j];
    }
  }
  const x = new Array<number>(m).fill(0);
  for (let i = m - 1; i >= 0; i--) {
    let rest = a[i][m];
    for (let j = i + 1; j < m; j++) rest -= a[i][j] * x[j];
    x[i] = rest / a[i][i];
  }
  return x;
}
