/** All methods on the same rows with the same kernels. */
import { train } from '../../methods/train.ts';
import { median } from '../../reproduce/statistics.ts';
import { METHODS } from '../../settings/training.ts';
import { ms, part, times } from './part.ts';

export const methods = part(
  ({ now, table }) =>
    METHODS.map((method) => {
      const runs = Array.from({ length: 3 }, () => train(table, { method, testFraction: 0.25 }, { now }));
      const { rounds, passes, mean } = runs[0];
      const solveMs = median(runs.map((run) => run.timing.solveMs));
      const { errorRate, balancedAccuracy } = mean;
      return { method, solveMs, rounds, passes, errorRate, balancedAccuracy };
    }),
  (runs, { table }) => {
    const rows = runs.map((run) => [
      run.method,
      ms(run.solveMs),
      times(run.solveMs / runs[0].solveMs),
      String(run.rounds),
      String(run.passes),
      `${(100 * run.errorRate!).toFixed(2)}%`,
      run.balancedAccuracy!.toFixed(4),
    ]);
    return [
      'Methods with their defaults, on the same rows with the same kernels',
      ...table(['<method', 'solve', 'to mtl', 'rounds', 'passes', 'error', 'BA'], rows),
    ];
  },
);
