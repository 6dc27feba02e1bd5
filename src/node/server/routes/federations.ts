/** Federations: which there are, their state, and the operator's orders to them. */
import { z } from 'zod';
import { classAwaited } from '../../../coordinator/agreement.ts';
import { type CoordinatorOptions, optionsToJson, parseOptions } from '../../../coordinator/options.ts';
import type { CoordinatorState } from '../../../coordinator/state.ts';
import type { FederationHost } from '../../../host/federation-host.ts';
import type { Order } from '../../../host/orders.ts';
import type { Budget } from '../../../privacy/dp/budget.ts';
import { notCovered } from '../../../privacy/dp/coverage.ts';
import type { Agreement } from '../../../protocol/agreement.ts';
import { CLOSE } from '../../../protocol/joining.ts';
import { federationKind, TIMING } from '../../../settings/federation.ts';
import { ApiError, asAsked } from '../api-error.ts';
import type { Federation } from '../federation.ts';
import {
  count,
  declines,
  faults,
  finishReason,
  known,
  orNull,
  phase,
  rejections,
  timeMs,
} from '../schemas.ts';
import { type Route, route, type ServerContext } from './route.ts';

const brief = {
  name: z.string().describe('Name of a federation'),
  id: z.string().describe('Unique, also after a federation of the same name was deleted'),
  createdMs: timeMs,
  phase,
  paused: z.boolean(),
  round: count.describe('Number of the open round, from 1; 0 before the first'),
  relativeGap: known.describe('Last known relative duality gap of the current model'),
  finish: finishReason.nullable().describe('Why training ended'),
};

const federationBrief = z.strictObject({ ...brief, connected: count });
export type FederationBrief = z.output<typeof federationBrief>;

const federationState = z.strictObject({
  ...brief,
  purpose: z.enum(['train', 'certify']).describe('Purpose of the open round'),
  participants: z.strictObject({
    enrolled: count.describe('Enrolled participants'),
    joined: count.describe('Participants that have joined and were not forgotten'),
    here: count,
    left: count,
    connected: count.describe('Currently connected'),
  }),
  certificate: z
    .strictObject({ primal: known, dual: known, relativeGap: known })
    .describe('Primal and dual bounds of the current model; null if unknown'),
  missing: z
    .array(z.string())
    .describe(
      'Participants that have joined but are not covered by the certificate, because they have not answered (yet)',
    ),
  bestGap: known,
  aggregated: count.describe('Completed rounds, without abandoned ones'),
  features: count.describe('Number of features without the bias; 0 before the first participant has joined'),
  agreement: z
    .strictObject({
      classes: z
        .strictObject({ labels: z.array(z.string()), positive: z.string().nullable() })
        .nullable()
        .describe(
          'All classes, and the label of the positive one (+1); with a single label, all others are negative; null: each class has a head of its own',
        ),
      target: z
        .strictObject({ shift: z.number(), scale: z.number() })
        .nullable()
        .describe('Shift and scale of regression targets'),
    })
    .nullable()
    .describe('Agreement of the participants on targets; null before training starts'),
  waitingFor: z
    .string()
    .nullable()
    .describe('What training waits for before it starts, apart from participants'),
  rejections: rejections.describe('Refused messages of participants since the server started, by code'),
  declines: declines.describe(
    'Requests that participants declined by their policy since the server started, by code',
  ),
  faults: faults.describe('Failures that participants reported since the server started, by code'),
  conservation: z
    .strictObject({ relativeError: known })
    .describe('|U - sum of all contributions| / |U|; null if single contributions are not known'),
  privacy: z
    .strictObject({ epsilon: z.number(), delta: z.number(), notCovered: z.array(z.string()) })
    .optional()
    .describe('Privacy budget spent so far (differential privacy), and what it does not cover'),
  traffic: z
    .strictObject({ inBytes: count, outBytes: count })
    .describe('Bytes of messages from and to participants since the server started'),
  options: z.record(z.string(), z.unknown()).describe('As of the next round'),
  storeWorks: z.boolean(),
  uptimeMs: z.number().describe('Time of the server'),
  nowMs: timeMs.describe('Clock of the server'),
});
export type FederationState = z.output<typeof federationState>;

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

