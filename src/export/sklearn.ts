/**
 * The attributes that a fitted linear estimator of scikit-learn has, as JSON, for each participant and the shared part: `coef_`, `intercept_` and
 * `classes_` with their shapes there (docs/export.md has the Python that sets them). Classes that are all numbers are written as numbers.
 */

import { parseDecimal } from '../data/number.ts';
import type { LossName } from '../settings/losses.ts';
import type { LinearHead } from '../solver/linear-model.ts';
import type { Exported } from './exported.ts';

const FORMAT = 'kindred-sklearn';

const ESTIMATORS: Readonly<Record<LossName, string>> = {
  hinge: 'LinearSVC',
  'squared-hinge': 'LinearSVC',
  logistic: 'LogisticRegression',
  'epsilon-insensitive': 'LinearSVR',
  quantile: 'QuantileRegressor',
};

export function sklearnJson({ features, classes, models, loss }: Exported): string {
  const attributes = ({ heads }: { readonly heads: readonly LinearHead[] }) =>
    classes
      ? { coef_: heads.map(({ coef }) => [...coef]), intercept_: heads.map(({ intercept }) => intercept) }
      : { coef_: [...heads[0].coef], intercept_: heads[0].intercept };
  const shared = models.find(({ participant }) => participant === undefined);
  const own = models.flatMap(({ participant, heads }) =>
    participant === undefined ? [] : [[participant, attributes({ heads })]],
  );
  const document = {
    format: FORMAT,
    estimator: ESTIMATORS[loss],
    n_features_in_: features.length,
    feature_names_in_: features,
    ...(classes && { classes_: valuesOf(classes) }),
    participants: Object.fromEntries(own),
    ...(shared && { shared: attributes(shared) }),
  };
  return `${JSON.stringify(document)}\n`;
}

function valuesOf(classes: readonly string[]): readonly (string | number)[] {
  const values = classes.map(parseDecimal);
  return values.some(Number.isNaN) ? classes : values;
}
