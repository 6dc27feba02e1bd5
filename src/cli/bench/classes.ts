/**
 * Many classes against two: one head for each class, trained together, beside one class against the rest (the one that takes longest) and beside all of
 * them one after another. Rows and Gram matrices are made anew every time, as in a training.
 */

import { makeHarLike } from '../../data/generate-har.ts';
import { classificationTargets, isMany } from '../../data/labels.ts';
import type { Table } from '../../data/table.ts';
import { trainOnThreads } from '../../node/threads/training-pool.ts';
import { median } from '../../reproduce/statistics.ts';
import { ms, part, times } from './part.ts';

interface Solved {
  readonly solveMs: number;
  readonly rounds: number;
  readonly errorRate: number;
}

const REPEATS = 3;
const OPTIONS = { c1: 10, c2: 1, scale: 'center', testFraction: 0.25 } as const;

export const classes = part(
  async ({ now, table: given }) => {
    const table = labelsOf(given) ? given : makeHarLike({ participants: 30, seed: 1, target: 'activity' });
    const labels = labelsOf(table)!;
    const solve = async (positive?: string) => {
      const options = { ...OPTIONS, ...(positive !== undefined && { positive }) };
      // As `train` does it: the work of all heads may be worth threads where that of one is not.
      const { timing, rounds, mean } = await trainOnThreads(undefined, table, options, { now });
      return { solveMs: timing.solveMs, rounds, errorRate: mean.errorRate! };
    };
    // In turns: a machine that gets slower is slower for all.
    const runs: { together: Solved; each: Solved[] }[] = [];
    for (let r = 0; r < REPEATS; r++) {
      const together = await solve();
      const each: Solved[] = [];
      for (const label of labels) each.push(await solve(label));
      runs.push({ together, each });
    }
    const [{ together }] = runs;
    const togetherMs = median(runs.map((run) => run.together.solveMs));
    const eachMs = labels.map((_, h) => median(runs.map((run) => run.each[h].solveMs)));
    const longestMs = Math.max(...eachMs);
    return {
      classes: labels.length,
      rounds: together.rounds,
      errorRate: together.errorRate,
      togetherMs,
      longestMs,
      oneByOneMs: eachMs.reduce((sum, value) => sum + value, 0),
      ratio: togetherMs / longestMs,
    };
  },
  (found, { table }) => [
    `Classes: ${found.classes} heads trained together, C1 = ${OPTIONS.c1}, C2 = ${OPTIONS.c2}, ${OPTIONS.scale} scaling`,
    ...table(
      ['heads', 'together', 'hardest one alone', 'ratio', 'one by one', 'rounds', 'error'],
      [
        [
          String(found.classes),
          ms(found.togetherMs),
          ms(found.longestMs),
          times(found.ratio),
          ms(found.oneByOneMs),
          String(found.rounds),
          `${(100 * found.errorRate).toFixed(2)}%`,
        ],
      ],
    ),
  ],
);

/** Undefined: there are no more than two. */
function labelsOf(table: Table): readonly string[] | undefined {
  const { classes: found } = classificationTargets(table);
  return isMany(found) ? found.labels : undefined;
}
