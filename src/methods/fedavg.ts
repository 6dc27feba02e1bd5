/**
 * `fedavg` (McMahan et al. 2017): stochastic subgradient steps on the same primal P(w, v) as `mtl`, what one
 * would run with a general federated framework. In each round every participant starts from the shared w and its own
 * v_k, makes some epochs over its rows, and the server averages the w by number of rows; v_k stays where it is.
 *
 * A step on row i of participant k, with n rows in all and n_k of its own:
 *   w <- (w - step C1 c_i loss'(.) x_i) / (1 + step / n)
 *   v <- (v - step C1 c_i loss'(.) x_i) / (1 + step C2 / n_k)
 * The regularisers are taken implicitly (the division), so that no C2 makes a step overshoot. Step length: a quarter of
 * what would close the margin of an average row, but none that overshoots where the loss is curved, falling as 1 / (1 + round / 10).
 *
 * There is no dual, hence no certificate: `history` has the primal alone.
 */
import { stream } from '../base/random.ts';
import type { Address } from '../math/kernels.ts';
import type { Shard } from '../solver/shard.ts';
import { addScaled, concatenate, dot, plusScaled } from '../solver/vector.ts';
import type { HistoryRow, Method } from './method.ts';

/** Passes over the own rows in a round, if `passes` allows as many. */
const EPOCHS = 5;
/** When the best primal has fallen by less than this share within so many rounds, SGD has got where it gets. */
const STALL = { share: 1e-4, rounds: 10 };

export const trainFedavg: Method = ({ workspace, settings, onRound }) => {
  const { tasks, d } = workspace;
  const { c1, c2 } = settings;
  const shards = workspace.each(settings);
  const total = tasks.reduce((sum, task) => sum + task.n, 0);
  const epochs = Math.min(EPOCHS, settings.passes);
  const firstStep = Math.min(0.25 / (c1 * meanSquaredNorm(shards)), stableStep(shards));
  const sgd = new Sgd(shards[0]);
  let w = new Float64Array(d);
  const v: Float64Array[] = tasks.map(() => new Float64Array(d));
  const history: HistoryRow[] = [];
  let passes = 0;
  try {
    for (let round = 0; ; round++) {
      const row = { round, primal: primalOf(shards, w, v, c2), dual: null, relativeGap: null };
      history.push(row);
      onRound?.({ row, w, personal: (k) => v[k] });
      if (round === settings.rounds || stalled(history)) {
        const stopped = round === settings.rounds ? ('rounds' as const) : ('stall' as const);
        return { w, v, servesNewcomers: true, rounds: round, passes, history, stopped };
      }
      const step = firstStep / (1 + round / 10);
      const average = new Float64Array(d);
      for (const [k, shard] of shards.entries()) {
        const rows = shard.rowCount;
        const order = Uint32Array.from({ length: rows }, (_, i) => i);
        const random = stream(settings.seed, 'sgd', round, tasks[k].id);
        sgd.begin(w, v[k]);
        for (let epoch = 0; epoch < epochs; epoch++) {
          random.shuffle(order);
          sgd.epoch(shard, order, step, { shared: 1 + step / total, personal: 1 + (step * c2) / rows });
        }
        passes += epochs;
        const end = sgd.end();
        v[k] = end.v;
        addScaled(average, rows / total, end.w);
      }
      w = average;
    }
  } finally {
    sgd.release();
  }
};

/**
 * w and v in kernel memory, each as a scale times a vector, so that the division of every step costs one number and not
 * a pass over d. A step moves every head, each in a block of the stride.
 */
class Sgd {
  private readonly shard: Shard;
  private readonly w: Address;
  private readonly v: Address;
  private wScale = 1;
  private vScale = 1;

  /** Any shard of the training: all have the same memory and the same stride. */
  constructor(shard: Shard) {
    this.shard = shard;
    this.w = shard.arena.allocate(8 * shard.heads * shard.stride);
    this.v = shard.arena.allocate(8 * shard.heads * shard.stride);
  }

