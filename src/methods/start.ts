/**
 * A linear model from elsewhere as the w that a training starts from: features and classes are found by name, and raw units become those of the
 * training's scaling. Any w is a valid start, a good one saves rounds: the certificate is as good as ever.
 */
import { inputError } from '../base/errors.ts';
import {
  type ClassMapping,
  classKey,
  classNames,
  isMany,
  type ManyClasses,
  type TwoClasses,
} from '../data/labels.ts';
import { listed, shown } from '../data/number.ts';
import { textOfMap } from '../settings/feature-map.ts';
import { type LinearHead, type LinearModel, scaledStack } from '../solver/linear-model.ts';
import type { Model } from '../solver/model.ts';
import type { ResolvedOptions } from './options.ts';

type Training = Pick<Model, 'features' | 'classes' | 'bias' | 'scaling' | 'target'>;

/** Only questions and answers begin with a w; the other methods begin with duals, or with none. */
export function checkStart({
  method,
  aggregation,
  features,
}: Pick<ResolvedOptions, 'method' | 'aggregation' | 'features'>): void {
  if (features)
    throw inputError(
      'START_METHOD',
      `a start (--start) is linear in the features of the data, got --features ${textOfMap(features)}`,
    );
  if (method === 'mtl' && aggregation === 'answers') return;
  throw inputError(
    'START_METHOD',
    `a start (--start) is for --method mtl with --aggregation answers, got ${method} with ${aggregation}`,
  );
}

export function startingW(start: LinearModel, training: Training): Float64Array {
  const heads = headsFor(start, training.classes);
  return scaledStack(training, withFeatures(start, heads, training.features));
}

/** What becomes of features that are not on both sides. Undefined: there are none. */
export function startNote({ source, features }: LinearModel, wanted: readonly string[]): string | undefined {
  const known = new Set(features ?? wanted);
  const found = wanted.filter((name) => known.has(name)).length;
  const left = known.size - found;
  if (found === wanted.length && left === 0) return undefined;
  return `started from ${source}: ${found} of ${wanted.length} features found by name, the others start at 0; ${left} of its features are not in the data`;
}

function withFeatures(
  { source, features }: LinearModel,
  heads: readonly LinearHead[],
  wanted: readonly string[],
): readonly LinearHead[] {
  const d = heads[0].coef.length;
  if (!features) {
    if (d === wanted.length) return heads;
    throw inputError(
      'START_FEATURES',
      `${source}: expected ${wanted.length} features as in the data, got ${d}, without names to find them by`,
    );
  }
  const place = new Map(features.map((name, j) => [name, j]));
  if (!wanted.some((name) => place.has(name)))
    throw inputError(
      'START_FEATURES',
      `${source}: expected features of the data (${listed(wanted.map(shown), 3)}), got none of them but ${listed(features.map(shown), 3)}`,
    );
  return heads.map(({ coef, intercept }) => ({
    coef: Float64Array.from(wanted, (name) => coef[place.get(name) ?? -1] ?? 0),
    intercept,
  }));
}

/** The heads of the training, in their order. Of many classes one that the start does not know is 0. */
function headsFor(start: LinearModel, classes: ClassMapping | undefined): readonly LinearHead[] {
  const found = !classes
    ? ofRegression(start)
    : isMany(classes)
      ? ofMany(start, classes)
      : ofTwo(start, classes);
  if (found) return found;
  const here = classes ? `the classes ${listed(classNames(classes).map(shown), 6)}` : 'a regression';
  const there =
    start.objective === 'regression'
      ? 'one of a regression'
      : start.classes
        ? `one of ${listed(start.classes.map(shown), 6)}`
        : `one of ${start.heads.length === 1 ? 'a single decision' : `${start.heads.length} decisions`} without names`;
  throw inputError(
    'START_CLASSES',
    `${start.source}: expected a model of ${here} to start from, got ${there}`,
  );
}

function ofRegression({ objective, heads }: LinearModel): readonly LinearHead[] | undefined {
  return objective !== 'classification' && heads.length === 1 ? heads : undefined;
}

function ofTwo(
  { objective, classes, heads }: LinearModel,
  { positive, negative }: TwoClasses,
): readonly LinearHead[] | undefined {
  // One head without names: what is above 0 is what is above 0 here.
  if (!classes) return heads.length === 1 && objective !== 'regression' ? heads : undefined;
  const keys = classes.map(classKey);
  const at = keys.indexOf(classKey(positive));
  if (heads.length > 1) return at < 0 ? undefined : [heads[at]];
  if (at === 1) return heads;
  const isTurned = at === 0 || (negative !== undefined && keys[1] === classKey(negative));
  return isTurned ? [turned(heads[0])] : undefined;
}

function ofMany({ classes, heads }: LinearModel, { labels }: ManyClasses): readonly LinearHead[] | undefined {
  if (!classes || heads.length === 1) return undefined;
  const known = new Map(classes.map((name, h) => [classKey(name), heads[h]]));
  const none: LinearHead = { coef: new Float64Array(heads[0].coef.length), intercept: 0 };
  const found = labels.map((label) => known.get(classKey(label)));
  return found.some((head) => head) ? found.map((head) => head ?? none) : undefined;
}

function turned({ coef, intercept }: LinearHead): LinearHead {
  return { coef: coef.map((value) => -value), intercept: -intercept };
}
