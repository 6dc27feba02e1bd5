/**
 * Many classes against two: one head for each class, trained together, beside one class against the rest (the one that takes longest) and beside all of
 * them one after another. Rows and Gram matrices are made anew every time, as in a training.
 */

import { makeHarLike } from '../../data/generate-har.ts';
import { classificationTargets, isMany } from '../../data/labels.ts';
import type { Table } from '../../data/table.ts';
import { train } from '../../methods/train.ts';
import { median } from '../../reproduce/statistics.ts';
import { ms, part, times } from './part.ts';

const REPEATS = 3;
const OPTIONS = { c1: 10, c2: 1, scale: 'center', testFraction: 0.25 } as const;

export const classes = part(
  ({ now, table: given }) => {
    const table = labelsOf(given) ? given : makeHarLike({ participants: 30, seed: 1, target: 'activity' });
    const labels = labelsOf(table)!;
    const solve = (positive?: string) => {
      const { timing, rounds, mean } = train(
        table,
        { ...OPTIONS, ...(positive !== undefined && { positive }) },
        { now },
      );
      return { solveMs: timing.solveMs, rounds, errorRate: mean.errorRate! };
    };
    // In turns: a machine that gets slower is slower for all.
    const runs = Array.from({ length: REPEATS }, () => ({
      together: solve(),
      each: labels.map((label) => solve(label)),
    }));
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
