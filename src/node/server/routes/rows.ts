/** Predictions, tests and personal parts for rows that clients send: they reach this process, and nothing of them is stored. */
import { z } from 'zod';
import { modelToJson } from '../../../methods/model.ts';
import {
  evaluateRequest,
  MOST_ROWS,
  type ModelRequest,
  personaliseRequest,
  predictRequest,
  predictSharedRequest,
} from '../model-requests.ts';
import { modelFileOf } from './model.ts';
import { type Route, route } from './route.ts';

const SENT = `At most ${MOST_ROWS} rows. Rows leave the client: the server computes with them and stores nothing.`;

/** Read and checked in the thread that works on it. */
const rawBody = z.string({ error: 'expected a JSON object, got nothing' });

const used = { method: z.string(), objective: z.enum(['classification', 'regression']) };
const predictions = {
  about: 'One prediction for each row, in their order',
  schema: z.strictObject({
    ...used,
    predictions: z.array(
      z.looseObject({
        row: z.number().int().min(1),
        participant: z.string(),
        prediction: z.union([z.string(), z.number()]),
      }),
    ),
  }),
} as const;
const metrics = z.looseObject({});
const tested = { id: z.string(), rows: z.number(), testRows: z.number() };

const JSON_TYPE = 'application/json; charset=utf-8';
const common = { access: 'read', body: rawBody, takesRows: true } as const;
const refusals = ['BAD_ROWS', 'TOO_LONG', 'TOO_MANY'] as const;

/** With the model in the body. */
function modelRoute(
  kind: ModelRequest['kind'],
  described: Pick<Route, 'about' | 'details' | 'answer'> & { readonly describedBody: z.ZodType },
): Route {
  return route({
    ...common,
    ...described,
    on: `POST /v1/${kind}`,
    id: kind,
    errors: ['BAD_MODEL', ...refusals],
    handle: ({ body }, context, reply) => {
      reply.type(JSON_TYPE);
      return context.modelWork.answer({ kind, body });
    },
  });
}

const predictShared = route({
  ...common,
  on: 'POST /v1/federations/:name/predict',
  id: 'predictShared',
  about: "Predict with a federation's shared model",
  details: `${SENT} The server has no personal parts: the shared part w predicts for everybody.`,
  describedBody: predictSharedRequest,
  answer: predictions,
  errors: ['NO_MODEL', ...refusals],
  handle: async ({ params, body }, context, reply) => {
    const model = await modelFileOf(context.federation(params.name), context.store);
    reply.type(JSON_TYPE);
    return context.modelWork.answer({ kind: 'predict', body, model: modelToJson(model) });
  },
});

const predict = modelRoute('predict', {
  about: 'Predict with a model that the request contains',
  details: `${SENT} Participants in the model get their personal model, others the shared part.`,
  describedBody: predictRequest,
  answer: predictions,
});

const evaluate = modelRoute('evaluate', {
  about: 'Test a model that the request contains on rows with targets',
  details: SENT,
  describedBody: evaluateRequest,
  answer: {
    about: 'Metrics of each participant, and their means',
    schema: z.strictObject({
      ...used,
      participants: z.array(z.looseObject(tested)),
      mean: metrics,
      confusion: z.looseObject({}).optional().describe('Of classes: rows by class and prediction'),
      perClass: z
        .array(z.looseObject({}))
        .optional()
        .describe('Of classes: precision, recall and F1 of each'),
    }),
  },
});

const personalise = modelRoute('personalise', {
  about:
    'Fit personal parts to rows with targets, on top of the shared part of a model that the request contains',
  details: SENT,
  describedBody: personaliseRequest,
  answer: {
    about: 'The model with the new personal parts, and how well they fit',
    schema: z.looseObject({
      ...used,
      participants: z.array(
        z.looseObject({ ...tested, part: z.enum(['added', 'replaced']), relativeGap: z.number() }),
      ),
      mean: metrics,
      meanOfShared: metrics,
      notes: z.array(z.string()),
      model: z.looseObject({ format: z.literal('kindred-model') }),
    }),
  },
});

export const ROW_ROUTES: readonly Route[] = [predictShared, predict, evaluate, personalise];
