/**
 * The waiting period for a wanted share of responders. The delay of participant k is that of its solve, Gaussian and cut
 * off above zero, plus the way there and back; the wanted T is where the mean over participants of P(delay <= T) equals
 * the share. A solve that its tolerance ends before the last pass answers earlier than that: the share that was observed
 * stands beside the wanted one in every report.
 */
import { invariant } from '../base/errors.ts';
import { type ComputeModel, meanPassMs } from './compute.ts';

interface Device {
  readonly rows: number;
  readonly columns: number;
  readonly hardware: number;
}

/** P(delay of a solve of so many passes <= ms). */
export function answeredBy(ms: number, model: ComputeModel, passes: number, device: Device): number {
  const mean = (passes * meanPassMs(model, device.rows, device.columns)) / device.hardware;
  if (model.spread === 0 || mean === 0) return ms >= mean ? 1 : 0;
  if (ms <= 0) return 0;
  const below0 = normalBelow(-1 / model.spread);
  const below = normalBelow((ms / mean - 1) / model.spread);
  return (below - below0) / (1 - below0);
}

/** The shortest period, to a relative 1e-12, by which this share of participants answers on average. */
export function waitingTime(
  share: number,
  model: ComputeModel,
  passes: number,
  devices: readonly Device[],
): number {
  invariant(share > 0 && share < 1, `waiting time: expected a share between 0 and 1, got ${share}`);
  const answered = (ms: number) => {
    let sum = 0;
    for (const device of devices) sum += answeredBy(ms, model, passes, device);
    return sum / devices.length;
  };
  let low = 0;
  let high = 1;
  while (answered(high) < share) high *= 2;
  while (high - low > 1e-12 * high) {
    const middle = (low + high) / 2;
    if (answered(middle) < share) low = middle;
    else high = middle;
  }
  return high;
}

/** P(N(0, 1) <= x), to about 1e-15. */
export function normalBelow(x: number): number {
  return x >= 0 ? 1 - tail(x) : tail(-x);
}

/** P(N(0, 1) > x) for x >= 0: a series near zero, a continued fraction (Lentz) beyond. */
function tail(x: number): number {
  const density = exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI);
  if (x < 3) {
    // Phi(x) = 1/2 + density (x + x^3/3 + x^5/(3 5) + ...)
    let term = x;
    let sum = x;
    for (let k = 3; term > 1e-17 * sum; k += 2) {
      term *= (x * x) / k;
      sum += term;
    }
    return Math.max(0, 0.5 - density * sum);
  }
  if (x > 38) return 0;
  let fraction = 0;
  for (let k = 80; k >= 1; k--) fraction = k / (x + fraction);
  return density / (x + fraction);
}

/** e^x for x <= 0 from + and * alone: the period goes into the run, and Math.exp differs between engines. */
function exp(x: number): number {
  if (x < -745) return 0;
  let halvings = 0;
  while (x < -0.5) {
    x /= 2;
    halvings++;
  }
  let sum = 1;
  for (let k = 18; k >= 1; k--) sum = 1 + (x * sum) / k;
  for (; halvings > 0; halvings--) sum *= sum;
  return sum;
}
