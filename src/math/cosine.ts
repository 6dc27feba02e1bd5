/**
 * Cosine and sine from operations that every engine rounds alike (Math.cos and Math.sin may differ between engines): t = k pi/2 + r with
 * |r| <= pi/4, pi/2 in three parts so that r loses nothing (Cody and Waite 1980), and the Taylor series of r, whose rest is below 3e-18.
 * Error: one unit in the last place, 2.3e-16, for |t| < 2^20. Beyond that t is reduced by the f64 nearest to 2 pi first, which costs
 * about as much accuracy as t has lost by being rounded; where t has no digit left behind the point, it counts as 0.
 */
const HALF_PI_HIGH = 1.5707963267341256;
const HALF_PI_MIDDLE = 6.077100506303966e-11;
const HALF_PI_LOW = 2.0222662487959506e-21;
const TWO_OVER_PI = 0.6366197723675814;
const TWO_PI = 6.283185307179586;
/** Below it, k HALF_PI_HIGH is exact. */
const EXACT = 2 ** 20;
const NO_DIGITS = 2 ** 53;

/** Puts scale cos t at `at` and scale sin t after it. */
export function putCosineSine(t: number, scale: number, out: Float64Array | Float32Array, at: number): void {
  const angle = Math.abs(t) < EXACT ? t : Math.abs(t) < NO_DIGITS ? t % TWO_PI : 0;
  const k = Math.floor(angle * TWO_OVER_PI + 0.5);
  const r = angle - k * HALF_PI_HIGH - k * HALF_PI_MIDDLE - k * HALF_PI_LOW;
  const s = r * r;
  const cosine = taylorCosine(s);
  const sine = r + r * s * taylorSine(s);
  const isTurned = (k & 1) === 1;
  const [x, y] = isTurned ? [sine, cosine] : [cosine, sine];
  // Quarter turns: (c, s), (-s, c), (-c, -s), (s, -c).
  const quarter = k & 3;
  out[at] = quarter === 1 || quarter === 2 ? -scale * x : scale * x;
  out[at + 1] = quarter >= 2 ? -scale * y : scale * y;
}

/** cos r from s = r^2. */
function taylorCosine(s: number): number {
  let sum = 1 / 20922789888000;
  sum = -1 / 87178291200 + s * sum;
  sum = 1 / 479001600 + s * sum;
  sum = -1 / 3628800 + s * sum;
  sum = 1 / 40320 + s * sum;
  sum = -1 / 720 + s * sum;
  sum = 1 / 24 + s * sum;
  sum = -1 / 2 + s * sum;
  return 1 + s * sum;
}

/** (sin r - r) / r^3 from s = r^2. */
function taylorSine(s: number): number {
  let sum = 1 / 355687428096000;
  sum = -1 / 1307674368000 + s * sum;
  sum = 1 / 6227020800 + s * sum;
  sum = -1 / 39916800 + s * sum;
  sum = 1 / 362880 + s * sum;
  sum = -1 / 5040 + s * sum;
  sum = 1 / 120 + s * sum;
  return -1 / 6 + s * sum;
}
