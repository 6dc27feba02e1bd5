/**
 * Three models on the rows that were kept for testing: one's own (w + v_k), the shared one (w alone), and one trained on one's own rows alone.
 * Everything is computed here; nothing of it is sent.
 */
import { KindredError } from '../../base/errors.ts';
import { applyMapping, isMany, regressionTargets } from '../../data/labels.ts';
import type { Table } from '../../data/table.ts';
import { evaluationOf, testedBy } from '../../methods/evaluate.ts';
import { withFeaturesOf } from '../../methods/model-rows.ts';
import { train } from '../../methods/train.ts';
import { textOfMap } from '../../settings/feature-map.ts';
import type { TrainOptions } from '../../settings/training.ts';
import type { Model } from '../../solver/model.ts';
import { plainMessage } from '../shared/plain-message.ts';
import type { OwnTable } from './read-rows.ts';

export type MetricName = 'balancedAccuracy' | 'rmse';

/** Higher is better for balanced accuracy, lower for the error of numbers. */
export function metricOf({ objective }: Pick<Model, 'objective'>): MetricName {
  return objective === 'regression' ? 'rmse' : 'balancedAccuracy';
}

export interface Compared {
  readonly metric: MetricName;
  /** Undefined: there are no rows to test on. */
  readonly own: number | undefined;
  /** Undefined: likewise, or the method has no shared model. */
  readonly shared: number | undefined;
}

/** The model without anybody's personal part; undefined: its method has none that serves everybody. */
export function sharedPart(model: Model): Model | undefined {
  return model.servesNewcomers ? { ...model, personal: new Map(), calibration: undefined } : undefined;
}

export function compare(model: Model, own: OwnTable): Compared {
  const metric = metricOf(model);
  const shared = sharedPart(model);
  return {
    metric,
    own: measured(model, own, metric),
    shared: shared && measured(shared, own, metric),
  };
}

function measured(model: Model, { table, split }: OwnTable, metric: MetricName): number | undefined {
  const y = model.classes ? applyMapping(table, model.classes) : regressionTargets(table);
  const [participant = ''] = model.personal.keys();
  const rows = { ...withFeaturesOf(model, table), ...named(table, participant) };
  return evaluationOf(model, testedBy(model, rows, y, split.test)).mean[metric];
}

/** All rows as one participant's. */
function named({ n }: Table, participant: string): Pick<Table, 'participants' | 'participantOf'> {
  return { participants: [participant], participantOf: new Uint32Array(n) };
}

export type Alone =
  | { readonly type: 'measured'; readonly value: number | undefined }
  /** The rows alone do not suffice: a single class, for example. */
  | { readonly type: 'impossible'; readonly why: string };

/** Training on the same training rows with the federation's constants, without the others. */
export function trainAlone(own: OwnTable, model: Model): Alone {
  try {
    const { table } = own;
    const weights = trainingWeights(own);
    const trained = train({ ...table, ...named(table, 'alone'), weights }, optionsLike(model)).model;
    return { type: 'measured', value: measured(trained, own, metricOf(model)) };
  } catch (error) {
    if (!(error instanceof KindredError)) throw error;
    return { type: 'impossible', why: plainMessage(error.message) };
  }
}

/** Rows without weight are not trained on, but their classes are known, as in the federation. */
function trainingWeights({ table, split }: OwnTable): Float64Array {
  const weights = new Float64Array(table.n);
  for (const i of split.train) weights[i] = table.weights?.[i] ?? 1;
  return weights;
}

/** Constants that a participant's model records; what it does not is as usual. */
const CONSTANTS = ['c1', 'epsilon', 'quantile', 'loss', 'classWeight'] as const;

function optionsLike({ objective, bias, scaling, target, map, classes, options, seed }: Model): TrainOptions {
  const known = Object.fromEntries(
    CONSTANTS.flatMap((name) => (name in options ? [[name, options[name]]] : [])),
  );
  return {
    ...known,
    ...{ method: 'local', objective, bias, seed, testFraction: 0 },
    scale: scaling.mode,
    scaleTarget: target ? 'standard' : 'none',
    ...(map && { features: textOfMap(map) }),
    ...(classes && !isMany(classes) && { positive: classes.positive }),
  };
}
