/**
 * A linear model of raw features, whatever scaling it was trained under: for head h
 *
 *   decision_h(x) = coef_h . x + intercept_h,      coef_j = z_j factor_j,      intercept = z_bias - sum_j coef_j shift_j
 *
 * and for a regression with scaled targets both times the scale, the intercept plus the shift: decisions are in the units of the target. The way
 * back puts a linear model from anywhere into the scaled space of a training, as a w to start from.
 */
import { inputError } from '../base/errors.ts';
import { columnsOf } from '../settings/feature-map.ts';
import type { Objective } from '../settings/losses.ts';
import type { Model } from './model.ts';

export interface LinearHead {
  readonly coef: Float64Array;
  readonly intercept: number;
}

/** A linear model from anywhere, to start a training from. */
export interface LinearModel {
  /** What errors call it. */
  readonly source: string;
  /** Undefined: the file does not say. */
  readonly objective: Objective | undefined;
  /** Undefined: the file has no names, its features are those of the data in their order. */
  readonly features: readonly string[] | undefined;
  /** One for each head; of two classes, which share a head, the negative one first. Undefined: not known, or a regression. */
  readonly classes: readonly string[] | undefined;
  readonly heads: readonly LinearHead[];
}

/**
 * What each part of a model is to its decisions: of the linear function, beside it, before it (it makes the features: they can be explained, but
 * an export takes columns as they are), or beyond what a linear function of the features can express. Whoever adds a part says so here; what is
 * beyond is refused by everything that needs a linear model.
 */
const PARTS: Readonly<Record<keyof Model, 'linear' | 'beside' | 'before' | 'beyond'>> = {
  features: 'linear',
  encoding: 'before',
  bias: 'linear',
  scaling: 'linear',
  target: 'linear',
  classes: 'linear',
  w: 'linear',
  personal: 'linear',
  servesNewcomers: 'linear',
  objective: 'beside',
  method: 'beside',
  options: 'beside',
  seed: 'beside',
  certificate: 'beside',
  calibration: 'beside',
  map: 'beyond',
};

export function checkLinear(model: Model, purpose: 'export' | 'explain'): void {
  const beyond = Object.entries(model).find(([part, value]) => {
    const is = PARTS[part as keyof Model] ?? 'beyond';
    return value !== undefined && (is === 'beyond' || (is === 'before' && purpose === 'export'));
  });
  if (!beyond) return;
  throw inputError(
    'MODEL_NOT_LINEAR',
    `${purpose}: expected a model that is linear in its features, got one with "${beyond[0]}", which ${purpose} cannot express; use kindred predict, or train without it`,
  );
}

/** What lies between raw rows and the columns that a training sees. */
type Space = Pick<Model, 'bias' | 'scaling' | 'target'>;

/** Columns of one head, with the bias; a model with a map is not linear. */
function columnsIn({ bias, scaling }: Space): number {
  return columnsOf({ features: scaling.shift.length, map: undefined, bias });
}

/** The heads of z, which is w, or w + v_k: one block of columns after the other. */
export function rawHeads(space: Space, z: Float64Array): LinearHead[] {
  const columns = columnsIn(space);
  return Array.from({ length: z.length / columns }, (_, h) =>
    rawHead(space, z.subarray(h * columns, (h + 1) * columns)),
  );
}

function rawHead({ bias, scaling: { shift, factor }, target }: Space, z: Float64Array): LinearHead {
  const scale = target?.scale ?? 1;
  // Plus 0: a weight of -0, as a feature without variance may have, would be 0 as soon as it is written as text.
  const coef = factor.map((each, j) => scale * z[j] * each + 0);
  let intercept = (target?.shift ?? 0) + scale * (bias ? z[factor.length] : 0);
  for (const [j, each] of coef.entries()) intercept -= each * shift[j];
  return { coef, intercept };
}

/** The same heads as columns of a training. Without a bias there is no place for an intercept: it is left out. */
export function scaledStack(space: Space, heads: readonly LinearHead[]): Float64Array {
  const columns = columnsIn(space);
  const stack = new Float64Array(heads.length * columns);
  for (const [h, head] of heads.entries())
    putScaled(space, head, stack.subarray(h * columns, (h + 1) * columns));
  return stack;
}

function putScaled(
  { bias, scaling: { shift, factor }, target }: Space,
  { coef, intercept }: LinearHead,
  into: Float64Array,
): void {
  const scale = target?.scale ?? 1;
  let constant = intercept - (target?.shift ?? 0);
  for (const [j, each] of coef.entries()) {
    // A feature without variance is 0 in the scaled space: its part is a constant.
    into[j] = factor[j] === 0 ? 0 : each / (factor[j] * scale);
    constant += each * shift[j];
  }
  if (bias) into[coef.length] = constant / scale;
}
