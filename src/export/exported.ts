/** Whose model is exported, and everything that formats need of it: linear functions of raw features, with the names of features and classes. */
import { inputError } from '../base/errors.ts';
import { classNames } from '../data/labels.ts';
import { listed, shown } from '../data/number.ts';
import type { LossName } from '../settings/losses.ts';
import { defaultLoss } from '../settings/losses.ts';
import type { Sigmoids } from '../solver/calibration.ts';
import { checkLinear, type LinearHead, rawHeads } from '../solver/linear-model.ts';
import { type Model, modelFor } from '../solver/model.ts';
import { sigmoidsOf } from '../solver/probabilities.ts';

/** Everybody and the shared part, the shared part w alone, or one participant. */
export type Whose = 'all' | 'shared' | { readonly participant: string };

export interface Exported {
  readonly features: readonly string[];
  readonly objective: Model['objective'];
  readonly loss: LossName;
  /** Names in the order of their index; of two classes the negative one first. Undefined for a regression. */
  readonly classes: readonly string[] | undefined;
  /** One for each participant, in the order of the model; the shared part last. */
  readonly models: readonly OneModel[];
}

export interface ExportedFile {
  /** Behind the name of the file that was asked for: '' for that file, '.labels' for the names of LIBLINEAR's classes. */
  readonly suffix: string;
  readonly bytes: Uint8Array;
}

export interface OneModel {
  /** Undefined: the shared part. */
  readonly participant: string | undefined;
  readonly heads: readonly LinearHead[];
  /** From decisions to probabilities; undefined: the model knows none. */
  readonly sigmoids: Sigmoids | undefined;
}

export function exportedOf(model: Model, whose: Whose): Exported {
  checkLinear(model, 'export');
  const { features, objective, classes, options, calibration } = model;
  const sigmoids = sigmoidsOf(model);
  const loss = (options.loss as LossName | undefined) ?? defaultLoss(objective);
  return {
    ...{ features, objective, loss, classes: classes && classNames(classes) },
    models: chosen(model, whose).map((participant) => ({
      participant,
      heads: rawHeads(model, participant === undefined ? model.w : modelFor(model, participant)),
      sigmoids: participant === undefined && calibration ? calibration.shared : sigmoids?.(participant ?? ''),
    })),
  };
}

function chosen({ personal, servesNewcomers, method }: Model, whose: Whose): (string | undefined)[] {
  if (whose === 'all') return [...personal.keys(), ...(servesNewcomers ? [undefined] : [])];
  if (whose === 'shared') {
    if (servesNewcomers) return [undefined];
    throw inputError(
      'UNKNOWN_PARTICIPANT',
      `export: a model of method ${method} has no shared part that serves anybody; choose a participant, or train with --method mtl or global`,
    );
  }
  if (personal.has(whose.participant)) return [whose.participant];
  throw inputError(
    'UNKNOWN_PARTICIPANT',
    `export: participant ${shown(whose.participant)} is not in the model, which has ${listed([...personal.keys()].map(shown), 5)}; --shared exports the shared part`,
  );
}
