/**
 * The default aggregation against CoCoA+ (`safe`, 5 local passes): rounds and solving time to a relative gap of 1e-2, and
 * how good the models are after 10 rounds.
 */
import type { Table } from '../../data/table.ts';
import { Arena } from '../../math/arena.ts';
import { evaluateRows } from '../../methods/evaluate.ts';
import { resolveOptions } from '../../methods/options.ts';
import { prepare, tasksOf } from '../../methods/prepare.ts';
import { assembleModel, METHOD } from '../../methods/train.ts';
import { Workspace } from '../../methods/workspace.ts';
import { median } from '../../reproduce/statistics.ts';
import type { TrainOptions } from '../../settings/training.ts';

const POINTS = [
  [1, 1],
  [10, 1],
  [1, 0.1],
  [10, 0.1],
] as const;
const EARLY = 10;
const MOST_ROUNDS = 2000;
const REPEATS = 3;

interface RunReport {
  readonly rounds: number;
  readonly solveMs: number;
  /** Mean balanced accuracy on test rows after 10 rounds. */
  readonly earlyAccuracy: number;
}

export interface AggregationReport {
  readonly points: readonly {
    readonly c1: number;
    readonly c2: number;
    readonly default: RunReport;
    readonly safe: RunReport;
    readonly roundsRatio: number;
    readonly timeRatio: number;
  }[];
  /** Geometric mean of the ratios of rounds. */
  readonly meanRoundsRatio: number;
}

export function benchAggregation(now: () => number, table: Table): AggregationReport {
  const points = POINTS.map(([c1, c2]) => {
    const common = { c1, c2, gap: 1e-2, rounds: MOST_ROUNDS, testFraction: 0.25 };
    const run = {
      default: runOnce(now, table, common),
      safe: runOnce(now, table, { ...common, aggregation: 'safe', passes: 5 }),
    };
    const roundsRatio = run.default.rounds / run.safe.rounds;
    return { c1, c2, ...run, roundsRatio, timeRatio: run.default.solveMs / run.safe.solveMs };
  });
  const meanLog = points.reduce((sum, point) => sum + Math.log(point.roundsRatio), 0) / points.length;
  return { points, meanRoundsRatio: Math.exp(meanLog) };
}

function runOnce(now: () => number, table: Table, given: TrainOptions): RunReport {
  const options = resolveOptions(given);
  const prepared = prepare(table, options);
  const placed = tasksOf(prepared, prepared.split.train, options);
  const times: number[] = [];
  let rounds = 0;
  for (let r = 0; r < REPEATS; r++) {
    // A new workspace every time: Gram matrices are part of the solve.
    const workspace = new Workspace(new Arena(), placed.tasks, placed.d);
    workspace.each(options);
    const started = now();
    rounds = METHOD.mtl({ workspace, settings: options }).rounds;
    times.push(now() - started);
    workspace.release();
  }
  const workspace = new Workspace(new Arena(), placed.tasks, placed.d);
  const early = METHOD.mtl({ workspace, settings: { ...options, rounds: EARLY, gap: 0 } });
  workspace.release();
  const model = assembleModel(prepared, options, placed, early);
  const { mean } = evaluateRows(model, prepared.table, prepared.y, prepared.split.test);
  return { rounds, solveMs: median(times), earlyAccuracy: mean.balancedAccuracy ?? Number.NaN };
}
