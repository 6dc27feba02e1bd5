/** All methods on the same rows with the same kernels. */
import type { Table } from '../../data/table.ts';
import { train } from '../../methods/train.ts';
import { median } from '../../reproduce/statistics.ts';
import { METHODS } from '../../settings/training.ts';
import type { MethodName } from '../../solver/model.ts';

export interface MethodReport {
  readonly method: MethodName;
  readonly solveMs: number;
  readonly rounds: number;
  readonly passes: number;
  readonly errorRate: number;
  readonly balancedAccuracy: number;
}

export function benchMethods(now: () => number, table: Table): MethodReport[] {
  return METHODS.map((method) => {
    const runs = Array.from({ length: 3 }, () => train(table, { method, testFraction: 0.25 }, { now }));
    const { rounds, passes, mean } = runs[0];
    return {
      method,
      solveMs: median(runs.map((run) => run.timing.solveMs)),
      rounds,
      passes,
      errorRate: mean.errorRate!,
      balancedAccuracy: mean.balancedAccuracy!,
    };
  });
}
