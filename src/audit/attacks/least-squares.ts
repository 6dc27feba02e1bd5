/** Non-linear least squares by Levenberg and Marquardt, with differences for the Jacobian. */
import { levenbergMarquardt } from 'ml-levenberg-marquardt';

export interface Fit {
  readonly parameters: Float64Array;
  /** Sum of squared residuals. */
  readonly error: number;
}

/** Minimises |residuals(parameters)|^2 from a start; stops below `enough`. */
export function leastSquares(
  residuals: (parameters: Float64Array) => Float64Array,
  start: Float64Array,
  options: { readonly iterations: number; readonly enough: number },
): Fit {
  const first = residuals(start);
  const count = first.length;
  if (start.length === 0) return { parameters: start, error: first.reduce((sum, r) => sum + r * r, 0) };
  const x = Float64Array.from({ length: count }, (_, i) => i);
  // The library fits curves y = f(x): here x numbers the residuals, and every y is 0.
  const curve = (parameters: number[]) => {
    const values = residuals(Float64Array.from(parameters));
    return (i: number) => values[i];
  };
  const { parameterValues, parameterError } = levenbergMarquardt({ x, y: new Float64Array(count) }, curve, {
    initialValues: start,
    damping: 1e-2,
    gradientDifference: 1e-6,
    maxIterations: options.iterations,
    errorTolerance: options.enough,
  });
  return { parameters: Float64Array.from(parameterValues), error: parameterError };
}
