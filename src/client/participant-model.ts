/** The model that a participant can predict with, from its state alone: offline, at any time, training or not. */
import { personalCost } from '../settings/federation.ts';
import type { Model } from '../solver/model.ts';
import type { ParticipantFile } from './participant-file.ts';

/** In the options of such a model: whose it is, and which value of the participant column says so; without one, all rows are. */
interface Joined {
  readonly participant: string;
  readonly own?: string;
}

function ownValue({ participant, columns }: ParticipantFile): { own?: string } {
  if (!columns) return { own: participant };
  return columns.own === undefined ? {} : { own: columns.own };
}

/** Undefined before the first round. */
export function modelOf(file: ParticipantFile): Model | undefined {
  const { participant, features, classes, columns, stored } = file;
  const { settings, scaling, model } = stored;
  if (!settings || !scaling || !model) return undefined;
  const { method, objective, loss, bias, c1, c2, epsilon, classWeight, seed } = settings;
  const columnCount = features.length + (bias ? 1 : 0);
  // Whoever left before training began was sent `finish` with an empty w.
  if (model.w.length !== columnCount || (objective === 'classification' && !classes)) return undefined;
  const joined: Joined = { participant, ...ownValue(file) };
  const inverse = 1 / personalCost(settings);
  const v = model.u ? model.u.map((value) => value * inverse) : new Float64Array(columnCount);
  return {
    method,
    objective,
    features,
    bias,
    scaling,
    classes,
    w: model.w,
    personal: new Map([[participant, v]]),
    // The w that MOCHA sends is the participant's own.
    servesNewcomers: method !== 'mocha',
    options: { c1, c2, epsilon, loss, classWeight, round: model.round, joined, ...(columns && { columns }) },
    seed,
    certificate: undefined,
  };
}
