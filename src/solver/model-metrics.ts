/** How good a model is on rows of one participant: all metrics that apply to it. */
import { headsOf } from '../data/labels.ts';
import { aucOf, brierOf, logLossOf } from './chance-metrics.ts';
import { pinball } from './losses/quantile.ts';
import { type Metrics, mean, measure } from './metrics.ts';
import type { Model } from './model.ts';
import { sigmoidsOf, toProbabilities } from './probabilities.ts';

/** Rows of one participant that a model is tested on. */
export interface TestedRows {
  readonly id: string;
  /** Targets: -1 and +1, numbers of classes, or values. */
  readonly y: Float64Array;
  /** Of each head, row by row. */
  readonly decisions: Float64Array;
  /** Likewise, where the model gives any. */
  readonly probabilities: Float64Array | undefined;
}

export function testedRows(
  model: Model,
  { id, y, decisions }: Omit<TestedRows, 'probabilities'>,
): TestedRows {
  const sigmoids = sigmoidsOf(model)?.(id);
  return { id, y, decisions, probabilities: sigmoids && toProbabilities(sigmoids, decisions) };
}

export function metricsOf(model: Model, { y, decisions, probabilities }: TestedRows): Metrics {
  if (y.length === 0) return {};
  const heads = headsOf(model.classes);
  const basic = measure(model.objective, y, decisions, heads);
  if (!model.classes) return { ...basic, ...quantileMetrics(quantileOf(model), y, decisions) };
  const auc = heads === 1 ? aucOf(y, decisions) : undefined;
  return {
    ...basic,
    ...(auc !== undefined && { auc }),
    ...(probabilities && {
      logLoss: logLossOf(y, probabilities, heads),
      brier: brierOf(y, probabilities, heads),
    }),
  };
}

/** Which quantile a model has learnt; undefined: none. */
export function quantileOf({ options }: Pick<Model, 'options'>): number | undefined {
  return options.loss === 'quantile' && typeof options.quantile === 'number' ? options.quantile : undefined;
}

/** `decisions` are predictions of the quantile. */
export function quantileMetrics(
  quantile: number | undefined,
  y: ArrayLike<number>,
  decisions: ArrayLike<number>,
): Pick<Metrics, 'pinball' | 'coverage'> {
  if (quantile === undefined) return {};
  const rows = Array.from({ length: y.length }, (_, i) => i);
  return {
    pinball: mean(rows.map((i) => pinball(y[i], decisions[i], quantile))),
    coverage: mean(rows.map((i) => (y[i] <= decisions[i] ? 1 : 0))),
  };
}
