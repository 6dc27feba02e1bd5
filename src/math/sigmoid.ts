/** The logistic function and its logarithm, from operations that every engine rounds alike. */
import { logPortable } from '../base/random.ts';
import { expNegative } from './exp.ts';

/** 1 / (1 + e^-t) */
export function sigmoid(t: number): number {
  const e = expNegative(-Math.abs(t));
  return (t >= 0 ? 1 : e) / (1 + e);
}

/** log(1 + e^t), that is -log sigmoid(-t). */
export function softplus(t: number): number {
  return t <= 0 ? log1p(expNegative(t)) : log1p(expNegative(-t)) + t;
}

/** log(1 + x) without losing the digits of a small x (Kahan): what 1 + x is rounded by is divided out. */
export function log1p(x: number): number {
  const u = 1 + x;
  return u === 1 ? x : (logPortable(u) * x) / (u - 1);
}