  release(): void {
    this.shard.arena.release(this.w);
    this.shard.arena.release(this.v);
  }

  begin(w: Float64Array, v: Float64Array): void {
    this.wScale = 1;
    this.vScale = 1;
    const { columns } = this.shard;
    for (const [head, blocks] of this.blocks().entries()) {
      blocks.w.set(w.subarray(head * columns, (head + 1) * columns));
      blocks.v.set(v.subarray(head * columns, (head + 1) * columns));
    }
  }

  private blocks(): { readonly w: Float64Array; readonly v: Float64Array }[] {
    const { arena, heads, stride, columns } = this.shard;
    return Array.from({ length: heads }, (_, head) => ({
      w: arena.f64(this.w + 8 * head * stride, columns),
      v: arena.f64(this.v + 8 * head * stride, columns),
    }));
  }

  epoch(shard: Shard, order: Uint32Array, step: number, decay: { shared: number; personal: number }): void {
    for (const i of order) {
      for (let head = 0; head < shard.heads; head++) this.move(shard, head, i, step);
      this.wScale /= decay.shared;
      this.vScale /= decay.personal;
    }
    this.fold();
  }

  private move(shard: Shard, head: number, i: number, step: number): void {
    const { kernels } = shard.arena;
    const { stride, settings, lossFunction, rowCount } = shard;
    const row = shard.rows + 4 * i * stride;
    const [w, v] = [this.w + 8 * head * stride, this.v + 8 * head * stride];
    const a = this.wScale * kernels.rowDot(row, stride, w) + this.vScale * kernels.rowDot(row, stride, v);
    const at = head * rowCount + i;
    const pull = lossFunction.subgradient(shard.y[at], a, shard.cap[at], settings);
    if (pull === 0) return;
    kernels.rowAdd(row, stride, (step * pull) / this.wScale, w);
    kernels.rowAdd(row, stride, (step * pull) / this.vScale, v);
  }

  end(): { w: Float64Array; v: Float64Array } {
    const blocks = this.blocks();
    return { w: concatenate(blocks.map(({ w }) => w)), v: concatenate(blocks.map(({ v }) => v)) };
  }

  /** Multiplies the scales in, before they become too small to divide by. */
  private fold(): void {
    for (const { w, v } of this.blocks()) {
      for (let j = 0; j < w.length; j++) {
        w[j] *= this.wScale;
        v[j] *= this.vScale;
      }
    }
    this.wScale = 1;
    this.vScale = 1;
  }
}

function primalOf(shards: readonly Shard[], w: Float64Array, v: readonly Float64Array[], c2: number): number {
  let primal = dot(w, w) / 2;
  for (const [k, shard] of shards.entries()) {
    shard.load(shard.startingBeta(), plusScaled(w, 1, v[k]));
    primal += shard.loss() + (c2 / 2) * dot(v[k], v[k]);
  }
  return primal;
}

function stalled(history: readonly HistoryRow[]): boolean {
  if (history.length <= STALL.rounds) return false;
  const best = (rows: readonly HistoryRow[]) => Math.min(...rows.map((row) => row.primal));
  return best(history.slice(0, -STALL.rounds)) * (1 - STALL.share) <= best(history);
}

/** The margin of a row moves by 2 step |x|^2 (w and v alike) times its pull, whose slope is curvature C. */
function stableStep(shards: readonly Shard[]): number {
  let steepest = 0;
  for (const { squaredNorms, cap, lossFunction } of shards)
    for (const [i, price] of cap.entries())
      steepest = Math.max(
        steepest,
        2 * squaredNorms[i % squaredNorms.length] * lossFunction.curvature * price,
      );
  return 1 / steepest;
}

function meanSquaredNorm(shards: readonly Shard[]): number {
  let sum = 0;
  let rows = 0;
  for (const shard of shards) {
    sum += shard.squaredNorms.reduce((a, b) => a + b, 0);
    rows += shard.rowCount;
  }
  return sum > 0 ? sum / rows : 1;
}
