/**
 * A participant's own sigmoids: everything is computed from its rows and the model that it has, and nothing is sent. Nobody's decisions are known beside its
 * own, so that its sigmoids are drawn to a fixed slope (solver/calibration.ts).
 */
import { Arena } from '../math/arena.ts';
import { fixedSigmoids, ownSigmoids, type Sigmoids } from '../solver/calibration.ts';
import type { Model } from '../solver/model.ts';
import { outOfFold } from '../solver/out-of-fold.ts';
import type { KeptRows } from './own-rows.ts';

/** Undefined: a regression, or a model without a personal part that could be fitted to other rows. */
export function calibrateOwn({ rows, settings }: KeptRows, { w, classes }: Model): Sigmoids | undefined {
  if (!classes || settings.method !== 'mtl') return undefined;
  const decisions = outOfFold(new Arena(), settings, rows, w, settings.seed);
  const heads = rows.y.length / rows.n;
  return ownSigmoids({ heads, decisions, y: rows.y }, fixedSigmoids(heads));
}
