/**
 * A trained model and prediction with it: the shared part w, everybody's personal part v_k, and all that is needed to use them on raw
 * rows (scaling, bias, classes, feature names). Of many classes w and every v_k have a block of columns for each head, in the order of the labels.
 * Its file is in methods/model.ts.
 */
import { inputError } from '../base/errors.ts';
import type { Encoding } from '../data/encoding.ts';
import { type ClassMapping, headsOf } from '../data/labels.ts';
import type { Table } from '../data/table.ts';
import type { Scaling } from '../math/scaling.ts';
import { inTargetUnits, type TargetScaling } from '../math/target-scaling.ts';
import { columnsOf, type FeatureMap } from '../settings/feature-map.ts';
import type { Objective } from '../settings/losses.ts';
import type { METHODS } from '../settings/training.ts';
import type { Calibration } from './calibration.ts';
import type { Certificate } from './certificate.ts';
import { rowWriter } from './row-writer.ts';
import { plusScaled } from './vector.ts';

export type MethodName = (typeof METHODS)[number];

export interface Model {
  readonly method: MethodName;
  readonly objective: Objective;
  readonly features: readonly string[];
  /** How the features follow from columns with text or gaps; absent: they are the columns. */
  readonly encoding?: Encoding | undefined;
  readonly bias: boolean;
  readonly scaling: Scaling;
  /** What scaled rows are mapped to; undefined: the model is linear in the features themselves. */
  readonly map: FeatureMap | undefined;
  /** How the targets of a regression were scaled; undefined: they were not. */
  readonly target: TargetScaling | undefined;
  /** What the targets stand for; undefined for regression. */
  readonly classes: ClassMapping | undefined;
  readonly w: Float64Array;
  readonly personal: ReadonlyMap<string, Float64Array>;
  /** Whether someone without a personal part can be served by w alone. */
  readonly servesNewcomers: boolean;
  readonly options: Readonly<Record<string, unknown>>;
  readonly seed: number;
  readonly certificate: Certificate | undefined;
  /** How decisions become probabilities (calibration.ts); undefined: as the loss gives them, or not at all. */
  readonly calibration?: Calibration | undefined;
}

/** w + v_k, or w for a newcomer. */
export function modelFor(model: Model, participant: string): Float64Array {
  const v = model.personal.get(participant);
  if (v) return plusScaled(model.w, 1, v);
  if (model.servesNewcomers) return model.w;
  throw inputError(
    'UNKNOWN_PARTICIPANT',
    `participant "${participant}" is not in the model, and a model of method ${model.method} has no shared part for new participants; train with --method mtl or global`,
  );
}

/**
 * Decisions for some rows of a table of raw features: (w + v_k).x of each head, row by row, for a regression in the units of the target.
 */
export function decide(
  model: Model,
  table: Table,
  rows: ArrayLike<number> = { length: table.n },
): Float64Array {
  checkFeatures(model, table);
  const heads = headsOf(model.classes);
  const decision = decisionBy(model, table.x);
  const models = new Map<number, Float64Array>();
  const out = new Float64Array(rows.length * heads);
  for (let r = 0; r < rows.length; r++) {
    const i = rows[r] ?? r;
    const k = table.participantOf[i];
    let z = models.get(k);
    if (!z) models.set(k, (z = modelFor(model, table.participants[k])));
    decision(z, i, out, r * heads);
  }
  return out;
}

/** Writes the decisions of all heads for a row of raw features that are known to be the model's; z is w + v_k. */
export function decisionBy(
  { bias, scaling, map, target, classes }: Pick<Model, 'bias' | 'scaling' | 'map' | 'target' | 'classes'>,
  x: Float64Array,
): (z: Float64Array, i: number, out: Float64Array, at: number) => void {
  const features = scaling.shift.length;
  const columns = columnsOf({ features, map, bias });
  const d = columnsOf({ features, map, bias: false });
  const heads = headsOf(classes);
  const write = rowWriter({ scaling, map, bias: false });
  const row = new Float64Array(d);
  return (z, i, out, at) => {
    write(x, i, row, 0);
    for (let head = 0; head < heads; head++) {
      const from = head * columns;
      let sum = bias ? z[from + d] : 0;
      for (let j = 0; j < d; j++) sum += row[j] * z[from + j];
      out[at + head] = inTargetUnits(sum, target);
    }
  };
}

/** The number of the class with the largest decision among those from position `at` on; of equal ones the first. */
export function winnerOf(decisions: ArrayLike<number>, heads: number, at: number): number {
  let winner = 0;
  for (let head = 1; head < heads; head++) if (decisions[at + head] > decisions[at + winner]) winner = head;
  return winner;
}

/** The same features in the same order, by name. */
function checkFeatures(model: Model, table: Table): void {
  const { features } = model;
  if (table.features.length !== features.length) {
    throw inputError(
      'FEATURE_COUNT',
      `${table.source}: expected the model's ${features.length} features, got ${table.features.length}; --drop leaves columns out`,
    );
  }
  const wrong = features.findIndex((name, j) => name !== table.features[j]);
  if (wrong >= 0) {
    throw inputError(
      'FEATURE_NAMES',
      `${table.source}: expected feature ${wrong + 1} to be "${features[wrong]}" as in the model, got "${table.features[wrong]}"`,
    );
  }
}
