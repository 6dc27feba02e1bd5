/**
 * One participant's rows and working memory, in an arena. Allocated once; a solve copies nothing but vectors of length
 * n and d in and out.
 *
 * Heads: one against the rest, for every class of many. Each head has targets, boxes and duals of its own over the same rows: H heads are one problem
 * with H times the rows, e_h (x) x_i for row i in head h, and H times the columns. To the outside that is all they are: y, beta and
 * margins are H blocks of `rowCount`, vectors are H blocks of `columns`. In here rows, norms and the Gram matrix exist once and serve every head.
 */
import { invariant } from '../base/errors.ts';
import type { Arena } from '../math/arena.ts';
import { type Address, type PassArguments, type PassSettings, padded } from '../math/kernels.ts';
import type { Loss } from './losses/loss.ts';
import { lossOf } from './losses/losses.ts';
import { type BoxContext, boxOf, dualSum, lossSum, type ProblemSettings } from './problem.ts';
import { placeTableRows, type TableRows } from './table-rows.ts';

interface Targets {
  /** Rows. */
  readonly n: number;
  /** Columns, with the bias. */
  readonly d: number;
  /** A block of n for each head; their number says how many heads there are. */
  readonly y: Float64Array;
  /** c_ik of each, likewise; undefined: 1. */
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

/** What a pass of one head needs, in the form that suits the shard. */
export interface HeadPasses {
  readonly at: PassArguments;
  run(settings: PassSettings): void;
}

export class Shard {
  readonly arena: Arena;
  readonly rowCount: number;
  readonly columns: number;
  readonly heads: number;
  /** Duals: those of all heads. */
  readonly n: number;
  /** Length of vectors: those of all heads. */
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
  /** A block of `length` for each head. */
  private change: { address: Address; length: number };
  private form: SolveForm;

  constructor(
    arena: Arena,
    settings: ProblemSettings,
    input: ShardInput | TableShardInput,
    form: SolveForm = 'auto',
  ) {
    const { n: rowCount, d: columns, y } = input;
    invariant(rowCount > 0 && columns > 0, `shard: expected rows and columns, got ${rowCount} x ${columns}`);
    const heads = y.length / rowCount;
    invariant(Number.isInteger(heads), `shard: expected targets for ${rowCount} rows, got ${y.length}`);
    this.arena = arena;
    this.weights = input.weights;
    this.rowCount = rowCount;
    this.columns = columns;
    this.heads = heads;
    this.n = heads * rowCount;
    this.d = heads * columns;
    this.stride = padded(columns);
    this.y = y;
    this.form = form;
    this.rows = this.take(4 * rowCount * this.stride);
    this.placeRows(input);
    this.z = this.take(8 * this.stride);
    this.out = this.take(8 * this.stride);
    this.coefficient = this.take(8 * rowCount);
    this.at = {
      y: this.put(y),
      low: this.take(8 * this.n),
      high: this.take(8 * this.n),
      cap: this.take(8 * this.n),
      norm: this.take(8 * rowCount),
      beta: this.take(8 * this.n),
      margin: this.take(8 * this.n),
      order: this.take(4 * this.n),
      report: this.take(16 * heads),
    };
    arena.kernels.squaredNorms(this.rows, rowCount, this.stride, this.at.norm);
    this.change = this.takeChange(this.stride);
    this.retarget(settings);
  }

