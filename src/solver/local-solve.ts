/**
 * The local solve: coordinate ascent on one participant's part of the dual, others held still but allowed for by sigma.
 *
 *   max over beta_k of  sum s(beta_i) - w.(u - u_k) - sigma/2 |u - u_k|^2 - 1/(2 C2) |u|^2,   u = sum_i beta_i x_i
 *
 * One step (kernels `passRows`, `passGram`), with q = sigma + 1/C2 and H = q |x|^2: beta becomes the maximum of
 *
 *   s(b) - x.z (b - beta) - H/2 (b - beta)^2,      z += q (change of beta) x
 *
 * For the hinge and the epsilon-insensitive loss t = beta + (y - x.z)/H, t = sign(t) max(0, |t| - eps/H), beta = clip(t); the others: losses/.
 *
 * Passes run in random order over the rows that are not shrunk. Shrinking as in LIBLINEAR (Hsieh et al. 2008; Ho and
 * Lin 2012 for regression): a row that sits at a bound, and wants to go further out by more than the worst violation of
 * the pass before, is left out; when what remains is solved, all rows come back for a check before the solve is done. They come back, too,
 * when the worst violation has not been halved for many passes: below a tolerance of about 1e-6 rounding keeps it up for ever.
 *
 * The margins at the start are exact (f64); only the change since then is f32. What the f32 part gets wrong is put
 * right by the next solve: what limits a training is the accuracy of the rows and of the aggregation, not this.
 *
 * Every intermediate beta is feasible: a solve may be stopped after any pass.
 *
 * Heads (shard.ts) are solved side by side, pass by pass, each until it is done.
 */
import type { HeadPasses, Shard } from './shard.ts';

export interface LocalSolveOptions {
  /** Coupling allowance: above 0 a solve allows for what others are about to answer too. */
  readonly sigma: number;
  /** Largest violation, in units of the margin, at which a solve is done. */
  readonly tolerance: number;
  /** Seeds the order of the rows. */
  readonly seed: number;
}

/** Passes without half the violation after which all rows are checked. */
const STALL = 100;

export class LocalSolve {
  /** Of the head that has made most. */
  passes = 0;
  private readonly heads: readonly HeadSolve[];

  /** The shard must have been loaded with the starting beta and z. */
  constructor(shard: Shard, options: LocalSolveOptions) {
    this.heads = shard.beginPasses().map((passes) => new HeadSolve(shard, passes, options));
  }

  get done(): boolean {
    return this.heads.every((head) => head.done);
  }

  /** Rows that the next pass will visit, in all heads. */
  get activeRows(): number {
    let rows = 0;
    for (const head of this.heads) if (!head.done) rows += head.active;
    return rows;
  }

  pass(): void {
    for (const head of this.heads) if (!head.done) head.pass();
    this.passes++;
  }

  /** Part of a pass, for who has no time for a whole one; nothing is shrunk by it, and nothing is done after it. */
  partOfPass(rows: number): void {
    const all = this.activeRows;
    for (const head of this.heads) if (!head.done) head.partOfPass(Math.floor((rows * head.active) / all));
  }

  runPasses(most: number): void {
    while (!this.done && this.passes < most) this.pass();
  }
}

/** The solve of one head. */
class HeadSolve {
  passes = 0;
  done = false;
  /** Rows that the next pass will visit. */
  active: number;
  private readonly shard: Shard;
  private readonly options: LocalSolveOptions;
  private readonly at: HeadPasses['at'];
  private readonly run: (active: number, shrink: number) => void;
  private shrink = Number.POSITIVE_INFINITY;
  /** The violation to be halved, and the pass that it is of. */
  private mark = { worst: Number.POSITIVE_INFINITY, pass: 0 };

  constructor(shard: Shard, { at, run }: HeadPasses, options: LocalSolveOptions) {
    this.shard = shard;
    this.options = options;
    this.at = at;
    const { epsilon, c2 } = shard.settings;
    const { form: step } = shard.lossFunction;
    const q = options.sigma + 1 / c2;
    const skip = 0.1 * options.tolerance;
    // Written out: a spread costs as much as a short pass.
    this.run = (active, shrink) => run({ active, step, q, epsilon, shrink, skip });
    this.active = shard.rowCount;
    const order = shard.arena.u32(at.order, shard.rowCount);
    for (let i = 0; i < order.length; i++) order[i] = i;
  }

  pass(): void {
    const { arena, rowCount } = this.shard;
    const { tolerance } = this.options;
    arena.kernels.shuffle(this.at.order, this.active, this.orderSeed());
    const whole = this.active === rowCount;
    this.run(this.active, this.shrink);
    this.passes++;
    // By number: taking a typed array apart goes through its iterator, which costs as much as a short pass.
    const report = arena.f64(this.at.report, 2);
    const worst = report[0];
    const active = report[1];
    if (worst > tolerance && !this.stalls(worst)) {
      this.active = active;
      this.shrink = worst;
    } else if (whole) {
      this.done = worst <= tolerance;
    } else {
      // Solved among the active rows: the others come back, and the next pass shrinks none of them.
      this.active = rowCount;
      this.shrink = Number.POSITIVE_INFINITY;
    }
  }

  private stalls(worst: number): boolean {
    if (2 * worst >= this.mark.worst && this.passes - this.mark.pass < STALL) return false;
    const halved = 2 * worst < this.mark.worst;
    this.mark = { worst: halved ? worst : Number.POSITIVE_INFINITY, pass: this.passes };
    return !halved;
  }

  partOfPass(rows: number): void {
    const { arena } = this.shard;
    const count = Math.min(rows, this.active);
    if (count < 1) return;
    arena.kernels.shuffle(this.at.order, this.active, this.orderSeed());
    this.run(count, Number.POSITIVE_INFINITY);
  }

  private orderSeed(): number {
    return Math.imul(this.options.seed + this.passes, 0x9e3779b1) >>> 0;
  }
}

/** The local tolerance that goes with a relative gap: tight enough not to hold the gap up, loose enough to be cheap. */
export function localTolerance(relativeGap: number): number {
  return Math.min(0.01, Math.max(1e-10, 0.01 * relativeGap));
}