export async function stateOf(
  { admission, uptimeMs }: Pick<ServerContext, 'admission' | 'uptimeMs'>,
  federation: Federation,
): Promise<FederationState> {
  const { state } = federation.host;
  const { bytes } = federation.meter;
  const { purpose, bestGap, aggregated, features, agreement, budget, options } = state;
  const members = [...state.members.values()];
  const enrolled = await admission.enrolled(federation.name);
  const here = members.filter(({ presence }) => presence === 'here').length;
  return {
    ...briefly(federation),
    purpose,
    participants: {
      enrolled,
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
    faults: Object.fromEntries(state.faults),
    conservation: { relativeError: orNull(federation.conservationError()) },
    ...(budget && options.dp && { privacy: { ...spentOf(budget), notCovered: notCovered(options.dp) } }),
    traffic: { inBytes: bytes.in, outBytes: bytes.out },
    options: optionsToJson(nextOptions(state)),
    storeWorks: federation.storeFailure === undefined,
    uptimeMs: uptimeMs(),
    nowMs: Date.now(),
  };
}

function classesOf({ classes }: Agreement) {
  return classes ? { labels: [...classes.labels], positive: classes.positive ?? null } : null;
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
    .meta({ ...federationKind.schema, description: 'Missing options have their defaults' }),
});

const stateAnswer = { about: 'The current state of the federation', schema: federationState } as const;

const list = route({
  on: 'GET /v1/federations',
  id: 'listFederations',
  access: 'read',
  about: 'List all federations of the server',
  answer: { about: 'By name', schema: z.strictObject({ federations: z.array(federationBrief) }) },
  handle: (_, { federations }) => ({ federations: listOf(federations) }),
});

/** By name. */
export function listOf(federations: ReadonlyMap<string, Federation>): FederationBrief[] {
  return [...federations.values()]
    .map((one) => ({ ...briefly(one), connected: one.connections.size }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

const create = route({
  on: 'POST /v1/federations',
  id: 'createFederation',
  access: 'operate',
  about: 'Create a federation',
  body: newFederation,
  describedBody: describedFederation,
  target: ({ body }) => body.name,
  answer: { status: 201, about: 'Created; participants can join', schema: federationState },
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

const pause = order('pause', 'Pause training', 'No round closes and no deadline passes until it is resumed.');
const resume = order('resume', 'Resume training after a pause');
const finish = order('finish', 'End training', 'All participants receive and keep the current model.');
const recount = order(
  'recount',
  'Discard all answers and ask all participants again',
  'Training continues from the current model, also while it rests. Only with aggregation by answers.',
);

const reopen = order(
  'reopen',
  'Continue training after it has ended',
  'Also if the operator, a limit or a stall ended it; limits of rounds and time start again. Not possible once the privacy budget is spent.',
);

const waiting = route({
  on: 'POST /v1/federations/:name/waiting',
  id: 'changeWaiting',
  access: 'operate',
  about: 'Change how long rounds stay open',
  details:
    'From the next round on, also after restarts; the open round keeps its deadline. What is missing stays as it is.',
  body: z.strictObject({ waiting: z.unknown().optional(), maxWaitMs: z.unknown().optional() }),
  describedBody: z.strictObject({
    waiting: z.unknown().optional().meta(TIMING.waiting.schema),
    maxWaitMs: z.unknown().optional().meta(TIMING.maxWaitMs.schema),
  }),
  target: ({ params, body }) => `${params.name} ${JSON.stringify(body)}`,
  answer: stateAnswer,
  errors: ['BAD_OPTIONS'],
  handle: async ({ params, body }, context) => {
    const { state } = context.federation(params.name).host;
    const given = { ...optionsToJson(nextOptions(state)), ...body };
    const { waiting, maxWaitMs } = await asAsked('BAD_OPTIONS', () => parseOptions('body', given));
    await carryOut(context, params.name, (host) => host.order({ timing: { waiting, maxWaitMs } }));
    return stateOf(context, context.federation(params.name));
  },
});

/** As they will be from the next round on. */
function nextOptions({ options, timing }: CoordinatorState): CoordinatorOptions {
  return { ...options, ...timing };
}

const remove = route({
  on: 'DELETE /v1/federations/:name',
  id: 'deleteFederation',
  access: 'admin',
  about: 'Delete a federation with all its data',
  details: `Deletes its model, history, enrolments and invitations permanently. Connections are closed (code ${CLOSE.deleted}); participants keep their own states.`,
  answer: {
    about: 'Deleted',
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
      await carryOut(context, params.name, (host) => host.order(what));
      return stateOf(context, context.federation(params.name));
    },
  });
}

/** Throws the reason where it is refused. */
export async function carryOut(
  context: ServerContext,
  name: string,
  act: (host: FederationHost) => Promise<string | undefined>,
): Promise<void> {
  const { host, storeFailure } = context.federation(name);
  if (storeFailure) throw new ApiError('STORE_FAILED', `federation "${name}": the store is failing`);
  const refusal = await act(host);
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
  waiting,
  remove,
];
