/** The file of a model: versioned JSON; whatever is read is checked before it is used. */
import { inputError } from '../base/errors.ts';
import { featureNames } from '../data/encoding.ts';
import { type ClassMapping, headsOf, isMany } from '../data/labels.ts';
import { columnsOf, storedMap } from '../settings/feature-map.ts';
import type { ValueOf } from '../settings/kind.ts';
import { ANYTHING, choice, list, number, record, text, toggle, whole } from '../settings/kinds.ts';
import { object, readSettings, variants } from '../settings/objects.ts';
import { TRAINING } from '../settings/training.ts';
import type { Calibration, Sigmoids } from '../solver/calibration.ts';
import type { Model } from '../solver/model.ts';

const MODEL_FORMAT = 'kindred-model';
/**
 * 1: no `target`, the scaling of a regression's targets: they were as they are.
 * 2: two classes and columns of numbers only, no `map`.
 */
const MODEL_VERSION = 3;

const finite = number();
const numbers = list(finite, 'a list of numbers');
const anyText = text('text', Infinity, 0);
const encodingKind = object({
  columns: list(
    variants('kind', {
      number: { name: anyText, mean: finite, missing: toggle() },
      category: {
        name: anyText,
        levels: list(anyText, 'a list of levels'),
        other: toggle(),
        missing: toggle(),
      },
    }),
    'a list of columns',
  ),
  absent: choice('missing').optional('refused'),
});
const sigmoids = list(object({ a: finite, b: finite }), 'a list of sigmoids', { least: 1 });
const fileKind = object(
  {
    format: choice(MODEL_FORMAT),
    version: whole(1, MODEL_VERSION),
    method: TRAINING.method.needed(),
    objective: TRAINING.objective.needed(),
    features: list(anyText, 'a list of names'),
    encoding: encodingKind.optional(),
    bias: TRAINING.bias.needed(),
    map: storedMap.optional(),
    scaling: object({ mode: TRAINING.scale.needed(), shift: numbers, factor: numbers }),
    target: object({ shift: finite, scale: number({ above: 0 }) }).optional(),
    classes: object({
      positive: anyText.optional(),
      negative: anyText.optional(),
      labels: list(anyText, 'a list of at least three labels', { least: 3 }).optional(),
    })
      .check(
        ({ positive, labels }) => (positive === undefined) !== (labels === undefined),
        'positive or labels',
      )
      .optional(),
    w: numbers,
    participants: list(object({ id: anyText, v: numbers }), 'a list of participants'),
    servesNewcomers: toggle(),
    options: record(ANYTHING, 'an object'),
    seed: finite,
    certificate: object({ primal: finite, dual: finite, relativeGap: finite }).optional(),
    calibration: object({
      participants: list(object({ id: anyText, heads: sigmoids }), 'a list of participants'),
      shared: sigmoids,
    }).optional(),
  },
  'ignored',
);

export function modelToJson(model: Model): string {
  const { scaling, personal, classes, certificate, calibration, w, ...rest } = model;
  const file = {
    format: MODEL_FORMAT,
    version: MODEL_VERSION,
    ...rest,
    features: [...rest.features],
    classes: classes && classesToJson(classes),
    scaling: { mode: scaling.mode, shift: [...scaling.shift], factor: [...scaling.factor] },
    certificate: certificate && { ...certificate },
    w: [...w],
    participants: [...personal].map(([id, v]) => ({ id, v: [...v] })),
    calibration: calibration && calibrationToJson(calibration),
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
  const classes = classesFrom(file.classes);
  const length = headsOf(classes) * columnsOf({ ...file, features: d });
  if (file.encoding) checkNames(source, featureNames(file.encoding), file.features);
  checkLength(source, 'scaling.shift', file.scaling.shift, d);
  checkLength(source, 'scaling.factor', file.scaling.factor, d);
  checkLength(source, 'w', file.w, length);
  for (const { id, v } of participants) checkLength(source, `participants "${id}".v`, v, length);
  const calibration = file.calibration && calibrationFrom(source, file.calibration, headsOf(classes));
  return {
    ...file,
    classes,
    scaling: {
      mode: file.scaling.mode,
      shift: Float64Array.from(file.scaling.shift),
      factor: Float64Array.from(file.scaling.factor),
    },
    w: Float64Array.from(file.w),
    personal: new Map(participants.map(({ id, v }) => [id, Float64Array.from(v)])),
    map: file.map,
    target: file.target,
    certificate: file.certificate,
    calibration,
  };
}

function checkNames(source: string, names: readonly string[], features: readonly string[]): void {
  if (names.length === features.length && names.every((name, j) => name === features[j])) return;
  throw inputError(
    'MODEL_INVALID',
    `${source}: encoding: expected the ${features.length} features of the model, got ${names.length}${names.length === features.length ? ' others' : ''}`,
  );
}

function calibrationToJson({ participants, shared }: Calibration) {
  const plain = (heads: Sigmoids) => heads.map(({ a, b }) => ({ a, b }));
  return {
    participants: [...participants].map(([id, heads]) => ({ id, heads: plain(heads) })),
    shared: plain(shared),
  };
}

function calibrationFrom(
  source: string,
  { participants, shared }: NonNullable<ValueOf<typeof fileKind>['calibration']>,
  heads: number,
): Calibration {
  for (const { id, heads: own } of [...participants, { id: 'shared', heads: shared }]) {
    if (own.length === heads) continue;
    throw inputError(
      'MODEL_INVALID',
      `${source}: calibration of "${id}": expected ${heads} sigmoids, one for each head, got ${own.length}`,
    );
  }
  return { participants: new Map(participants.map(({ id, heads: own }) => [id, own])), shared };
}

function classesToJson(classes: ClassMapping) {
  if (isMany(classes)) return { labels: [...classes.labels] };
  const { positive, negative } = classes;
  return { positive, ...(negative !== undefined && { negative }) };
}

function classesFrom(file: ValueOf<typeof fileKind>['classes']): ClassMapping | undefined {
  if (!file) return undefined;
  const { labels, positive, negative } = file;
  return labels ? { labels } : { positive: positive!, negative };
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
