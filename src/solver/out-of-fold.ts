/**
 * Decisions for a participant's own training rows by personal parts that were not fitted to them: k folds, each decided by w + v, where v is the best personal
 * part (answer.ts) to the rows of the other folds. w stays as it is, and it has seen all rows. That costs less than taking the participant's own
 * share out of it, which makes decisions worse than those of the model they stand for (measured in docs/probabilities.md).
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

const FOLDS = 5;
/** Probabilities need no more digits. */
const GAP = 1e-4;
const PASSES = 10_000;

/** A block of n for each head. */
export function outOfFold(
  arena: Arena,
  settings: ProblemSettings,
  rows: FoldedRows,
  w: Float64Array,
  seed: number,
): Float64Array {
  const foldOf = foldsFor(rows, seed);
  const out = new Float64Array(rows.y.length);
  for (let fold = 0; fold < FOLDS; fold++) {
    const all = Uint32Array.from(foldOf.keys());
    const held = all.filter((i) => foldOf[i] === fold);
    const rest = all.filter((i) => foldOf[i] !== fold);
    if (held.length === 0) continue;
    const z = rest.length === 0 ? w : fitted(arena, settings, partOf(rows, rest), w, seed, fold);
    decideHeld(arena, settings, { rows, held, z }, out);
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
