/** Federations: which there are, their state, and the operator's orders to them. */
import { z } from 'zod';
import { classAwaited } from '../../../coordinator/agreement.ts';
import { optionsToJson, parseOptions } from '../../../coordinator/options.ts';
import type { Order } from '../../../host/federation-host.ts';
import type { Budget } from '../../../privacy/dp/budget.ts';
import { notCovered } from '../../../privacy/dp/coverage.ts';
import type { Agreement } from '../../../protocol/agreement.ts';
import { CLOSE } from '../../../protocol/joining.ts';
import { federationKind } from '../../../settings/federation.ts';
import { ApiError, asAsked } from '../api-error.ts';
import type { Federation } from '../federation.ts';
import { count, declines, finishReason, known, orNull, phase, rejections, timeMs } from '../schemas.ts';
import { type Route, route, type ServerContext } from './route.ts';

const brief = {
  name: z.string().describe('Name of a federation'),
  id: z.string().describe('Unique for ever, whatever the name'),
  createdMs: timeMs,
  phase,
  paused: z.boolean(),
  round: count.describe('The round that is open, from 1; 0 before the first'),
  relativeGap: known.describe('Relative duality gap of the model in use, as last known'),
  finish: finishReason.nullable().describe('Why training has ended'),
};

const federationBrief = z.strictObject({ ...brief, connected: count });

const federationState = z.strictObject({
  ...brief,
  purpose: z.enum(['train', 'certify']).describe('What the open round is for'),
  participants: z.strictObject({
    enrolled: count.describe('May take part'),
    joined: count.describe('Have ever taken part, and were not forgotten'),
    here: count,
    left: count,
    connected: count.describe('At this moment'),
  }),
  certificate: z
    .strictObject({ primal: known, dual: known, relativeGap: known })
    .describe('Bounds on the optimum, of the model in use; null where nothing is known'),
  missing: z
    .array(z.string())
    .describe(
      'Who has joined and is not covered by the certificate: does not answer, or has not answered yet',
    ),
  bestGap: known,
  aggregated: count.describe('Rounds in which something was aggregated'),
  features: count.describe('Without the bias; 0 before anybody has joined'),
  agreement: z
    .strictObject({
      classes: z
        .strictObject({ labels: z.array(z.string()), positive: z.string() })
        .nullable()
        .describe('What becomes +1, and all classes there are; a single label is against the rest'),
      target: z
        .strictObject({ shift: z.number(), scale: z.number() })
        .nullable()
        .describe('Centre and unit of the targets of a regression'),
    })
    .nullable()
    .describe('What participants have agreed on about targets; null before training starts'),
  waitingFor: z.string().nullable().describe('What training waits for before it starts, beside participants'),
  rejections: rejections.describe('What participants were refused since the server was started, by code'),
  declines: declines.describe(
    'What participants have declined by their own policy since the server was started, by code',
  ),
  conservation: z
    .strictObject({ relativeError: known })
    .describe('|U - sum of all contributions| / |U|; null where single ones are not known'),
  privacy: z
    .strictObject({ epsilon: z.number(), delta: z.number(), notCovered: z.array(z.string()) })
    .optional()
    .describe('Spent so far, under differential privacy, and what that does not cover'),
  options: z.record(z.string(), z.unknown()),
  storeWorks: z.boolean(),
  uptimeMs: z.number().describe('Of the server'),
});

function briefly(federation: Federation) {
  const { record, host } = federation;
  const { name, id, createdMs } = record;
  const { phase, paused, round, finish } = host.state;
  return {
    ...{ name, id, createdMs, phase, paused, round },
    relativeGap: orNull(federation.relativeGap),
    finish: finish ?? null,
  };
}

function spentOf({ spent: { epsilon, delta } }: Budget) {
  return { epsilon, delta };
}

async function stateOf(
  { store, uptimeMs }: ServerContext,
  federation: Federation,
): Promise<z.input<typeof federationState>> {
  const { state } = federation.host;
  const { purpose, bestGap, aggregated, features, agreement, budget, options } = state;
  const members = [...state.members.values()];
  const enrolments = await store.enrolments(federation.name);
  const here = members.filter(({ presence }) => presence === 'here').length;
  return {
    ...briefly(federation),
    purpose,
    participants: {
      enrolled: enrolments.filter(({ revokedMs }) => revokedMs === undefined).length,
      joined: members.length,
      here,
      left: members.length - here,
      connected: federation.connections.size,
    },
    certificate: {
      primal: orNull(federation.certificate?.primal),
      dual: orNull(federation.certificate?.dual),
      relativeGap: orNull(federation.certificate?.relativeGap),
    },
    missing: [...state.missing],
    bestGap: orNull(bestGap),
    aggregated,
    features,
    agreement: agreement ? { classes: classesOf(agreement), target: agreement.target ?? null } : null,
    waitingFor: classAwaited(state) ?? null,
    rejections: Object.fromEntries(federation.rejections()),
    declines: Object.fromEntries(state.declines),
    conservation: { relativeError: orNull(federation.conservationError()) },
    ...(budget && options.dp && { privacy: { ...spentOf(budget), notCovered: notCovered(options.dp) } }),
    options: optionsToJson(options),
    storeWorks: federation.storeFailure === undefined,
    uptimeMs: uptimeMs(),
  };
}

