/**
 * One participant's rows and working memory, in an arena. Allocated once; a solve copies nothing but vectors of length
 * n and d in and out.
 */
import { invariant } from '../base/errors.ts';
import type { Arena } from '../math/arena.ts';
import { type Address, type PassArguments, type PassSettings, padded } from '../math/kernels.ts';
import type { Loss } from './losses/loss.ts';
import { lossOf } from './losses/losses.ts';
import { boxOf, dualSum, lossSum, type ProblemSettings } from './problem.ts';
import { placeTableRows, type TableRows } from './table-rows.ts';

interface Targets {
  readonly n: number;
  /** Columns, with the bias. */
  readonly d: number;
  readonly y: Float64Array;
  /** c_ik of each row; undefined: 1. */
  readonly weights?: Float64Array | undefined;
}

export interface ShardInput extends Targets {
  /** Writes row i's d values into `row` (f32, zeroed, at least d long). */
  readonly write: (i: number, row: Float32Array) => void;
}

/** Rows of a table, which the kernels scale: the same bits as `scaleRow` writes, faster. */
interface TableShardInput extends Targets {
  readonly table: TableRows;
}

/** A Gram matrix pays where it is small and steps over rows are long; all of an arena's share this many bytes. */
const GRAM_BYTES = 1024 * 1024 * 1024;

export type SolveForm = 'auto' | 'rows' | 'gram';

/**
 * The forms of shards with n rows each and d columns, as they would choose them in one arena: what a solve computes must not
 * depend on how many arenas they are spread over.
 */
export function solveForms(n: readonly number[], d: number): SolveForm[] {
  let bytes = n.reduce((sum, rows) => sum + 4 * rows * padded(d), 0);
  return n.map((rows) => {
    if (!gramPays(rows, d, bytes)) return 'rows';
    bytes += gramBytes(rows);
    return 'gram';
  });
}

/**
 * Row form: a step reads a row (d), one that moves writes d more. Gram form: a step reads one number, one that moves
 * writes n.
 */
function gramPays(n: number, d: number, usedBytes: number): boolean {
  return n <= 1.25 * d && usedBytes + gramBytes(n) <= GRAM_BYTES;
}

function gramBytes(n: number): number {
  return 4 * n * padded(n);
}

export class Shard {
  readonly arena: Arena;
  readonly n: number;
  readonly d: number;
  readonly stride: number;
  readonly y: Float64Array;
  settings!: ProblemSettings;
  lossFunction!: Loss;
  low!: Float64Array;
  high!: Float64Array;
  /** C1 c_i: the price of each row's loss. */
  cap!: Float64Array;
  readonly rows: Address;
  private readonly weights: Float64Array | undefined;
  private readonly owned: Address[] = [];
  private readonly z: Address;
  private readonly out: Address;
  private readonly coefficient: Address;
  private readonly at: Omit<PassArguments, 'stride' | 'change'>;
  private gram: { address: Address; stride: number } | undefined;
  private change: { address: Address; length: number };
  private form: SolveForm;

  constructor(
    arena: Arena,
    settings: ProblemSettings,
    input: ShardInput | TableShardInput,
    form: SolveForm = 'auto',
  ) {
    const { n, d } = input;
    invariant(n > 0 && d > 0, `shard: expected rows and columns, got ${n} x ${d}`);
    this.arena = arena;
    this.weights = input.weights;
    this.n = n;
    this.d = d;
    this.stride = padded(d);
    this.y = input.y;
    this.form = form;
    this.rows = this.take(4 * n * this.stride);
    if ('table' in input) placeTableRows(arena, input.table, { address: this.rows, d, stride: this.stride });
    else for (let i = 0; i < n; i++) input.write(i, arena.f32(this.rows + 4 * i * this.stride, d));
    this.z = this.take(8 * this.stride);
    this.out = this.take(8 * this.stride);
    this.coefficient = this.take(8 * n);
    this.at = {
      y: this.put(input.y),
      low: this.take(8 * n),
      high: this.take(8 * n),
      cap: this.take(8 * n),
      norm: this.take(8 * n),
      beta: this.take(8 * n),
      margin: this.take(8 * n),
      order: this.take(4 * n),
      report: this.take(16),
    };
    arena.kernels.squaredNorms(this.rows, n, this.stride, this.at.norm);
    this.change = { address: this.take(4 * this.stride), length: this.stride };
    this.retarget(settings);
  }

