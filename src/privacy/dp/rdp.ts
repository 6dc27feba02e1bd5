/**
 * Renyi differential privacy of one round: Gaussian noise of deviation sigma (in units of the clip norm) on a sum over a
 * Poisson sample, every participant drawn independently with probability q (Mironov, Talwar, Zhang 2019, "Renyi
 * differential privacy of the sampled Gaussian mechanism"):
 *
 *   RDP(alpha) = log A(alpha) / (alpha - 1),   A = E[(1 - q + q exp((2 z - 1) / (2 sigma^2)))^alpha],  z ~ N(0, sigma^2)
 *
 *   q = 1            alpha / (2 sigma^2)
 *   integer alpha    A - 1 = sum_{k>=2} C(alpha, k) (1-q)^(alpha-k) q^k (exp((k^2 - k) / (2 sigma^2)) - 1), in logarithms.
 *                    (Their sum less the binomial identity: every term is positive, so a tiny A - 1 keeps all its digits.)
 *   other alpha      quadrature (rdp-quadrature.ts)
 *
 * The sample must be the coordinator's, secret, and independent between participants and rounds. Who happened to answer
 * before a deadline is not such a sample: claim q = 1 there.
 */
import { inputError } from '../../base/errors.ts';
import { LEAST_SIGMA, log1pExp, logAminus1ByQuadrature, logExpm1, logSumExp } from './rdp-quadrature.ts';

/**
 * The orders at which privacy is accounted: tenths up to 11 (large epsilon), all integers to 256 and a few beyond (small
 * epsilon). More orders can only lower the reported epsilon; these come within 0.1% of a far finer set.
 */
export const ORDERS: readonly number[] = [
  ...Array.from({ length: 99 }, (_, i) => (11 + i) / 10),
  ...Array.from({ length: 246 }, (_, i) => 11 + i),
  ...[320, 384, 512, 768, 1024, 2048],
];

export interface RoundSettings {
  /** Deviation of the noise of the sum, in units of the clip norm. */
  readonly noiseMultiplier: number;
  /** Probability with which each participant is drawn; 1 when all take part. */
  readonly samplingRate: number;
}

/** RDP of one round at one order. Infinity without noise, 0 when nobody is ever drawn. */
export function rdpOfRound(
  { noiseMultiplier: sigma, samplingRate: q }: RoundSettings,
  order: number,
): number {
  check(sigma, q, order);
  if (q === 0) return 0;
  if (sigma === 0) return Number.POSITIVE_INFINITY;
  // Sampling never hurts; rounding may not either.
  const unsampled = order / (2 * sigma * sigma);
  if (q === 1) return unsampled;
  return Math.min(unsampled, logA(q, sigma, order) / (order - 1));
}

function logA(q: number, sigma: number, order: number): number {
  if (Number.isInteger(order)) return log1pExp(logAminus1(q, sigma, order));
  if (sigma >= LEAST_SIGMA) return log1pExp(logAminus1ByQuadrature(q, sigma, order));
  // log A is convex in the order (a cumulant generating function) and 0 at 1: the chord between integers is above it.
  const below = Math.floor(order);
  const share = order - below;
  const left = below === 1 ? 0 : logA(q, sigma, below);
  return (1 - share) * left + share * logA(q, sigma, below + 1);
}

function logAminus1(q: number, sigma: number, order: number): number {
  const logQ = Math.log(q);
  const logRest = Math.log1p(-q);
  const logs = new Float64Array(order - 1);
  let logBinomial = Math.log(order);
  for (let k = 2; k <= order; k++) {
    logBinomial += Math.log((order - k + 1) / k);
    const growth = logExpm1((k * k - k) / (2 * sigma * sigma));
    logs[k - 2] = logBinomial + k * logQ + (order - k) * logRest + growth;
  }
  return logSumExp(logs);
}

function check(sigma: number, q: number, order: number): void {
  if (!(sigma >= 0)) throw inputError('DP_NOISE', `noise multiplier: expected a number >= 0, got ${sigma}`);
  if (!(q >= 0 && q <= 1))
    throw inputError('DP_SAMPLING', `sampling rate: expected a number in [0, 1], got ${q}`);
  if (!(order > 1)) throw inputError('DP_ORDER', `Renyi order: expected a number above 1, got ${order}`);
}
