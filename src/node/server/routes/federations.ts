/** Federations: which there are, how they are, and what the operator may do with them. */
import { z } from 'zod';
import { optionsSchema, parseOptions } from '../../../coordinator/options-schema.ts';
import type { Order } from '../../host/federation-host.ts';
import { ApiError, asAsked } from '../api-error.ts';
import type { ServerContext } from '../context.ts';
import { briefOf, federationBrief, federationState, stateOf } from '../federation-view.ts';
import { inFederation } from '../schemas.ts';
import { type Route, route } from './route.ts';

const newFederation = z.strictObject({
  name: z.string().describe('1 to 100 letters, digits, ".", "_" and "-", beginning with a letter or digit'),
  /** Checked by `parseOptions`, which says better what is wrong with them. */
  options: z.unknown().optional(),
});
const describedFederation = newFederation.extend({
  options: optionsSchema.optional().describe('Those that are not given have their defaults'),
});

const stateAnswer = { status: 200, about: 'The federation as it is now', schema: federationState } as const;

const list = route({
  method: 'GET',
  path: '/v1/federations',
  id: 'listFederations',
  access: 'look',
  about: 'All federations of the server',
  answer: {
    status: 200,
    about: 'By name',
    schema: z.strictObject({ federations: z.array(federationBrief) }),
  },
  handle: (_, { federations }) => ({
    federations: [...federations.values()].map(briefOf).sort((a, b) => (a.name < b.name ? -1 : 1)),
  }),
});

const create = route({
  method: 'POST',
  path: '/v1/federations',
  id: 'createFederation',
  access: 'operator',
  about: 'Make a federation',
  body: newFederation,
  describedBody: describedFederation,
  answer: { status: 201, about: 'It takes participants from now on', schema: federationState },
  errors: ['BAD_NAME', 'BAD_OPTIONS', 'NAME_TAKEN'],
  handle: ({ body: { name, options } }, context) => {
    const parsed = asAsked('BAD_OPTIONS', () => parseOptions('options', options ?? {}));
    return stateOf(
      context,
      asAsked('BAD_OPTIONS', () => context.create(name, parsed)),
    );
  },
});

const show = route({
  method: 'GET',
  path: '/v1/federations/:name',
  id: 'getFederation',
  access: 'look',
  about: 'How a federation is',
  params: inFederation,
  answer: stateAnswer,
  handle: ({ params }, context) => stateOf(context, context.federation(params.name)),
});

const pause = order('pause', 'Close no round until it goes on', 'No deadline passes while it is paused.');
const resume = order('resume', 'Go on after a pause');
const finish = order('finish', 'End the training', 'Everybody is told, and keeps the model there is.');
const recount = order(
  'recount',
  'Ask everybody again',
  'All answers so far are dropped, and training goes on, also after a rest, from the model in use. Only where training goes by answers.',
);

function order(what: Exclude<Order, object>, about: string, details?: string): Route {
  return route({
    method: 'POST',
    path: `/v1/federations/:name/${what}`,
    id: `${what}Federation`,
    access: 'operator',
    about,
    ...(details && { details }),
    params: inFederation,
    answer: stateAnswer,
    errors: ['REFUSED'],
    handle: ({ params }, context) => {
      carryOut(context, params.name, what);
      return stateOf(context, context.federation(params.name));
    },
  });
}

/** Throws what the machine says where it cannot be. */
export function carryOut(context: ServerContext, name: string, what: Order): void {
  const { host, trouble } = context.federation(name);
  if (trouble)
    throw new ApiError('STORE_FAILED', `federation "${name}": the store takes nothing at the moment`);
  const refusal = host.order(what);
  if (refusal !== undefined) throw new ApiError('REFUSED', refusal);
}

export const FEDERATION_ROUTES: readonly Route[] = [list, create, show, pause, resume, finish, recount];