function classesOf({ classes }: Agreement) {
  return classes ? { labels: [...classes.labels], positive: classes.positive } : null;
}

const newFederation = z.strictObject({
  name: z.string().describe('1 to 100 letters, digits, ".", "_" and "-", beginning with a letter or digit'),
  /** Checked by `parseOptions`, which has better messages. */
  options: z.unknown().optional(),
});
const describedFederation = newFederation.extend({
  options: z
    .unknown()
    .optional()
    .meta({ ...federationKind.schema, description: 'Those that are not given have their defaults' }),
});

const stateAnswer = { about: 'The federation as it is now', schema: federationState } as const;

const list = route({
  on: 'GET /v1/federations',
  id: 'listFederations',
  access: 'read',
  about: 'All federations of the server',
  answer: { about: 'By name', schema: z.strictObject({ federations: z.array(federationBrief) }) },
  handle: (_, { federations }) => ({
    federations: [...federations.values()]
      .map((one) => ({ ...briefly(one), connected: one.connections.size }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  }),
});

const create = route({
  on: 'POST /v1/federations',
  id: 'createFederation',
  access: 'operate',
  about: 'Create a federation',
  body: newFederation,
  describedBody: describedFederation,
  target: ({ body }) => body.name,
  answer: { status: 201, about: 'It takes participants from now on', schema: federationState },
  errors: ['BAD_NAME', 'BAD_OPTIONS', 'NAME_TAKEN'],
  handle: async ({ body: { name, options } }, context) => {
    const parsed = await asAsked('BAD_OPTIONS', () => parseOptions('options', options ?? {}));
    return stateOf(context, await asAsked('BAD_OPTIONS', () => context.create(name, parsed)));
  },
});

const show = route({
  on: 'GET /v1/federations/:name',
  id: 'getFederation',
  access: 'read',
  about: 'State of a federation',
  answer: stateAnswer,
  handle: ({ params }, context) => stateOf(context, context.federation(params.name)),
});

const pause = order('pause', 'Close no round until it goes on', 'No deadline passes while it is paused.');
const resume = order('resume', 'Go on after a pause');
const finish = order(
  'finish',
  'End the training',
  'Everybody receives the result, and keeps the model there is.',
);
const recount = order(
  'recount',
  'Ask everybody again',
  'All answers so far are dropped, and training goes on, also after a rest, from the model in use. Only where training goes by answers.',
);

const reopen = order(
  'reopen',
  'Go on after the end of a training',
  'Also after one that the operator, a limit or a stall has ended; limits of rounds and time count from here. Not where the privacy budget is spent.',
);

const remove = route({
  on: 'DELETE /v1/federations/:name',
  id: 'deleteFederation',
  access: 'admin',
  about: 'End a federation and delete everything that is stored about it',
  details: `For good: its model, history, enrolments and invitations. Connections are closed (code ${CLOSE.deleted}); participants keep their own states.`,
  answer: {
    about: 'It is gone',
    schema: z.strictObject({ name: z.string(), id: z.string() }),
  },
  handle: ({ params }, context) => context.remove(params.name),
});

function order(what: Exclude<Order, object>, about: string, details?: string): Route {
  return route({
    on: `POST /v1/federations/:name/${what}`,
    id: `${what}Federation`,
    access: 'operate',
    about,
    ...(details && { details }),
    answer: stateAnswer,
    errors: ['REFUSED'],
    handle: async ({ params }, context) => {
      await carryOut(context, params.name, what);
      return stateOf(context, context.federation(params.name));
    },
  });
}

/** Throws the machine's reason where it refuses. */
export async function carryOut(context: ServerContext, name: string, what: Order): Promise<void> {
  const { host, storeFailure } = context.federation(name);
  if (storeFailure) throw new ApiError('STORE_FAILED', `federation "${name}": the store fails at the moment`);
  const refusal = await host.order(what);
  if (refusal !== undefined) throw new ApiError('REFUSED', refusal);
}

export const FEDERATION_ROUTES: readonly Route[] = [
  list,
  create,
  show,
  pause,
  resume,
  finish,
  recount,
  reopen,
  remove,
];