  private placeRows(input: ShardInput | TableShardInput): void {
    const { arena, rows: address, columns: d, stride } = this;
    if ('table' in input) placeTableRows(arena, input.table, { address, d, stride });
    else for (let i = 0; i < this.rowCount; i++) input.write(i, arena.f32(address + 4 * i * stride, d));
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
    const { cap, lossFunction, squaredNorms, rowCount } = this;
    return near.map((value, i) => {
      const wanted =
        squaredNorms[i % rowCount] > 0
          ? value
          : lossFunction.subgradient(this.y[i], 0, cap[i], this.settings);
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
    const { arena, rowCount, columns } = this;
    arena.f64(this.at.beta, this.n).set(beta);
    for (let head = 0; head < this.heads; head++) {
      arena.f64(this.z, columns).set(z.subarray(head * columns, (head + 1) * columns));
      const margin = this.at.margin + 8 * head * rowCount;
      arena.kernels.margins(this.rows, rowCount, this.stride, this.z, margin);
    }
  }

  /** As `load`, with margins that are known already. */
  reset(beta: Float64Array, margins: Float64Array): void {
    this.arena.f64(this.at.beta, this.n).set(beta);
    this.margins.set(margins);
  }

  /** |x_i|^2 of the rows: a view, valid until the next allocation. */
  get squaredNorms(): Float64Array {
    return this.arena.f64(this.at.norm, this.rowCount);
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
    const { arena, rowCount, columns } = this;
    const sums = new Float64Array(this.d);
    for (let head = 0; head < this.heads; head++) {
      const own = coefficient.subarray(head * rowCount, (head + 1) * rowCount);
      arena.f64(this.coefficient, rowCount).set(own);
      const out = arena.f64(this.out, this.stride);
      out.fill(0);
      arena.kernels.combine(this.rows, rowCount, this.stride, this.coefficient, this.out);
      sums.set(out.subarray(0, columns), head * columns);
    }
    return sums;
  }

  /** C1 sum_i c_i loss_i at the loaded margins, of each head. */
  losses(): number[] {
    const { margins } = this;
    return this.eachHead((head, own) => lossSum(head, own(margins)));
  }

  /** Over all heads. */
  loss(): number {
    return lossSum(this, this.margins);
  }

  /** sum_i s(beta_i), of each head. */
  dualSums(beta: Float64Array): number[] {
    return this.eachHead((head, own) => dualSum(head, own(beta)));
  }

  /** Over all heads. */
  dualSum(beta: Float64Array): number {
    return dualSum(this, beta);
  }

  private eachHead<T>(of: (head: BoxContext, own: (all: Float64Array) => Float64Array) => T): T[] {
    const { rowCount, settings } = this;
    return Array.from({ length: this.heads }, (_, h) => {
      const own = (all: Float64Array) => all.subarray(h * rowCount, (h + 1) * rowCount);
      return of({ settings, y: own(this.y), cap: own(this.cap) }, own);
    });
  }

  /** Everything the passes of each head need; the change since `load` starts at zero. */
  beginPasses(): readonly HeadPasses[] {
    this.chooseForm();
    const { address, length } = this.change;
    this.arena.f32(address, this.heads * length).fill(0);
    return Array.from({ length: this.heads }, (_, head) => this.passesOf(head));
  }

  private passesOf(head: number): HeadPasses {
    const { at: all, rowCount, change } = this;
    const doubles = 8 * head * rowCount;
    const at = {
      y: all.y + doubles,
      low: all.low + doubles,
      high: all.high + doubles,
      cap: all.cap + doubles,
      norm: all.norm,
      beta: all.beta + doubles,
      margin: all.margin + doubles,
      order: all.order + 4 * head * rowCount,
      report: all.report + 16 * head,
      stride: this.gram ? this.gram.stride : this.stride,
      change: change.address + 4 * head * change.length,
    };
    return { at, run: (settings) => this.runPass(at, settings) };
  }

  private runPass(at: PassArguments, settings: PassSettings): void {
    if (this.gram) this.arena.kernels.passGram(this.gram.address, at, settings);
    else this.arena.kernels.passRows(this.rows, at, settings);
  }

  /** The matrix costs n^2 d / 2 once, so it is made at the first solve, not for a shard that only predicts. */
  private chooseForm(): void {
    const { rowCount } = this;
    if (this.gram || this.form === 'rows') return;
    if (this.form === 'auto' && !gramPays(rowCount, this.columns, this.arena.usedBytes)) {
      this.form = 'rows';
      return;
    }
    const stride = padded(rowCount);
    const address = this.take(gramBytes(rowCount));
    this.arena.kernels.gram(this.rows, rowCount, this.stride, address, stride);
    this.gram = { address, stride };
    this.change = this.takeChange(stride);
  }

  private takeChange(length: number): { address: Address; length: number } {
    return { address: this.take(4 * this.heads * length), length };
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
