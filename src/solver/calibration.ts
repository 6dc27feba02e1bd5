/**
 * Calibration: a sigmoid for each participant and head (platt.ts), fitted to decisions of personal parts that were not fitted to the rows (out-of-fold.ts).
 *
 * A participant's sigmoid is drawn to that of everybody. `train` fits that one to all participants' decisions together; it also serves whoever is not in the model.
 * In a federation, where decisions stay with their participant, it is a fixed slope.
 */
import { fixedSigmoids } from './fixed-sigmoids.ts';
import { fitSigmoid, type Sigmoid } from './platt.ts';

/** One sigmoid for each head. */
export type Sigmoids = readonly Sigmoid[];

export interface Calibration {
  readonly participants: ReadonlyMap<string, Sigmoids>;
  /** For everybody else. */
  readonly shared: Sigmoids;
}

/** Out-of-fold decisions of one participant, and its targets: a block of rows for each head. */
export interface Held {
  readonly heads: number;
  readonly decisions: Float64Array;
  readonly y: Float64Array;
}

/** Of everybody's decisions together. */
export function sharedSigmoids(all: readonly Held[], heads: number): Sigmoids {
  return fixedSigmoids(heads).map((centre, head) => {
    const pooled = (of: (held: Held) => Float64Array) =>
      all.flatMap((held) => [...blockOf(of(held), head, held.heads)]);
    const y = pooled((held) => held.y);
    return fitSigmoid({ decisions: pooled(({ decisions }) => decisions), y, centre });
  });
}

/** A participant's own. */
export function ownSigmoids({ heads, decisions, y }: Held, shared: Sigmoids): Sigmoids {
  return shared.map((centre, head) =>
    fitSigmoid({ decisions: blockOf(decisions, head, heads), y: blockOf(y, head, heads), centre }),
  );
}

function blockOf(blocks: Float64Array, head: number, heads: number): Float64Array {
  const n = blocks.length / heads;
  return blocks.subarray(head * n, (head + 1) * n);
}
