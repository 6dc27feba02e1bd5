/**
 * Requests about rows: a model and rows come in as JSON, predictions, test results or personal parts go out. Runs in a thread of its own
 * (model-worker.ts): what takes long, from parsing on, must not keep a round waiting.
 */
import { z } from 'zod';
import { inputError, KindredError } from '../../base/errors.ts';
import { LARGEST_FEATURE } from '../../data/number.ts';
import { ParticipantColumn } from '../../data/participants.ts';
import type { Table } from '../../data/table.ts';
import { evaluate } from '../../methods/evaluate.ts';
import { modelFromJson, modelToJson } from '../../methods/model.ts';
import { personalise } from '../../methods/personalise.ts';
import { predict } from '../../methods/predict.ts';
import { personalisingKind } from '../../settings/training.ts';
import type { Model } from '../../solver/model.ts';
import { ApiError, parsed } from './api-error.ts';

export const MOST_ROWS = 100_000;

/** Of every request. Values are checked by `tableOf`, which has better messages, and is faster. */
const rowFields = {
  features: z
    .array(z.string())
    .optional()
    .describe("Names of the features of each row; default: the model's, in their order"),
  rows: z
    .array(z.array(z.unknown().meta({ type: 'number' })))
    .max(MOST_ROWS)
    .describe('Features of each row'),
  participant: z
    .union([z.string(), z.array(z.string())])
    .default('')
    .describe('Participant that all rows belong to, or one for each row; default: none, the shared part'),
};
const modelField = {
  model: z.looseObject({ format: z.literal('kindred-model') }).describe('A kindred model file'),
};
const targetsField = {
  targets: z.array(z.union([z.string(), z.number()])).describe('Target of each row: a class or a number'),
};

export const predictRequest = z.strictObject({ ...modelField, ...rowFields });
export const predictSharedRequest = z.strictObject(rowFields);
export const evaluateRequest = z.strictObject({ ...modelField, ...rowFields, ...targetsField });
export const personaliseRequest = z.strictObject({
  ...modelField,
  ...rowFields,
  ...targetsField,
  options: z
    .looseObject({})
    .default({})
    .meta({ ...personalisingKind.schema, description: 'As of kindred personalise' }),
});

/** What to do with the body of a request. */
export interface ModelRequest {
  readonly kind: 'predict' | 'evaluate' | 'personalise';
  /** JSON as it came in. */
  readonly body: string;
  /** File of the model to use; undefined: it is in the body. */
  readonly model?: string | undefined;
}

/** JSON of the answer. */
export function answerTo({ kind, body, model: file }: ModelRequest): string {
  const json = parsedJson(body);
  switch (kind) {
    case 'predict': {
      if (file === undefined) {
        const { model: document, ...rows } = parsed(predictRequest, json, 'body');
        return predictions(modelIn(document), rows);
      }
      return predictions(modelFromJson(file, 'model'), parsed(predictSharedRequest, json, 'body'));
    }
    case 'evaluate': {
      const { model: document, ...rows } = parsed(evaluateRequest, json, 'body');
      const model = modelIn(document);
      const { method, objective } = model;
      return refusing('BAD_ROWS', () =>
        JSON.stringify({ method, objective, ...evaluate(model, tableOf(model, rows)) }),
      );
    }
    case 'personalise': {
      const { model: document, options, ...rows } = parsed(personaliseRequest, json, 'body');
      return personalised(modelIn(document), rows, options);
    }
  }
}

function predictions(model: Model, rows: GivenRows): string {
  const { method, objective } = model;
  return refusing('BAD_ROWS', () => {
    const found = rows.rows.length === 0 ? [] : predict(model, tableOf(model, rows));
    return JSON.stringify({ method, objective, predictions: found });
  });
}

function personalised(model: Model, rows: GivenRows, options: object): string {
  const { method, objective } = model;
  return refusing('BAD_ROWS', () => {
    const { model: fitted, ...document } = personalise(model, tableOf(model, rows), options);
    const text = JSON.stringify({ method, objective, ...document });
    // The file as it is: what it looks like is its own affair.
    return `${text.slice(0, -1)},"model":${modelToJson(fitted).trim()}}`;
  });
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ApiError('BAD_REQUEST', `body: ${(error as Error).message}`.slice(0, 300));
  }
}

function modelIn(document: object): Model {
  return refusing('BAD_MODEL', () => modelFromJson(JSON.stringify(document), 'model'));
}

function refusing<T>(code: 'BAD_MODEL' | 'BAD_ROWS', act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof KindredError) || error.kind !== 'input') throw error;
    throw new ApiError(code, error.message);
  }
}

interface GivenRows {
  readonly features?: readonly string[] | undefined;
  readonly rows: readonly (readonly unknown[])[];
  readonly participant: string | readonly string[];
  readonly targets?: readonly (string | number)[] | undefined;
}

function tableOf(model: Model, { features = model.features, rows, participant, targets }: GivenRows): Table {
  const [n, d] = [rows.length, features.length];
  if (n === 0) throw inputError('NO_ROWS', 'rows: expected at least one row, got none');
  checkCount('targets', targets, n);
  if (typeof participant !== 'string') checkCount('participant', participant, n);
  const x = new Float64Array(n * d);
  const column = new ParticipantColumn();
  for (const [i, row] of rows.entries()) {
    if (row.length !== d)
      throw inputError('ARRAY_SHAPE', `rows[${i}]: expected ${d} features, got ${row.length} values`);
    for (let j = 0; j < d; j++) x[i * d + j] = numberIn(row[j], i, features[j]);
    column.push(typeof participant === 'string' ? participant : participant[i]);
  }
  const texts = targets?.map(String);
  return { source: 'rows', features, n, x, ...column.finish(), targets: texts, lines: undefined };
}

function numberIn(value: unknown, row: number, feature: string): number {
  if (typeof value === 'number' && Math.abs(value) <= LARGEST_FEATURE) return value;
  const got = JSON.stringify(value).slice(0, 40);
  throw inputError(
    'NOT_A_NUMBER',
    `rows[${row}], feature "${feature}": expected a finite number, got ${got}`,
  );
}

function checkCount(name: string, values: readonly unknown[] | undefined, n: number): void {
  if (!values || values.length === n) return;
  throw inputError('ARRAY_SHAPE', `${name}: expected one for each of the ${n} rows, got ${values.length}`);
}
