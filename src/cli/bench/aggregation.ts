/**
 * The default aggregation against CoCoA+ (`safe`, 5 local passes): rounds and solving time to a relative gap of 1e-2, and
 * how good the models are after 10 rounds.
 */
import type { Table } from '../../data/table.ts';
import { Arena } from '../../math/arena.ts';
import { evaluationOf, testedBy } from '../../methods/evaluate.ts';
import { resolveOptions } from '../../methods/options.ts';
import { prepare, tasksOf } from '../../methods/prepare.ts';
import { assembleModel, METHOD } from '../../methods/train.ts';
import { Workspace } from '../../methods/workspace.ts';
import { median } from '../../reproduce/statistics.ts';
import type { TrainOptions } from '../../settings/training.ts';
import { ms, part } from './part.ts';

const POINTS = [
  [1, 1],
  [10, 1],
  [1, 0.1],
  [10, 0.1],
] as const;
const EARLY = 10;
const MOST_ROUNDS = 2000;
const REPEATS = 3;

export const aggregation = part(
  ({ now, table }) => {
    const points = POINTS.map(([c1, c2]) => {
      const common = { c1, c2, gap: 1e-2, rounds: MOST_ROUNDS, testFraction: 0.25 };
      const usual = runOnce(now, table, common);
      const safe = runOnce(now, table, { ...common, aggregation: 'safe', passes: 5 });
      const roundsRatio = usual.rounds / safe.rounds;
      return { c1, c2, default: usual, safe, roundsRatio, timeRatio: usual.solveMs / safe.solveMs };
    });
    const meanLog = points.reduce((sum, point) => sum + Math.log(point.roundsRatio), 0) / points.length;
    return { points, meanRoundsRatio: Math.exp(meanLog) };
  },
  ({ points, meanRoundsRatio }, { table }) => {
    const rows = points.map(({ c1, c2, default: usual, safe, roundsRatio, timeRatio }) => [
      ...[c1, c2, usual.rounds, safe.rounds].map(String),
      roundsRatio.toFixed(3),
      ms(usual.solveMs),
      ms(safe.solveMs),
      timeRatio.toFixed(3),
      usual.earlyAccuracy.toFixed(4),
      safe.earlyAccuracy.toFixed(4),
    ]);
    return [
      'Aggregation: rounds to a relative gap of 1e-2, default against CoCoA+ (safe, 5 passes)',
      ...table(['C1', 'C2', 'rounds', 'safe', 'ratio', 'time', 'safe', 'ratio', 'BA at 10', 'safe'], rows),
      `  geometric mean of the ratios of rounds: ${meanRoundsRatio.toFixed(3)}`,
    ];
  },
);

function runOnce(now: () => number, table: Table, given: TrainOptions) {
  const options = resolveOptions(given, table);
  const prepared = prepare(table, options);
  const placed = tasksOf(prepared, prepared.split.train, options);
  const times: number[] = [];
  let rounds = 0;
  for (let r = 0; r < REPEATS; r++) {
    // A new workspace every time: Gram matrices are part of the solve.
    const workspace = new Workspace(new Arena(), placed.tasks, placed.columns);
    workspace.each(options);
    const started = now();
    rounds = METHOD.mtl({ workspace, settings: options }).rounds;
    times.push(now() - started);
    workspace.release();
  }
  const workspace = new Workspace(new Arena(), placed.tasks, placed.columns);
  const early = METHOD.mtl({ workspace, settings: { ...options, rounds: EARLY, gap: 0 } });
  workspace.release();
  const model = assembleModel(prepared, options, placed, early);
  const tested = testedBy(model, prepared.table, prepared.y, prepared.split.test);
  const { mean } = evaluationOf(model, tested);
  // Mean balanced accuracy on test rows after 10 rounds.
  return { rounds, solveMs: median(times), earlyAccuracy: mean.balancedAccuracy ?? Number.NaN };
}
