/**
 * What a model is made of: for each feature what is shared by all and what is personal, for each participant how much of its model is its own and
 * on which features it differs. Of many classes for each head.
 */
import { classNames, isMany } from '../data/labels.ts';
import type { Table } from '../data/table.ts';
import { withFeaturesOf } from '../methods/model-rows.ts';
import type { Objective } from '../settings/losses.ts';
import { checkLinear } from '../solver/linear-model.ts';
import { type MethodName, type Model, modelFor } from '../solver/model.ts';
import { norm } from '../solver/vector.ts';
import { type StandardWeights, standardWeights, type WeightUnit } from './standard-weights.ts';

export interface Explanation {
  readonly method: MethodName;
  readonly objective: Objective;
  /** Weights are standardised: changes of the decision when a feature rises by this much. */
  readonly unit: WeightUnit;
  /** One for two classes and for a regression. */
  readonly heads: readonly HeadWeights[];
  readonly participants: readonly ParticipantWeights[];
}

interface HeadWeights {
  /** The class that a large decision speaks for; undefined for a regression. */
  readonly class: string | undefined;
  /** From the strongest to the weakest, by the root mean square of the participants' own weights. */
  readonly features: readonly FeatureWeight[];
}

export interface FeatureWeight {
  readonly feature: string;
  readonly shared: number;
  /** Root mean square of the personal weights. */
  readonly personal: number;
  /** Smallest and largest weight in a participant's model, w + v_k. */
  readonly low: number;
  readonly high: number;
}

interface ParticipantWeights {
  readonly id: string;
  /** |v_k| / |w + v_k|: 0 where the model is the shared one; above 1 where the two parts point against each other. */
  readonly personalShare: number;
  readonly heads: readonly {
    readonly class: string | undefined;
    /** From the feature on which it differs most from the shared part. */
    readonly features: readonly PersonalWeight[];
  }[];
}

export interface PersonalWeight {
  readonly feature: string;
  readonly shared: number;
  readonly personal: number;
}

/** `rows`: any rows with the model's features, to know how much features vary; not needed under `standard` scaling. */
export function explain(model: Model, rows?: Table): Explanation {
  checkLinear(model, 'explain');
  const { method, objective, personal } = model;
  const weights = standardWeights(model, rows && withFeaturesOf(model, rows));
  return {
    ...{ method, objective, unit: weights.unit },
    heads: headNames(model).map((name, h) => ({ class: name, features: featuresOf(model, weights, h) })),
    participants: [...personal].map(([id, v]) => ({
      id,
      personalShare: norm(v) / (norm(modelFor(model, id)) || 1),
      heads: headNames(model).map((name, h) => ({ class: name, features: personalOf(model, weights, v, h) })),
    })),
  };
}

/** The class that each head speaks for. */
export function headNames({ classes }: Model): readonly (string | undefined)[] {
  if (!classes) return [undefined];
  return isMany(classes) ? classNames(classes) : [classes.positive];
}

function featuresOf(
  { w, personal, features }: Model,
  weights: StandardWeights,
  head: number,
): FeatureWeight[] {
  const shared = weights.of(w, head);
  const own = [...personal.values()].map((v) => weights.of(v, head));
  const typical = new Map<FeatureWeight, number>();
  for (const [j, feature] of features.entries()) {
    const personalParts = own.map((each) => each[j]);
    const totals = personalParts.length === 0 ? [shared[j]] : personalParts.map((part) => shared[j] + part);
    const weight = {
      ...{ feature, shared: shared[j], personal: rootMeanSquare(personalParts) },
      low: totals.reduce((a, b) => Math.min(a, b)),
      high: totals.reduce((a, b) => Math.max(a, b)),
    };
    typical.set(weight, rootMeanSquare(totals));
  }
  return [...typical.keys()].sort((a, b) => typical.get(b)! - typical.get(a)!);
}

function personalOf(
  { w, features }: Model,
  weights: StandardWeights,
  v: Float64Array,
  head: number,
): PersonalWeight[] {
  const shared = weights.of(w, head);
  const own = weights.of(v, head);
  return features
    .map((feature, j) => ({ feature, shared: shared[j], personal: own[j] }))
    .sort((a, b) => Math.abs(b.personal) - Math.abs(a.personal));
}

function rootMeanSquare(values: readonly number[]): number {
  return Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / (values.length || 1));
}
