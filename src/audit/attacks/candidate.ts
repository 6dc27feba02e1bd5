/**
 * A participant that might be: candidate rows and targets, and what somebody who had them would have sent. The local solve
 * of the coordinator's own software again, but in f64 throughout, so that the answer is a piecewise smooth function of the
 * rows (the kernels' f32 rows are not). The order of rows is no secret: it is seeded by the settings, the round and the
 * participant's id.
 */
import { seed32 } from '../../base/random.ts';
import { entropyStep, towardsZero, vertex } from '../../math/steps.ts';
import { lossOf } from '../../solver/losses/losses.ts';
import { type BoxContext, boxOf, dualSum, lossSum, rowWeights } from '../../solver/problem.ts';
import { plusScaled } from '../../solver/vector.ts';
import { changesOf, type KnownSettings, type Observation, type ObservedChange } from './observation.ts';

export interface Candidate {
  /** n x columns, row by row, with the bias. */
  readonly rows: Float64Array;
  readonly y: Float64Array;
}

/** A change, and what of the solve behind it is known without the rows. */
export interface ObservedSolve extends ObservedChange {
  /** Seed of the order of rows. */
  readonly seed: number;
}

/** Computed once for all candidates. */
export function observedSolves(observation: Observation): ObservedSolve[] {
  const { settings, participant } = observation;
  return changesOf(observation).map((change) => ({
    ...change,
    seed: seed32(settings.seed, 'solve', change.round, participant),
  }));
}

export class CandidateSolver {
  readonly n: number;
  readonly columns: number;
  private readonly settings: KnownSettings;
  private readonly candidate: Candidate;
  private readonly problem: BoxContext;
  private readonly epsilon: number;
  private readonly box: ReturnType<typeof boxOf>;
  private readonly norms: Float64Array;

  constructor(settings: KnownSettings, candidate: Candidate) {
    this.settings = settings;
    this.candidate = candidate;
    this.epsilon = lossOf(settings).form === 'tube' ? settings.epsilon : 0;
    const { y, rows } = candidate;
    this.n = y.length;
    this.columns = rows.length / y.length;
    const weights = rowWeights(settings, y, y.length);
    this.problem = { settings, y, cap: y.map((_, i) => settings.c1 * (weights ? weights[i] : 1)) };
    this.box = boxOf(this.problem);
    this.norms = y.map((_, i) => this.dotRow(i, this.row(i)));
  }

  row(i: number): Float64Array {
    return this.candidate.rows.subarray(i * this.columns, (i + 1) * this.columns);
  }

  /** sum_i coefficient_i x_i */
  combine(coefficient: Float64Array): Float64Array {
    const out = new Float64Array(this.columns);
    for (let i = 0; i < this.n; i++) if (coefficient[i] !== 0) this.addRow(i, coefficient[i], out);
    return out;
  }

  /** Beta after the round's local solve from `beta`, where `u` is what the model w + u / C2 is made of. */
  solve(solve: ObservedSolve, u: Float64Array, beta: Float64Array): Float64Array {
    const { passes, c2 } = this.settings;
    const { w, sigma, tolerance, seed } = solve;
    const pass = {
      q: sigma + 1 / c2,
      skip: 0.1 * tolerance,
      z: plusScaled(w, 1 / c2, u),
      beta: beta.slice(),
      order: Uint32Array.from({ length: this.n }, (_, i) => i),
      active: this.n,
      shrink: Number.POSITIVE_INFINITY,
    };
    for (let p = 0; p < passes; p++) {
      shuffleAsKernel(pass.order, pass.active, Math.imul(seed + p, 0x9e3779b1) >>> 0);
      const whole = pass.active === this.n;
      const { worst, active } = this.pass(pass);
      if (worst > tolerance) {
        pass.active = active;
        pass.shrink = worst;
      } else if (whole) {
        break;
      } else {
        pass.active = this.n;
        pass.shrink = Number.POSITIVE_INFINITY;
      }
    }
    return pass.beta;
  }

  /** C1 sum_i c_i loss_i of the model z. */
  loss(z: Float64Array): number {
    const margins = this.candidate.y.map((_, i) => this.dotRow(i, z));
    return lossSum(this.problem, margins);
  }

  dualSum(beta: Float64Array): number {
    return dualSum(this.problem, beta);
  }

  private pass(p: Pass): { worst: number; active: number } {
    const { low, high } = this.box;
    let worst = 0;
    let count = p.active;
    let a = 0;
    while (a < count) {
      const i = p.order[a];
      const h = p.q * this.norms[i];
      if (h === 0) {
        a++;
        continue;
      }
      const b = p.beta[i];
      const step = this.step(i, b, this.dotRow(i, p.z), h);
      if (isStuck(b, step.g, low[i], high[i], this.epsilon, p.shrink)) {
        count--;
        p.order[a] = p.order[count];
        p.order[count] = i;
        continue;
      }
      a++;
      const delta = Math.min(high[i], Math.max(low[i], step.t)) - b;
      if (delta === 0) continue;
      worst = Math.max(worst, Math.abs(step.t - b) * step.h);
      if (Math.abs(delta) * step.h <= p.skip) continue;
      p.beta[i] = b + delta;
      this.addRow(i, p.q * delta, p.z);
    }
    return { worst, active: count };
  }

  /** Where a row's step goes before clipping, the gradient there was, and the curvature it is measured by. */
  private step(i: number, b: number, margin: number, h: number): { t: number; g: number; h: number } {
    const y = this.candidate.y[i];
    const cap = this.problem.cap[i];
    const g = y - margin;
    switch (lossOf(this.settings).form) {
      case 'clip':
        return { t: vertex(b, g, h), g, h };
      case 'tube':
        return { t: towardsZero(vertex(b, g, h), this.epsilon / h), g, h };
      case 'ridge': {
        const ridge = 0.5 / cap;
        const steeper = g - ridge * b;
        return { t: vertex(b, steeper, h + ridge), g: steeper, h: h + ridge };
      }
      case 'entropy':
        // Nothing is shrunk.
        return { t: y * entropyStep(y * b, y * margin, h, cap), g: 0, h: h + 4 / cap };
    }
  }

  private dotRow(i: number, z: Float64Array): number {
    const { rows } = this.candidate;
    const at = i * this.columns;
    let sum = 0;
    for (let j = 0; j < this.columns; j++) sum += rows[at + j] * z[j];
    return sum;
  }

  private addRow(i: number, c: number, z: Float64Array): void {
    const { rows } = this.candidate;
    const at = i * this.columns;
    for (let j = 0; j < this.columns; j++) z[j] += c * rows[at + j];
  }
}

interface Pass {
  readonly q: number;
  readonly skip: number;
  readonly z: Float64Array;
  readonly beta: Float64Array;
  readonly order: Uint32Array;
  active: number;
  shrink: number;
}

function isStuck(b: number, g: number, low: number, high: number, epsilon: number, shrink: number): boolean {
  if (b === high && g - epsilon > shrink) return true;
  if (b === low && g + epsilon < -shrink) return true;
  return b === 0 && epsilon > 0 && Math.abs(g) < epsilon - shrink;
}

/** The kernels' shuffle, on plain memory. */
function shuffleAsKernel(order: Uint32Array, count: number, seed: number): void {
  let s = seed === 0 ? 0x9e3779b9 : seed;
  for (let i = count - 1; i > 0; i--) {
    s ^= s << 13;
    s ^= s >>> 17;
    s ^= s << 5;
    const j = Math.floor(((s >>> 0) * (i + 1)) / 4294967296);
    const t = order[i];
    order[i] = order[j];
    order[j] = t;
  }
}
