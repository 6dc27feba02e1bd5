/**
 * The problem in plain f64, with no kernels, no rounds and no shrinking: w and v_k written out, one row after the other. Slow and
 * obvious. What it finds is an interval that holds the true value, whatever the ascent has come to.
 */
import { dot } from '../../src/solver/vector.ts';
import type { RandomProblem } from './problems.ts';

export interface Interval {
  readonly dual: number;
  readonly primal: number;
}

/** The least P(w, v). */
export function optimum(problem: RandomProblem, members = [...problem.inputs.keys()]): Interval {
  return ascend(problem, members, undefined);
}

/** F_k(w). */
export function envelope(problem: RandomProblem, k: number, w: Float64Array): Interval {
  return ascend(problem, [k], w);
}

/** P(w) = 1/2 |w|^2 + sum_k F_k(w) over some of the members. */
export function primalAt(
  problem: RandomProblem,
  w: Float64Array,
  members: Iterable<number> = problem.inputs.keys(),
): Interval {
  let primal = dot(w, w) / 2;
  let dual = primal;
  for (const k of members) {
    const value = envelope(problem, k, w);
    primal += value.primal;
    dual += value.dual;
  }
  return { primal, dual };
}

const PASSES = 4000;
const SMALL = 1e-12;

/** Coordinate ascent; a given w stands still and costs nothing. */
function ascend(
  { settings, d, inputs }: RandomProblem,
  members: readonly number[],
  fixed: Float64Array | undefined,
) {
  const w = fixed?.slice() ?? new Float64Array(d);
  const parts = members.map((k) => {
    const { n, y, weights, write } = inputs[k];
    const rows = Array.from({ length: n }, (_, i) => {
      const row = new Float32Array(d);
      write(i, row);
      return Float64Array.from(row);
    });
    const cap = Float64Array.from(y, (_, i) => settings.c1 * (weights?.[i] ?? 1));
    return { n, y, rows, cap, v: new Float64Array(d), beta: new Float64Array(n) };
  });
  for (let pass = 0; pass < PASSES; pass++) {
    let moved = 0;
    for (const { n, y, rows, cap, v, beta } of parts) {
      for (let i = 0; i < n; i++) {
        const x = rows[i];
        const h = dot(x, x) * ((fixed ? 0 : 1) + 1 / settings.c2);
        if (h === 0) continue;
        let t = beta[i] + (y[i] - dot(x, w) - dot(x, v)) / h;
        t = Math.sign(t) * Math.max(0, Math.abs(t) - settings.epsilon / h);
        const [low, high] =
          settings.objective === 'regression' ? [-cap[i], cap[i]] : y[i] > 0 ? [0, cap[i]] : [-cap[i], 0];
        const delta = Math.min(high, Math.max(low, t)) - beta[i];
        if (delta === 0) continue;
        beta[i] += delta;
        for (let j = 0; j < d; j++) {
          if (!fixed) w[j] += delta * x[j];
          v[j] += (delta * x[j]) / settings.c2;
        }
        moved = Math.max(moved, Math.abs(delta) / cap[i]);
      }
    }
    if (moved < SMALL) break;
  }
  return boundsOn(settings, parts, w, fixed !== undefined);
}

function boundsOn(
  { objective, epsilon, c2 }: RandomProblem['settings'],
  parts: readonly {
    n: number;
    y: Float64Array;
    rows: Float64Array[];
    cap: Float64Array;
    v: Float64Array;
    beta: Float64Array;
  }[],
  w: Float64Array,
  fixed: boolean,
): Interval {
  let primal = fixed ? 0 : dot(w, w) / 2;
  let dual = -primal;
  for (const { n, y, rows, cap, v, beta } of parts) {
    const personal = (c2 / 2) * dot(v, v);
    primal += personal;
    dual -= personal + (fixed ? c2 * dot(w, v) : 0);
    for (let i = 0; i < n; i++) {
      const a = dot(rows[i], w) + dot(rows[i], v);
      const loss =
        cap[i] * Math.max(0, objective === 'regression' ? Math.abs(a - y[i]) - epsilon : 1 - y[i] * a);
      primal += loss;
      dual += y[i] * beta[i] - epsilon * Math.abs(beta[i]);
      // A row of zeros adds the same to both sides.
      if (rows[i].every((value) => value === 0)) dual += loss;
    }
  }
  return { primal, dual };
}
