/** The coordinate steps in f64, shared by the plain kernels and the losses: the maximum of a row's one-dimensional problem, before clipping. */

/** Of a parabola: beta + g / h. */
export function vertex(beta: number, g: number, h: number): number {
  return beta + g / h;
}

/** sign(t) max(0, |t| - e) */
export function towardsZero(t: number, e: number): number {
  return t > e ? t - e : t < -e ? t + e : 0;
}
