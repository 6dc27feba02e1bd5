/**
 * Decisions for a participant's own training rows by models that were not fitted to them: k folds, each decided by the model of the others.
 *
 * A row acts on its decision in two ways, by v_k and by its share in w = sum_k u_k. Both are taken out: with everybody else's contributions standing still,
 * the participant's own contribution u to w and v_k = u / C2 solves
 *
 *   min over q of  C2'/2 |q|^2 + C1 sum_i c_i loss(y_i, (w - u_k + q).x_i),     q = (1 + 1/C2) u,   C2' = 1 / (1 + 1/C2)
 *
 * which is an answer (answer.ts) to the query w - u_k. What the others would answer to a w without these rows is left out; docs/probabilities.md measures it.
 */
import { seed32, stream } from '../base/random.ts';
import type { Arena } from '../math/arena.ts';
import { certifiedAnswer } from './certified-answer.ts';
import type { ProblemSettings } from './problem.ts';
import { Shard } from './shard.ts';
import type { TableRows } from './table-rows.ts';
import { plusScaled } from './vector.ts';

/** A participant's training rows; y and weights are a block of n for each head. */
export interface FoldedRows {
  readonly id: string;
  readonly n: number;
  /** Columns, with the bias. */
  readonly d: number;
  readonly table: TableRows;
  readonly y: Float64Array;
  readonly weights?: Float64Array | undefined;
}

/** What a participant's model is made of without itself. */
export interface WithoutOwn {
  /** w without the participant's contribution. */
  readonly w: Float64Array;
  /** C2' */
  readonly c2: number;
}

/** `u`: the participant's contribution to w; undefined: it has none. */
export function withoutOwn(w: Float64Array, u: Float64Array | undefined, c2: number): WithoutOwn {
  return u ? { w: plusScaled(w, -1, u), c2: 1 / (1 + 1 / c2) } : { w, c2 };
}

const FOLDS = 5;
/** Probabilities need no more digits. */
const GAP = 1e-4;
const PASSES = 10_000;

/** A block of n for each head. */
export function outOfFold(
  arena: Arena,
  settings: ProblemSettings,
  rows: FoldedRows,
  base: WithoutOwn,
  seed: number,
): Float64Array {
  const problem = { ...settings, c2: base.c2 };
  const foldOf = foldsFor(rows, seed);
  const out = new Float64Array(rows.y.length);
  for (let fold = 0; fold < FOLDS; fold++) {
    const [held, rest] = [fold, -1].map((wanted) =>
      Uint32Array.from(foldOf.keys()).filter((i) => (foldOf[i] === fold) === (wanted === fold)),
    );
    if (held.length === 0) continue;
    const z = rest.length === 0 ? base.w : fitted(arena, problem, partOf(rows, rest), base.w, seed, fold);
    decideHeld(arena, problem, { rows, held, z }, out);
  }
  return out;
}

function fitted(
  arena: Arena,
  settings: ProblemSettings,
  rows: FoldedRows,
  w: Float64Array,
  seed: number,
  fold: number,
): Float64Array {
  const shard = new Shard(arena, settings, rows);
  const seedOf = (solve: number) => seed32(seed, `calibration ${fold}`, solve, rows.id);
  const { u } = certifiedAnswer(shard, w, { gap: GAP, passes: PASSES, seedOf });
  shard.release();
  return plusScaled(w, 1 / settings.c2, u);
}

function decideHeld(
  arena: Arena,
  settings: ProblemSettings,
  { rows, held, z }: { readonly rows: FoldedRows; readonly held: Uint32Array; readonly z: Float64Array },
  out: Float64Array,
): void {
  const shard = new Shard(arena, settings, partOf(rows, held));
  shard.load(new Float64Array(shard.n), z);
  for (const [at, margin] of shard.margins.entries()) {
    const head = Math.floor(at / held.length);
    out[head * rows.n + held[at % held.length]] = margin;
  }
  shard.release();
}

/** Every class spread over the folds. */
function foldsFor({ id, n, y }: FoldedRows, seed: number): Uint8Array {
  const order = Uint32Array.from({ length: n }, (_, i) => i);
  stream(seed, 'calibration folds', 0, id).shuffle(order);
  const classOf = (i: number) => {
    for (let head = 0; head * n < y.length; head++) if (y[head * n + i] > 0) return head;
    return -1;
  };
  const foldOf = new Uint8Array(n);
  for (const [at, i] of order.sort((a, b) => classOf(a) - classOf(b)).entries()) foldOf[i] = at % FOLDS;
  return foldOf;
}

function partOf(rows: FoldedRows, some: Uint32Array): FoldedRows {
  const pick = (blocks: Float64Array) =>
    Float64Array.from({ length: (blocks.length / rows.n) * some.length }, (_, at) => {
      const head = Math.floor(at / some.length);
      return blocks[head * rows.n + some[at % some.length]];
    });
  const index = some.map((i) => rows.table.index[i]);
  return {
    ...rows,
    n: some.length,
    table: { ...rows.table, index },
    y: pick(rows.y),
    weights: rows.weights && pick(rows.weights),
  };
}
