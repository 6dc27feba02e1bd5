/** The file of a model: versioned JSON; whatever is read is checked before it is used. */
import { z } from 'zod';
import { inputError } from '../base/errors.ts';
import type { Model } from '../solver/model.ts';

const MODEL_FORMAT = 'kindred-model';
const MODEL_VERSION = 1;

const numbers = z.array(z.number());
const fileSchema = z.object({
  format: z.literal(MODEL_FORMAT),
  version: z.literal(MODEL_VERSION),
  method: z.enum(['mtl', 'local', 'global', 'mocha', 'fedavg']),
  objective: z.enum(['classification', 'regression']),
  features: z.array(z.string()),
  bias: z.boolean(),
  scaling: z.object({ mode: z.enum(['standard', 'center', 'none']), shift: numbers, factor: numbers }),
  classes: z.object({ positive: z.string(), negative: z.string().optional() }).optional(),
  w: numbers,
  participants: z.array(z.object({ id: z.string(), v: numbers })),
  servesNewcomers: z.boolean(),
  options: z.record(z.string(), z.unknown()),
  seed: z.number(),
  certificate: z.object({ primal: z.number(), dual: z.number(), relativeGap: z.number() }).optional(),
});

export function modelToJson(model: Model): string {
  const { scaling, personal, classes, certificate, w, ...rest } = model;
  const file: z.input<typeof fileSchema> = {
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
  const result = fileSchema.safeParse(parsed);
  if (!result.success) {
    const [issue] = result.error.issues;
    throw inputError(
      'MODEL_INVALID',
      `${source}, field ${issue.path.join('.') || '(top)'}: ${lowerFirst(issue.message)}`,
    );
  }
  const { format: _, version: __, participants, ...file } = result.data;
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
    `${source}, field ${field}: expected ${expected} numbers, got ${values.length}`,
  );
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
