/** Calibration in one process: the sigmoid of everybody's out-of-fold decisions together, and every participant's own. */
import { Arena } from '../math/arena.ts';
import { type Calibration, type Held, ownSigmoids, sharedSigmoids } from '../solver/calibration.ts';
import { outOfFold } from '../solver/out-of-fold.ts';
import type { ProblemSettings } from '../solver/problem.ts';
import type { Placed } from './prepare.ts';

interface Calibrated extends ProblemSettings {
  readonly seed: number;
}

/** Of personal parts on top of w; `settings` are of the problem that they solve. */
export function calibrationOf(
  settings: Calibrated,
  { tasks, columns }: Pick<Placed, 'tasks' | 'columns'>,
  w: Float64Array,
): Calibration {
  const arena = new Arena();
  const held = tasks.map((task): Held => {
    const decisions = outOfFold(arena, settings, { ...task, d: columns }, w, settings.seed);
    return { heads: task.y.length / task.n, y: task.y, decisions };
  });
  const shared = sharedSigmoids(held, held[0].heads);
  const own = tasks.map(({ id }, k) => [id, ownSigmoids(held[k], shared)] as const);
  return { participants: new Map(own), shared };
}
