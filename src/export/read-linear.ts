/**
 * Linear models from elsewhere, as a start for training: a model of Kindred (its shared part), LIBLINEAR text, or weights as CSV,
 * told apart by how they begin.
 */
import { inputError } from '../base/errors.ts';
import { shown } from '../data/number.ts';
import { modelFromJson } from '../methods/model.ts';
import type { LinearModel } from '../solver/linear-model.ts';
import { exportedOf } from './exported.ts';
import { readCoefficients } from './read-coefficients.ts';
import { readLiblinear } from './read-liblinear.ts';

/** `labels`: names of LIBLINEAR's numbered classes, where there is a file with them. */
export function parseLinear(text: string, source: string, labels?: readonly string[]): LinearModel {
  if (/^\s*\{/.test(text)) return ofModel(text, source);
  if (/^solver_type\s/.test(text)) return readLiblinear(text, source, labels);
  if (/^[^\n]*,/.test(text)) return readCoefficients(text, source);
  throw inputError(
    'START_FORMAT',
    `${source}: expected a model of kindred, LIBLINEAR text, or weights as CSV to start from, got a file that begins with ${shown(text.slice(0, 40))}`,
  );
}

function ofModel(text: string, source: string): LinearModel {
  const model = modelFromJson(text, source);
  if (!model.servesNewcomers)
    throw inputError(
      'START_FORMAT',
      `${source}: expected a model with a shared part to start from, got one of method ${model.method}; start from one of method mtl, global or fedavg`,
    );
  const { objective, features, classes, models } = exportedOf(model, 'shared');
  return { source, objective, features, classes, heads: models[0].heads };
}
