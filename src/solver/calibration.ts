/**
 * Calibration: a sigmoid for each participant and head (platt.ts), fitted to decisions of models that were not fitted to the rows (out-of-fold.ts).
 *
 * Who has too few rows of either class to fit a sigmoid, and who is not in the model, uses the shared one. `train` fits that to everybody's decisions;
 * in a federation, where decisions stay with their participant, it is a fixed slope.
 */
import { countsOf, fitSigmoid, type Sigmoid } from './platt.ts';

/** One sigmoid for each head. */
export type Sigmoids = readonly Sigmoid[];

export interface Calibration {
  readonly participants: ReadonlyMap<string, Sigmoids>;
  /** For everybody else. */
  readonly shared: Sigmoids;
}

/** Fewer rows, or fewer rows of a class, and a participant has no sigmoid of its own. */
export const LEAST_ROWS = 10;
const LEAST_OF_A_CLASS = 3;

/** Where nothing can be fitted: 0.88 at the margin. */
const FIXED: Sigmoid = { a: 2, b: 0 };

/** Out-of-fold decisions of one participant, and its targets: a block of rows for each head. */
export interface Held {
  readonly heads: number;
  readonly decisions: Float64Array;
  readonly y: Float64Array;
}

/** A participant's own sigmoids; undefined: there is too little to fit them to. */
export function ownSigmoids({ heads, decisions, y }: Held): Sigmoids | undefined {
  const n = y.length / heads;
  const own = Array.from({ length: heads }, (_, head) => {
    const part = (blocks: Float64Array) => blocks.subarray(head * n, (head + 1) * n);
    return fitWhereEnough(part(decisions), part(y));
  });
  // A head without enough rows of its class leaves the sum without a measure: all or none.
  return own.every((one) => one !== undefined) ? own : undefined;
}

/** Sigmoids of everybody's decisions together, for whoever has none. */
export function sharedSigmoids(all: readonly Held[], heads: number): Sigmoids {
  return Array.from({ length: heads }, (_, head) => {
    const pooled = (of: (held: Held) => Float64Array) =>
      Float64Array.from(
        all.flatMap((held) => {
          const n = held.y.length / heads;
          return [...of(held).subarray(head * n, (head + 1) * n)];
        }),
      );
    return (
      fitWhereEnough(
        pooled(({ decisions }) => decisions),
        pooled(({ y }) => y),
      ) ?? FIXED
    );
  });
}

export function fixedSigmoids(heads: number): Sigmoids {
  return Array.from({ length: heads }, () => FIXED);
}

/** Decisions that say less than nothing of the class (a slope of 0 or below) are not turned round. */
function fitWhereEnough(decisions: Float64Array, y: Float64Array): Sigmoid | undefined {
  const counts = countsOf(y);
  if (y.length < LEAST_ROWS || Math.min(...counts) < LEAST_OF_A_CLASS) return undefined;
  const fitted = fitSigmoid(decisions, y);
  return fitted.a > 0 && Number.isFinite(fitted.b) ? fitted : undefined;
}
