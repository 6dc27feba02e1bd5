/** How good a model is on rows whose targets are known: participant by participant, and on average. */
import { applyMapping, regressionTargets } from '../data/labels.ts';
import { rowsByParticipant } from '../data/participants.ts';
import type { Table } from '../data/table.ts';
import { type ClassResult, type Confusion, classResults, confusionOf } from '../solver/confusion.ts';
import { type Metrics, meanMetrics } from '../solver/metrics.ts';
import { decide, type Model } from '../solver/model.ts';
import { metricsOf, type TestedRows, testedRows } from '../solver/model-metrics.ts';
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
  /** Of all tested rows together; absent for regression and without rows. */
  readonly confusion?: Confusion;
  readonly perClass?: readonly ClassResult[];
}

/** Tested rows of a participant, and how many it has in all. */
export interface Tested extends TestedRows {
  readonly rows: number;
}

/** On all rows of a table. */
export function evaluate(model: Model, table: Table): Evaluation {
  return evaluationOf(model, testedIn(model, table));
}

/** All rows of a table, each by the model of its participant. */
export function testedIn(model: Model, table: Table): Tested[] {
  const y = model.classes ? applyMapping(table, model.classes) : regressionTargets(table);
  return testedBy(model, withFeaturesOf(model, table), y);
}

/** Some rows of a table, all by default, with targets as numbers (of all rows of the table). */
export function testedBy(model: Model, table: Table, y: Float64Array, some?: Uint32Array): Tested[] {
  const all = rowsByParticipant(table);
  const groups = some ? rowsByParticipant(table, some) : all;
  return groups.map((places, k) => {
    const own = Float64Array.from(places, (i) => y[i]);
    const id = table.participants[k];
    const rows = testedRows(model, { id, y: own, decisions: decide(model, table, places) });
    return { ...rows, rows: all[k].length };
  });
}

export function evaluationOf(model: Model, tested: readonly Tested[]): Evaluation {
  const participants = tested.map((own) => ({
    id: own.id,
    rows: own.rows,
    testRows: own.y.length,
    ...metricsOf(model, own),
  }));
  const mean = meanMetrics(participants);
  if (!model.classes || participants.every(({ testRows }) => testRows === 0)) return { participants, mean };
  const confusion = confusionOf(model.classes, tested);
  return { participants, mean, confusion, perClass: classResults(confusion) };
}
