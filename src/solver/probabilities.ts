/**
 * From decisions to probabilities: by the model's calibration (calibration.ts); without one a decision of the logistic loss is the logarithm of the odds already.
 * Of many classes the probabilities of the heads are divided by their sum.
 */
import { inputError } from '../base/errors.ts';
import { headsOf } from '../data/labels.ts';
import { sigmoid } from '../math/sigmoid.ts';
import type { Sigmoids } from './calibration.ts';
import type { Model } from './model.ts';

const LOG_ODDS = { a: 1, b: 0 };

/** Undefined: the model knows no probabilities. */
export function sigmoidsOf(model: Model): ((participant: string) => Sigmoids) | undefined {
  const { calibration, classes } = model;
  if (!classes) return undefined;
  if (calibration) return (participant) => calibration.participants.get(participant) ?? calibration.shared;
  if (model.options.loss !== 'logistic') return undefined;
  const direct = Array.from({ length: headsOf(classes) }, () => LOG_ODDS);
  return () => direct;
}

export function neededSigmoids(model: Model): (participant: string) => Sigmoids {
  const found = sigmoidsOf(model);
  if (found) return found;
  throw inputError('NO_PROBABILITIES', `model: expected one that gives probabilities, got ${without(model)}`);
}

function without({ objective, options }: Model): string {
  if (objective === 'regression') return 'a regression; --loss quantile learns quantiles of the target';
  return `one of loss ${String(options.loss ?? 'hinge')} without calibration; train, join or personalise with --probabilities, or with --loss logistic`;
}

/** Probabilities of the classes from the decisions of the heads, in their places: one head has that of the positive class. */
export function toProbabilities(sigmoids: Sigmoids, decisions: Float64Array): Float64Array {
  const heads = sigmoids.length;
  const out = decisions.map((decision, at) => {
    const { a, b } = sigmoids[at % heads];
    return sigmoid(a * decision + b);
  });
  if (heads === 1) return out;
  for (let at = 0; at < out.length; at += heads) {
    const row = out.subarray(at, at + heads);
    const sum = row.reduce((total, value) => total + value, 0);
    // All classes out of the question alike.
    if (sum > 0) for (let head = 0; head < heads; head++) row[head] /= sum;
    else row.fill(1 / heads);
  }
  return out;
}
