/**
 * A trained model: the shared part w, everybody's personal part v_k, and all that is needed to use them on raw rows
 * (scaling, bias, classes, feature names). Versioned JSON; whatever is read is checked before it is used.
 */
import { inputError } from '../base/errors.ts';
import type { ClassMapping } from '../data/labels.ts';
import type { Table } from '../data/table.ts';
import { type Scaling, scaleRow } from '../math/scaling.ts';
import {
  ANYTHING,
  choice,
  list,
  number,
  object,
  readSettings,
  record,
  text,
  toggle,
  whole,
} from '../settings/kinds.ts';
import { TRAINING } from '../settings/training.ts';
import type { Certificate } from '../solver/certificate.ts';
import type { Objective } from '../solver/problem.ts';
import { plusScaled } from '../solver/vector.ts';
import type { MethodName } from './method.ts';

export const MODEL_FORMAT = 'kindred-model';
export const MODEL_VERSION = 1;

export interface Model {
  readonly method: MethodName;
  readonly objective: Objective;
  readonly features: readonly string[];
  readonly bias: boolean;
  readonly scaling: Scaling;
  /** What +1 and -1 stand for; undefined for regression. */
  readonly classes: ClassMapping | undefined;
  readonly w: Float64Array;
  readonly personal: ReadonlyMap<string, Float64Array>;
  /** Whether someone without a personal part can be served by w alone. */
  readonly servesNewcomers: boolean;
  readonly options: Readonly<Record<string, unknown>>;
  readonly seed: number;
  readonly certificate: Certificate | undefined;
}

/** w + v_k, or w for a newcomer. */
export function modelFor(model: Model, participant: string): Float64Array {
  const v = model.personal.get(participant);
  if (v) return plusScaled(model.w, 1, v);
  if (model.servesNewcomers) return model.w;
  throw inputError(
    'UNKNOWN_PARTICIPANT',
    `participant "${participant}" is not in the model, and a model of method ${model.method} has no shared part to serve a newcomer with; train with --method mtl or global`,
  );
}

/** (w + v_k).x for some rows of a table of raw features. */
export function decide(
  model: Model,
  table: Table,
  rows: ArrayLike<number> = { length: table.n },
): Float64Array {
  checkFeatures(model, table);
  const d = model.features.length;
  const scaled = new Float64Array(d);
  const models = new Map<number, Float64Array>();
  const out = new Float64Array(rows.length);
  for (let r = 0; r < rows.length; r++) {
    const i = rows[r] ?? r;
    const k = table.participantOf[i];
    let z = models.get(k);
    if (!z) models.set(k, (z = modelFor(model, table.participants[k])));
    scaleRow(table.x, i, model.scaling, scaled, 0);
    let sum = model.bias ? z[d] : 0;
    for (let j = 0; j < d; j++) sum += scaled[j] * z[j];
    out[r] = sum;
  }
  return out;
}

/** The same features in the same order, by name. */
export function checkFeatures(model: Model, table: Table): void {
  const { features } = model;
  if (table.features.length !== features.length) {
    throw inputError(
      'FEATURE_COUNT',
      `${table.source}: expected the model's ${features.length} features, got ${table.features.length}; --drop leaves columns out`,
    );
  }
  const wrong = features.findIndex((name, j) => name !== table.features[j]);
  if (wrong >= 0) {
    throw inputError(
      'FEATURE_NAMES',
      `${table.source}: expected feature ${wrong + 1} to be "${features[wrong]}" as in the model, got "${table.features[wrong]}"`,
    );
  }
}

const finite = number();
const numbers = list(finite, 'a list of numbers');
const anyText = text('text', Infinity, 0);
const fileKind = object(
  {
    format: choice(MODEL_FORMAT),
    version: whole(1, MODEL_VERSION),
    method: TRAINING.method.needed(),
    objective: TRAINING.objective.needed(),
    features: list(anyText, 'a list of names'),
    bias: TRAINING.bias.needed(),
    scaling: object({ mode: TRAINING.scale.needed(), shift: numbers, factor: numbers }),
    classes: object({ positive: anyText, negative: anyText.optional() }).optional(),
    w: numbers,
    participants: list(object({ id: anyText, v: numbers }), 'a list of participants'),
    servesNewcomers: toggle(),
    options: record(ANYTHING, 'an object'),
    seed: finite,
    certificate: object({ primal: finite, dual: finite, relativeGap: finite }).optional(),
  },
  'ignored',
);

export function modelToJson(model: Model): string {
  const { scaling, personal, classes, certificate, w, ...rest } = model;
  const file = {
    format: MODEL_FORMAT,
    version: MODEL_VERSION,
    ...rest,
    features: [...rest.features],
    classes: classes && {
      positive: classes.positive,
      ...(classes.negative !== undefined && { negative: classes.negative }),
    },
    scaling: { mode: scaling.mode, shift: [...scaling.shift], factor: [...scaling.factor] },
    certificate: certificate && { ...certificate },
    w: [...w],
    participants: [...personal].map(([id, v]) => ({ id, v: [...v] })),
  };
  return `${JSON.stringify(file)}\n`;
}

/** Reads a model file's text; `source` is what errors call it. */
export function modelFromJson(text: string, source: string): Model {
  const parsed = parseJson(text, source);
  const version = (parsed as { version?: unknown } | null)?.version;
  if ((parsed as { format?: unknown } | null)?.format !== MODEL_FORMAT) {
    throw inputError(
      'MODEL_FORMAT',
      `${source}: expected a kindred model, got JSON without "format": "${MODEL_FORMAT}"`,
    );
  }
  if (typeof version === 'number' && version > MODEL_VERSION) {
    throw inputError(
      'MODEL_VERSION',
      `${source}: expected model version ${MODEL_VERSION}, got ${version}; it was written by a newer kindred`,
    );
  }
  const {
    format: _,
    version: __,
    participants,
    ...file
  } = readSettings(fileKind, parsed, { code: 'MODEL_INVALID', name: source });
  const d = file.features.length;
  const columns = d + (file.bias ? 1 : 0);
  checkLength(source, 'scaling.shift', file.scaling.shift, d);
  checkLength(source, 'scaling.factor', file.scaling.factor, d);
  checkLength(source, 'w', file.w, columns);
  for (const { id, v } of participants) checkLength(source, `participants "${id}".v`, v, columns);
  return {
    ...file,
    classes: file.classes && { positive: file.classes.positive, negative: file.classes.negative },
    scaling: {
      mode: file.scaling.mode,
      shift: Float64Array.from(file.scaling.shift),
      factor: Float64Array.from(file.scaling.factor),
    },
    w: Float64Array.from(file.w),
    personal: new Map(participants.map(({ id, v }) => [id, Float64Array.from(v)])),
    certificate: file.certificate,
  };
}

function parseJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw inputError(
      'MODEL_NOT_JSON',
      `${source}: expected a model as JSON, got ${lowerFirst((error as Error).message)}`,
    );
  }
}

function checkLength(source: string, field: string, values: readonly number[], expected: number): void {
  if (values.length === expected) return;
  throw inputError(
    'MODEL_INVALID',
    `${source}: ${field}: expected ${expected} numbers, got ${values.length}`,
  );
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
