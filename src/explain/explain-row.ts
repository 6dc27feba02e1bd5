/**
 * What speaks for a prediction and what against it: the decision as a sum over features,
 *
 *   decision = base + sum_j (w_j + v_kj) x'_j
 *
 * base being the bias; for a regression all in the units of the target, whose mean is in the base. Of many classes the predicted one against the
 * runner-up: the difference of their decisions, which is what the prediction hangs on.
 */
import { inputError } from '../base/errors.ts';
import type { Table } from '../data/table.ts';
import { scaleRow } from '../math/scaling.ts';
import { withFeaturesOf } from '../methods/model-rows.ts';
import { predict } from '../methods/predict.ts';
import { checkLinear } from '../solver/linear-model.ts';
import { type Model, winnerOf } from '../solver/model.ts';
import { headNames } from './explain.ts';

export interface RowExplanation {
  /** From 1 on, in the order of the table. */
  readonly row: number;
  readonly participant: string;
  /** Whether the participant has a personal part in the model. */
  readonly personalised: boolean;
  readonly prediction: string | number;
  /** Which class speaks for itself when a contribution is above 0; undefined for a regression. */
  readonly for: string | undefined;
  /** Of many classes the runner-up; undefined: everything that is not the class. */
  readonly against: string | undefined;
  /** What contributions and base add up to: the decision, or the lead over the runner-up. */
  readonly decision: number;
  readonly base: number;
  /** From the strongest to the weakest, whatever they speak for. */
  readonly contributions: readonly Contribution[];
}

export interface Contribution {
  readonly feature: string;
  /** As in the data. */
  readonly value: number;
  /** Shared and personal add up to it. */
  readonly contribution: number;
  readonly shared: number;
  readonly personal: number;
}

/** `row` counts from 1, as in `predict`. A participant that the model does not know is served by the shared part. */
export function explainRow(model: Model, rows: Table, row: number): RowExplanation {
  checkLinear(model, 'explain');
  const table = withFeaturesOf(model, rows);
  if (!Number.isInteger(row) || row < 1 || row > table.n)
    throw inputError('ROW_NOT_FOUND', `${table.source}: expected a row from 1 to ${table.n}, got ${row}`);
  const [{ participant, prediction, decision, decisions }] = predict(model, oneRow(table, row - 1));
  const [first, second] = decisions ? leaders(decisions) : [0, undefined];
  const v = model.personal.get(participant) ?? new Float64Array(model.w.length);
  const shared = products(model, table, row - 1, difference(model, model.w, first, second));
  const own = products(model, table, row - 1, difference(model, v, first, second));
  const d = model.features.length;
  const contributions = model.features.map((feature, j) => ({
    ...{ feature, value: table.x[(row - 1) * d + j], contribution: shared[j] + own[j] },
    ...{ shared: shared[j], personal: own[j] },
  }));
  const names = headNames(model);
  return {
    ...{ row, participant, personalised: model.personal.has(participant), prediction },
    ...{ for: names[first], against: second === undefined ? undefined : names[second] },
    decision: second === undefined ? decision : decisions![first] - decisions![second],
    base: shared[d] + own[d] + (model.target?.shift ?? 0),
    contributions: contributions.sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution)),
  };
}

function oneRow(table: Table, i: number): Table {
  const d = table.features.length;
  const { participants, participantOf } = table;
  return {
    ...table,
    ...{ n: 1, x: table.x.slice(i * d, (i + 1) * d), targets: undefined, lines: undefined },
    ...{ participants: [participants[participantOf[i]]], participantOf: new Uint32Array(1) },
  };
}

/** The largest decision and the next. */
function leaders(decisions: readonly number[]): [number, number] {
  const first = winnerOf(decisions, decisions.length, 0);
  const others = decisions.map((decision, h) => (h === first ? Number.NEGATIVE_INFINITY : decision));
  return [first, winnerOf(others, others.length, 0)];
}

/** Columns of one head of z, less those of another. */
function difference(model: Model, z: Float64Array, first: number, second: number | undefined): Float64Array {
  const columns = model.features.length + (model.bias ? 1 : 0);
  const head = z.slice(first * columns, (first + 1) * columns);
  return second === undefined ? head : head.map((value, j) => value - z[second * columns + j]);
}

/** Products of columns and the scaled row, with that of the bias (or 0) behind them. */
function products({ scaling, bias, target }: Model, table: Table, i: number, z: Float64Array): Float64Array {
  const d = scaling.shift.length;
  const out = new Float64Array(d + 1);
  scaleRow(table.x, i, scaling, out, 0);
  out[d] = bias ? 1 : 0;
  return out.map((value, j) => (j === d && !bias ? 0 : (target?.scale ?? 1) * value * z[j]));
}
