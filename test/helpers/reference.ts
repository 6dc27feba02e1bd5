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
        const margin = dot(x, w) + dot(x, v);
        const delta = best(settings, { y: y[i], cap: cap[i], beta: beta[i], margin, h }) - beta[i];
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

interface Row {
  readonly y: number;
  readonly cap: number;
  readonly beta: number;
  readonly margin: number;
  readonly h: number;
}

/** The beta that is best for one row, others standing still. */
function best({ objective, loss, epsilon, quantile = 0.5 }: RandomProblem['settings'], row: Row): number {
  const { y, cap, beta, margin, h } = row;
  const g = y - margin;
  if (loss === 'quantile') return Math.min(quantile * cap, Math.max((quantile - 1) * cap, beta + g / h));
  if (objective === 'regression') {
    const t = beta + g / h;
    return Math.min(cap, Math.max(-cap, Math.sign(t) * Math.max(0, Math.abs(t) - epsilon / h)));
  }
  if (loss === 'logistic') return y * bestOfLogistic({ ...row, beta: y * beta, margin: y * margin });
  const [ridge, most] = loss === 'squared-hinge' ? [1 / (2 * cap), Number.POSITIVE_INFINITY] : [0, cap];
  return y * Math.min(most, Math.max(0, y * (beta + (g - ridge * beta) / (h + ridge))));
}

/** LIBLINEAR's iteration (Yu, Huang and Lin 2011): Newton's method on the nearer of alpha and C - alpha. */
function bestOfLogistic({ cap, beta: alpha, margin, h }: Row): number {
  const near = h * (cap / 2 - alpha) + margin >= 0;
  const from = near ? alpha : cap - alpha;
  const b = near ? margin : -margin;
  let z = from > 0 && from <= cap / 2 ? from : cap / 2;
  for (let k = 0; k < 300; k++) {
    const slope = h * (z - from) + b + Math.log(z / (cap - z));
    if (Math.abs(slope) < 1e-14) break;
    const next = z - slope / (h + cap / (cap - z) / z);
    z = next <= 0 ? z / 10 : next;
  }
  return near ? z : cap - z;
}

/** The loss at a, and s(beta). */
function valuesOf(
  { objective, loss, epsilon, quantile = 0.5 }: RandomProblem['settings'],
  { y, cap, beta, margin }: Omit<Row, 'h'>,
): { loss: number; s: number } {
  if (loss === 'quantile') {
    const over = y - margin;
    return { loss: cap * Math.max(quantile * over, (quantile - 1) * over), s: y * beta };
  }
  if (objective === 'regression') {
    return {
      loss: cap * Math.max(0, Math.abs(margin - y) - epsilon),
      s: y * beta - epsilon * Math.abs(beta),
    };
  }
  const [m, alpha] = [y * margin, y * beta];
  const hinge = Math.max(0, 1 - m);
  if (loss === 'squared-hinge') return { loss: cap * hinge ** 2, s: alpha - alpha ** 2 / (4 * cap) };
  if (loss !== 'logistic') return { loss: cap * hinge, s: alpha };
  const entropy = (p: number) => (p > 0 ? -p * Math.log(p) : 0);
  return {
    loss: cap * (Math.log1p(Math.exp(-Math.abs(m))) + Math.max(0, -m)),
    s: cap * (entropy(alpha / cap) + entropy((cap - alpha) / cap)),
  };
}

function boundsOn(
  settings: RandomProblem['settings'],
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
  const { c2 } = settings;
  let primal = fixed ? 0 : dot(w, w) / 2;
  let dual = -primal;
  for (const { n, y, rows, cap, v, beta } of parts) {
    const personal = (c2 / 2) * dot(v, v);
    primal += personal;
    dual -= personal + (fixed ? c2 * dot(w, v) : 0);
    for (let i = 0; i < n; i++) {
      const margin = dot(rows[i], w) + dot(rows[i], v);
      const { loss, s } = valuesOf(settings, { y: y[i], cap: cap[i], beta: beta[i], margin });
      primal += loss;
      // A row of zeros adds the same to both sides.
      dual += rows[i].every((value) => value === 0) ? loss : s;
    }
  }
  return { primal, dual };
}
