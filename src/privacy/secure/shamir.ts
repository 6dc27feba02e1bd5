/**
 * Shamir's secret sharing (1979), threshold t of up to 65,535 holders, over GF(2^16): two bytes of the secret are the value at
 * 0 of a random polynomial of degree t - 1, the share of holder x is its value at x. Any t shares give the secret, t - 1 reveal
 * nothing about it.
 *
 * A polynomial is fixed by t values as well as by t coefficients, so dealing is interpolation too: `extend` takes t values that
 * were chosen at random and gives all others. The protocol chooses t shares that their holders can derive by themselves, and the secret
 * is what comes out at 0.
 */
import { addProduct, divide, multiply } from './field.ts';
import { refuse } from './secure-error.ts';

export interface Share {
  /** The holder's point, 1 to 65,535. */
  readonly x: number;
  readonly y: Uint8Array;
}

const MAX_POINT = 65535;

/** The secret from at least `threshold` shares; those beyond the threshold are not used. */
export function reconstruct(shares: readonly Share[], threshold: number): Uint8Array {
  if (shares.length < threshold)
    refuse('SECURE_SHARES', `shares: expected at least ${threshold}, got ${shares.length}`);
  const used = shares.slice(0, threshold);
  checkPoints(used.map(({ x }) => x));
  return extend(used, [0])[0].y;
}

/** The polynomial of lowest degree through the given values, at further points. */
export function extend(given: readonly Share[], points: readonly number[]): Share[] {
  const bytes = given[0].y.length;
  const values = given.map(({ x, y }) => {
    if (y.length !== bytes || bytes % 4 !== 0)
      refuse(
        'SECURE_SHARES',
        `share of point ${x}: expected ${bytes} bytes, a multiple of 4, got ${y.length}`,
      );
    return new Uint32Array(y.slice().buffer);
  });
  const xs = given.map(({ x }) => x);
  const inverse = barycentric(xs);
  return points.map((point) => {
    const sum = new Uint32Array(bytes / 4);
    const weights = weightsAt(point, xs, inverse);
    for (let j = 0; j < values.length; j++) addProduct(sum, weights[j], values[j]);
    return { x: point, y: new Uint8Array(sum.buffer) };
  });
}

/** prod over m != j of (x_j - x_m), for every j. */
function barycentric(xs: readonly number[]): number[] {
  return xs.map((x, j) =>
    xs.reduce((product, other, m) => (m === j ? product : multiply(product, x ^ other)), 1),
  );
}

/** Lagrange's weights at a point: prod over m != j of (point - x_m) / (x_j - x_m). */
function weightsAt(point: number, xs: readonly number[], inverse: readonly number[]): number[] {
  const at = xs.indexOf(point);
  if (at >= 0) return xs.map((_, j) => (j === at ? 1 : 0));
  const all = xs.reduce((product, x) => multiply(product, point ^ x), 1);
  return xs.map((x, j) => divide(all, multiply(inverse[j], point ^ x)));
}

function checkPoints(points: readonly number[]): void {
  const seen = new Set<number>();
  for (const x of points) {
    if (!(Number.isInteger(x) && x >= 1 && x <= MAX_POINT))
      refuse('SECURE_SHARES', `shares: expected points from 1 to ${MAX_POINT}, got ${x}`);
    if (seen.has(x)) refuse('SECURE_SHARES', `shares: expected different points, got ${x} twice`);
    seen.add(x);
  }
}
