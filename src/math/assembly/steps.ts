// The steps that take more than a line. `../steps.ts` and `../exp.ts` are the same operations in the same order.

const LOG2_E: f64 = 1.4426950408889634;
const LN2_HIGH: f64 = 0.6931471803691238;
const LN2_LOW: f64 = 1.9082149292705877e-10;
const LEAST: f64 = -708.0;

/** e^x for x <= 0. */
function expNegative(x: f64): f64 {
  if (x < LEAST) return 0.0;
  const k = Math.floor(x * LOG2_E + 0.5);
  const r = x - k * LN2_HIGH - k * LN2_LOW;
  let sum: f64 = 1.0 / 6227020800.0;
  sum = 1.0 / 479001600.0 + r * sum;
  sum = 1.0 / 39916800.0 + r * sum;
  sum = 1.0 / 3628800.0 + r * sum;
  sum = 1.0 / 362880.0 + r * sum;
  sum = 1.0 / 40320.0 + r * sum;
  sum = 1.0 / 5040.0 + r * sum;
  sum = 1.0 / 720.0 + r * sum;
  sum = 1.0 / 120.0 + r * sum;
  sum = 1.0 / 24.0 + r * sum;
  sum = 1.0 / 6.0 + r * sum;
  sum = 0.5 + r * sum;
  sum = 1.0 + r * sum;
  sum = 1.0 + r * sum;
  return sum * reinterpret<f64>((<i64>k + 1023) << 52);
}

const MOST_ITERATIONS: i32 = 100;
const SMALL: f64 = 1e-8;

/** The alpha in [0, c] whose margin, m + h (change of alpha), is log((c - alpha) / alpha). */
export function entropyStep(alpha: f64, m: f64, h: f64, c: f64): f64 {
  const right = m + h * (0.5 * c - alpha) >= 0;
  const b = right ? m : -m;
  const from = right ? alpha : c - alpha;
  let t: f64 = b > 0 ? b : 0;
  let e = expNegative(-t);
  for (let k: i32 = 0; k < MOST_ITERATIONS; k++) {
    const p = e / (1.0 + e);
    const f = t - b - h * (c * p - from);
    let next = t - f / (1.0 + (h * c * p) / (1.0 + e));
    if (!(next > 0)) next = 0;
    const moved = Math.abs(next - t);
    t = next;
    e = expNegative(-t);
    if (moved <= SMALL * (1.0 + t)) break;
  }
  const part = c * (e / (1.0 + e));
  return right ? part : c - part;
}
