/**
 * A participant's own sigmoids: everything is computed from its rows and the model that it has, and nothing is sent. Nobody's decisions are known beside its
 * own, so that its sigmoids are drawn to a fixed slope (solver/calibration.ts).
 */
import { Arena } from '../math/arena.ts';
import type { FederationSettings } from '../settings/wire.ts';
import { ownSigmoids, type Sigmoids } from '../solver/calibration.ts';
import { fixedSigmoids } from '../solver/fixed-sigmoids.ts';
import { type FoldedRows, outOfFold } from '../solver/out-of-fold.ts';
import { modelOf } from './participant-file.ts';
import type { StateStore } from './ports.ts';

/** A participant's training rows as they were scaled and trained on. */
export interface KeptRows {
  readonly rows: FoldedRows;
  readonly settings: FederationSettings;
}

/** By the model that the state has. Undefined: none, a regression, or one without a personal part that could be fitted to other rows. */
export async function storeCalibration(
  store: StateStore,
  { rows, settings }: KeptRows,
): Promise<Sigmoids | undefined> {
  const model = modelOf(store.file);
  if (!model?.classes || settings.method !== 'mtl') return undefined;
  const decisions = outOfFold(new Arena(), settings, rows, model.w, settings.seed);
  const heads = rows.y.length / rows.n;
  const sigmoids = ownSigmoids({ heads, decisions, y: rows.y }, fixedSigmoids(heads));
  await store.save({ calibration: { round: store.file.stored.model!.round, sigmoids } });
  return sigmoids;
}
