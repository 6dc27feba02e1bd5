/** How good a model is on rows whose targets are known: participant by participant, and on average. */
import { applyMapping, headsOf, regressionTargets } from '../data/labels.ts';
import { rowsByParticipant } from '../data/participants.ts';
import type { Table } from '../data/table.ts';
import { type Metrics, meanMetrics, measure } from '../solver/metrics.ts';
import { decide, type Model } from '../solver/model.ts';
import { withFeaturesOf } from './model-rows.ts';

export interface ParticipantResult extends Metrics {
  readonly id: string;
  /** All rows of the participant, of which `testRows` were tested on. */
  readonly rows: number;
  readonly testRows: number;
}

export interface Evaluation {
  readonly participants: readonly ParticipantResult[];
  /** Means over participants. */
  readonly mean: Metrics;
}

/** On all rows of a table. */
export function evaluate(model: Model, table: Table): Evaluation {
  const y = model.classes ? applyMapping(table, model.classes) : regressionTargets(table);
  return evaluateRows(model, withFeaturesOf(model, table), y);
}

/** On some rows, with targets as numbers (of all rows of the table). */
export function evaluateRows(model: Model, table: Table, y: Float64Array, tested?: Uint32Array): Evaluation {
  const all = rowsByParticipant(table);
  const groups = tested ? rowsByParticipant(table, tested) : all;
  const participants = groups.map((rows, k) => ({
    id: table.participants[k],
    rows: all[k].length,
    testRows: rows.length,
    ...measure(
      model.objective,
      Float64Array.from(rows, (i) => y[i]),
      decide(model, table, rows),
      headsOf(model.classes),
    ),
  }));
  return { participants, mean: meanMetrics(participants) };
}
