/**
 * `mocha` (Smith et al. 2017, "Federated Multi-Task Learning"), for comparison:
 *
 *   min over W = [w_1 .. w_m] and Omega  sum_t (1/n_t) sum_i c hinge(y, w_t.x) + lambda/2 tr(W Omega W^T)
 *
 * by turns. With M = Omega^-1 fixed, W is found in the dual as everywhere here: u_t = sum_i beta_i x_i with
 * 0 <= y beta <= c/n_t, w_t = (1/lambda) sum_t' M_tt' u_t', and every task solves for itself with
 * q_t = sigma' M_tt / lambda, sigma' = max_t sum_t' |M_tt'| / M_tt (their Lemma 9), updates added in full. With W fixed,
 * M = (W^T W)^(1/2) / tr((W^T W)^(1/2)), starting from I/m.
 *
 * Departures: the certificate is that of the W step (Omega fixed), computed through u so that M need not be invertible.
 * Omega is renewed when the gap has come down to a tenth, and node-specific accuracy is what the tolerance and the most
 * passes of each local solve make of it (`passesOf` lets a caller vary it per task and round, as slow nodes would).
 */
import { seed32 } from '../base/random.ts';
import {
  type Certificate,
  certificateOf,
  dot,
  LocalSolve,
  localTolerance,
  type ProblemSettings,
  type Shard,
  weightedSum,
} from '../solver/index.ts';
import { symmetricSquareRoot } from './eigen.ts';
import type { HistoryRow, Method, MethodInput, MethodResult } from './method.ts';

/** Rounds on one Omega at the most. */
const ROUNDS_PER_OMEGA = 20;
/** Omega is settled when no entry of M moves by more than this share of the largest one. */
const SETTLED = 1e-2;
/** Added to the diagonal of M, as a share of its mean: a task whose model is 0 must be able to move again. */
const RIDGE = 1e-6;

export const trainMocha: Method = (input) => new Mocha(input).run();

class Mocha {
  private readonly input: MethodInput;
  private readonly shards: readonly Shard[];
  private readonly m: number;
  /** n_t beta: boxes of height 1 instead of 1/n_t. */
  private readonly scaledBeta: Float64Array[];
  /** u_t = sum_i beta_i x_i. */
  private readonly u: Float64Array[];
  /** M = Omega^-1, m x m. */
  private relations: Float64Array;
  private w: Float64Array[] = [];

  constructor(input: MethodInput) {
    this.input = input;
    const plain: ProblemSettings = { ...input.settings, c1: 1, c2: Number.POSITIVE_INFINITY, epsilon: 0 };
    this.shards = input.workspace.each(plain);
    this.m = this.shards.length;
    this.scaledBeta = this.shards.map((shard) => shard.startingBeta());
    this.u = this.shards.map(() => new Float64Array(input.workspace.d));
    this.relations = new Float64Array(this.m * this.m);
    for (let t = 0; t < this.m; t++) this.relations[t * this.m + t] = 1 / this.m;
    this.renewModels();
  }

  run(): MethodResult {
    const { settings, onRound, workspace } = this.input;
    const shared = new Float64Array(workspace.d);
    const history: HistoryRow[] = [];
    let passes = 0;
    let settled = false;
    let turn = { goal: 0.1, since: 0 };
    for (let round = 0; ; round++) {
      let proof = this.examine();
      const row = { round, ...proof };
      history.push(row);
      onRound?.({ row, w: shared, personal: (t) => this.w[t] });
      const done = settled && proof.relativeGap <= settings.gap;
      if (done || round === settings.rounds) {
        const stopped = done ? ('gap' as const) : ('rounds' as const);
        const course = { certificate: proof, rounds: round, passes, history, stopped };
        return { w: shared, v: this.w, servesNewcomers: false, ...course };
      }
      if (proof.relativeGap <= turn.goal || turn.since >= ROUNDS_PER_OMEGA) {
        settled = this.renewRelations() <= SETTLED;
        this.renewModels();
        proof = this.examine();
        turn = { goal: Math.max(settings.gap, proof.relativeGap / 10), since: 0 };
      }
      turn.since++;
      passes += this.solveRound(round, proof);
    }
  }

  /** P and D for the present Omega; leaves every shard loaded with its margins. */
  private examine(): Certificate {
    let loss = 0;
    let gain = 0;
    let quadratic = 0;
    for (const [t, shard] of this.shards.entries()) {
      shard.load(this.scaledBeta[t], this.w[t]);
      loss += shard.loss() / shard.n;
      gain += shard.dualSum(this.scaledBeta[t]) / shard.n;
      // lambda/2 tr(W Omega W^T) = 1/2 sum_t w_t.u_t.
      quadratic += dot(this.w[t], this.u[t]) / 2;
    }
    return certificateOf(quadratic + loss, gain - quadratic);
  }

  /** One local solve of every task, all from the same W, then all updates added. */
  private solveRound(round: number, proof: Certificate): number {
    const { settings, workspace, passesOf } = this.input;
    const coupling = this.coupling();
    let passes = 0;
    for (const [t, shard] of this.shards.entries()) {
      const solve = new LocalSolve(shard, {
        sigma: (coupling * this.relations[t * this.m + t]) / (settings.lambda * shard.n),
        tolerance: localTolerance(proof.relativeGap),
        seed: seed32(settings.seed, 'solve', round, workspace.tasks[t].id),
      });
      solve.runPasses(passesOf?.(t, round) ?? settings.passes);
      passes += solve.passes;
      this.scaledBeta[t] = shard.beta;
      this.u[t] = shard.combine(this.scaledBeta[t]).map((value) => value / shard.n);
    }
    this.renewModels();
    return passes;
  }

  /** w_t = (1/lambda) sum_t' M_tt' u_t'. */
  private renewModels(): void {
    const { lambda } = this.input.settings;
    this.w = this.shards.map((_, t) => {
      const weights = Array.from(
        this.relations.subarray(t * this.m, (t + 1) * this.m),
        (value) => value / lambda,
      );
      return weightedSum(weights, this.u);
    });
  }

  /** sigma' = max_t sum_t' |M_tt'| / M_tt. */
  private coupling(): number {
    let largest = 1;
    for (let t = 0; t < this.m; t++) {
      let sum = 0;
      for (let s = 0; s < this.m; s++) sum += Math.abs(this.relations[t * this.m + s]);
      largest = Math.max(largest, sum / this.relations[t * this.m + t]);
    }
    return largest;
  }

  /** M from the present W; returns how far it moved, as a share of its largest entry. */
  private renewRelations(): number {
    const { m } = this;
    const products = new Float64Array(m * m);
    for (let t = 0; t < m; t++) {
      for (let s = 0; s <= t; s++) products[t * m + s] = products[s * m + t] = dot(this.w[t], this.w[s]);
    }
    const root = symmetricSquareRoot(products, m);
    let trace = 0;
    for (let t = 0; t < m; t++) trace += root[t * m + t];
    if (trace === 0) return 0;
    let moved = 0;
    let largest = 0;
    for (let i = 0; i < m * m; i++) {
      const ridge = i % (m + 1) === 0 ? RIDGE / m : 0;
      const value = root[i] / trace + ridge;
      moved = Math.max(moved, Math.abs(value - this.relations[i]));
      largest = Math.max(largest, Math.abs(value));
      this.relations[i] = value;
    }
    return moved / largest;
  }
}
