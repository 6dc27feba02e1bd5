/** Non-linear least squares by Levenberg (1944) and Marquardt (1963), with differences for the Jacobian. */
import { solvePositive } from '../../math/normal-equations.ts';
import { dot } from '../../solver/vector.ts';

const DIFFERENCE = 1e-6;
const FIRST_DAMPING = 1e-2;
/** Share of the expected gain from which a step was good. */
const GOOD = 1e-3;

/** Minimises the error |residuals(parameters)|^2 from a start; stops below `enough`. A step for the worse is taken too, and damps the next. */
export function leastSquares(
  residuals: (parameters: Float64Array) => Float64Array,
  start: Float64Array,
  { iterations, enough }: { readonly iterations: number; readonly enough: number },
) {
  let at = start;
  let seen = residuals(at);
  let error = dot(seen, seen);
  let best = { parameters: at, error };
  let damping = FIRST_DAMPING;
  for (let i = 0; i < iterations && error > enough && start.length > 0; i++) {
    const slopes = Array.from(at, (_, p) => {
      const moved = residuals(at.with(p, at[p] + DIFFERENCE));
      return moved.map((value, r) => (value - seen[r]) / DIFFERENCE);
    });
    const gradient = slopes.map((slope) => dot(slope, seen));
    const normal = slopes.map((a, p) => slopes.map((b, q) => dot(a, b) + (p === q ? damping : 0)));
    const step = solvePositive(normal, gradient);
    if (!step) break;
    at = at.map((value, p) => value - step[p]);
    seen = residuals(at);
    const before = error;
    error = dot(seen, seen);
    if (Number.isNaN(error)) break;
    if (error < best.error - enough) best = { parameters: at, error };
    const expected = step.reduce((sum, value, p) => sum + value * (damping * value + gradient[p]), 0);
    const good = (before - error) / expected > GOOD;
    damping = good ? Math.max(damping / 9, 1e-7) : Math.min(damping * 11, 1e7);
  }
  return best;
}
