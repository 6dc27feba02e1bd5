/** Reference mathematics for the tests, written independently of src/. */

/** Complementary error function: Taylor series near 0, continued fraction beyond. */
export function erfc(x: number): number {
  if (x < 0) return 2 - erfc(-x);
  if (x < 2) {
    let term = x;
    let sum = x;
    for (let n = 1; n < 80; n++) {
      term *= (-x * x) / n;
      sum += term / (2 * n + 1);
    }
    return 1 - (2 / Math.sqrt(Math.PI)) * sum;
  }
  let f = x;
  for (let k = 80; k >= 1; k--) f = x + k / 2 / f;
  return Math.exp(-x * x) / Math.sqrt(Math.PI) / f;
}

export function normalCdf(x: number): number {
  return erfc(-x / Math.SQRT2) / 2;
}

/** delta of the Gaussian mechanism at epsilon, exactly (Balle and Wang 2018, theorem 8). */
export function exactDelta(sigma: number, epsilon: number): number {
  return (
    normalCdf(1 / (2 * sigma) - epsilon * sigma) -
    Math.exp(epsilon) * normalCdf(-1 / (2 * sigma) - epsilon * sigma)
  );
}

export function exactEpsilon(sigma: number, delta: number): number {
  let low = 0;
  let high = 100;
  for (let i = 0; i < 100; i++) {
    const middle = (low + high) / 2;
    if (exactDelta(sigma, middle) > delta) low = middle;
    else high = middle;
  }
  return high;
}

/** log E[(1 - q + q N(1, s^2)/N(0, s^2))^alpha] by Simpson's rule in z, straight from the definition. */
export function logAbySimpson(q: number, sigma: number, alpha: number): number {
  const from = -14 * sigma;
  const to = alpha + 14 * sigma;
  const n = 40_000;
  const h = (to - from) / n;
  let sum = 0;
  for (let i = 0; i <= n; i++) {
    const z = from + i * h;
    const ratio = 1 - q + q * Math.exp((2 * z - 1) / (2 * sigma * sigma));
    sum +=
      (i === 0 || i === n ? 1 : i % 2 === 1 ? 4 : 2) *
      Math.exp(alpha * Math.log(ratio) - (z * z) / (2 * sigma * sigma));
  }
  return Math.log((sum * h) / 3 / (sigma * Math.sqrt(2 * Math.PI)));
}

/** Largest distance between the empirical distribution and a continuous one, times sqrt(n): above 1.95 with p = 0.001. */
export function kolmogorovSmirnov(samples: Float64Array, cdf: (x: number) => number): number {
  const sorted = samples.slice().sort();
  let worst = 0;
  for (let i = 0; i < sorted.length; i++) {
    const expected = cdf(sorted[i]);
    worst = Math.max(worst, expected - i / sorted.length, (i + 1) / sorted.length - expected);
  }
  return worst * Math.sqrt(sorted.length);
}

export function moments(samples: ArrayLike<number>): { mean: number; variance: number } {
  const values = Array.from(samples);
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  return { mean, variance: values.reduce((a, b) => a + (b - mean) ** 2, 0) / (values.length - 1) };
}

/** Whether an observed mean and variance of n normal samples are within 4.5 standard errors of what they should be. */
export function fits(samples: ArrayLike<number>, deviation: number): boolean {
  const { mean, variance } = moments(samples);
  const n = samples.length;
  return (
    Math.abs(mean) < (4.5 * deviation) / Math.sqrt(n) &&
    Math.abs(variance / deviation ** 2 - 1) < 4.5 * Math.sqrt(2 / n)
  );
}
