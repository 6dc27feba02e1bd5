/** A usable model from what a method returned and how its rows were prepared. */

import type { Model } from '../solver/model.ts';
import type { MethodResult } from './method.ts';
import type { ResolvedOptions } from './options.ts';
import type { Placed, Prepared } from './prepare.ts';

export function assembleModel(
  prepared: Prepared,
  options: ResolvedOptions,
  placed: Pick<Placed, 'tasks' | 'scaling'>,
  result: MethodResult,
): Model {
  const { method, objective, bias, seed } = options;
  return {
    method,
    objective,
    features: prepared.table.features,
    bias,
    scaling: placed.scaling,
    classes: prepared.classes,
    w: result.w,
    personal: new Map(placed.tasks.map((task, k) => [task.id, result.v[k]])),
    servesNewcomers: result.servesNewcomers,
    options,
    seed,
    certificate: result.certificate,
  };
}
