/** The few contributions that say most, and all the others as one: the sum stays whole. */
import type { Contribution, RowExplanation } from './explain-row.ts';

interface Leading {
  /** From the one that speaks most for the prediction to the one that speaks most against it. */
  readonly shown: readonly Contribution[];
  /** Undefined: none is left out. */
  readonly others:
    | ({ readonly count: number } & Pick<Contribution, 'contribution' | 'shared' | 'personal'>)
    | undefined;
}

export function leadingPart({ contributions }: RowExplanation, top: number): Leading {
  const shown = contributions.slice(0, top).sort((a, b) => b.contribution - a.contribution);
  const left = contributions.slice(top);
  if (left.length === 0) return { shown, others: undefined };
  const sum = (part: 'contribution' | 'shared' | 'personal') =>
    left.reduce((total, each) => total + each[part], 0);
  const sums = { contribution: sum('contribution'), shared: sum('shared'), personal: sum('personal') };
  return { shown, others: { count: left.length, ...sums } };
}