  /** The same rows under another loss, C1, C2 or epsilon: only the boxes change. */
  retarget(settings: ProblemSettings): void {
    this.settings = settings;
    this.lossFunction = lossOf(settings);
    this.cap = this.y.map((_, i) => settings.c1 * (this.weights ? this.weights[i] : 1));
    const { low, high } = boxOf(this);
    this.low = low;
    this.high = high;
    this.arena.f64(this.at.low, this.n).set(low);
    this.arena.f64(this.at.high, this.n).set(high);
    this.arena.f64(this.at.cap, this.n).set(this.cap);
  }

  /**
   * The nearest beta that these settings allow, to start from. Rows of all zeros, which no step can move, get their best
   * value at once: they do not touch u, but the dual would stay below the primal without them.
   */
  startingBeta(near: Float64Array = new Float64Array(this.n)): Float64Array {
    const { cap, lossFunction, squaredNorms } = this;
    return near.map((value, i) => {
      const wanted =
        squaredNorms[i] > 0 ? value : lossFunction.subgradient(this.y[i], 0, cap[i], this.settings);
      return Math.min(this.high[i], Math.max(this.low[i], wanted));
    });
  }

  /** Gives the memory back; the shard is of no use afterwards. */
  release(): void {
    for (const address of this.owned) this.arena.release(address);
    this.owned.length = 0;
  }

  /** Sets the state a solve starts from: beta, and the margins x_i . z of every row. */
  load(beta: Float64Array, z: Float64Array): void {
    const { arena } = this;
    arena.f64(this.at.beta, this.n).set(beta);
    arena.f64(this.z, this.d).set(z);
    arena.kernels.margins(this.rows, this.n, this.stride, this.z, this.at.margin);
  }

  /** As `load`, with margins that are known already. */
  reset(beta: Float64Array, margins: Float64Array): void {
    this.arena.f64(this.at.beta, this.n).set(beta);
    this.margins.set(margins);
  }

  /** |x_i|^2: a view, valid until the next allocation. */
  get squaredNorms(): Float64Array {
    return this.arena.f64(this.at.norm, this.n);
  }

  /** Margins as last loaded: a view, valid until the next allocation. */
  get margins(): Float64Array {
    return this.arena.f64(this.at.margin, this.n);
  }

  /** Beta as the solve left it, copied. */
  get beta(): Float64Array {
    return this.arena.f64(this.at.beta, this.n).slice();
  }

  /** sum_i coefficient_i x_i, in f64. */
  combine(coefficient: Float64Array): Float64Array {
    const { arena } = this;
    arena.f64(this.coefficient, this.n).set(coefficient);
    const out = arena.f64(this.out, this.stride);
    out.fill(0);
    arena.kernels.combine(this.rows, this.n, this.stride, this.coefficient, this.out);
    return out.slice(0, this.d);
  }

  /** C1 sum_i c_i loss_i at the loaded margins. */
  loss(): number {
    return lossSum(this, this.margins);
  }

  /** sum_i s(beta_i). */
  dualSum(beta: Float64Array): number {
    return dualSum(this, beta);
  }

  /** Everything a pass needs, in the form that suits this shard; the change since `load` starts at zero. */
  beginPasses(): { run: (settings: PassSettings) => void; at: PassArguments } {
    this.chooseForm();
    this.arena.f32(this.change.address, this.change.length).fill(0);
    const at = {
      ...this.at,
      stride: this.gram ? this.gram.stride : this.stride,
      change: this.change.address,
    };
    return { at, run: (settings) => this.runPass(at, settings) };
  }

  private runPass(at: PassArguments, settings: PassSettings): void {
    if (this.gram) this.arena.kernels.passGram(this.gram.address, at, settings);
    else this.arena.kernels.passRows(this.rows, at, settings);
  }

  /** The matrix costs n^2 d / 2 once, so it is made at the first solve, not for a shard that only predicts. */
  private chooseForm(): void {
    if (this.gram || this.form === 'rows') return;
    if (this.form === 'auto' && !gramPays(this.n, this.d, this.arena.usedBytes)) {
      this.form = 'rows';
      return;
    }
    const stride = padded(this.n);
    const address = this.take(gramBytes(this.n));
    this.arena.kernels.gram(this.rows, this.n, this.stride, address, stride);
    this.gram = { address, stride };
    this.change = { address: this.take(4 * stride), length: stride };
  }

  private take(bytes: number): Address {
    const address = this.arena.allocate(bytes);
    this.owned.push(address);
    return address;
  }

  private put(values: Float64Array): Address {
    const address = this.take(8 * values.length);
    this.arena.f64(address, values.length).set(values);
    return address;
  }
}
