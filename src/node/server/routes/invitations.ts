/** Invitations: made by the operator, each good for one new participant. */
import { z } from 'zod';
import { ApiError } from '../api-error.ts';
import { inFederation, participantId, timeMs } from '../schemas.ts';
import { type Route, route } from './route.ts';

const MOST_AT_ONCE = 1000;
const LONGEST_MS = 100 * 365 * 24 * 3600 * 1000;
/** Enough of a digest to tell invitations apart. */
const SHOWN_DIGITS = 12;

const wanted = z.strictObject({
  participant: participantId.optional().describe('Only this one may use it; default: whoever comes with it'),
  count: z.number().int().min(1).max(MOST_AT_ONCE).default(1),
  lifetimeMs: z.number().positive().max(LONGEST_MS).optional().describe('Default: no end'),
});

const invite = route({
  method: 'POST',
  path: '/v1/federations/:name/invitations',
  id: 'invite',
  access: 'operator',
  about: 'Make invitations',
  details: 'The tokens are told here and nowhere else: the server keeps only their digests.',
  params: inFederation,
  body: wanted,
  answer: {
    status: 201,
    about: 'One token for each',
    schema: z.strictObject({
      invitations: z.array(
        z.strictObject({
          token: z.string(),
          participant: z.string().optional(),
          expiresMs: timeMs.optional(),
        }),
      ),
    }),
  },
  errors: ['NAME_TAKEN'],
  handle: async ({ params, body }, context) => {
    const { name } = context.federation(params.name);
    if (body.participant !== undefined && body.count > 1) {
      throw new ApiError('BAD_REQUEST', `body.count: expected 1 for one participant, got ${body.count}`);
    }
    return { invitations: await context.door.invite(name, body) };
  },
});

const list = route({
  method: 'GET',
  path: '/v1/federations/:name/invitations',
  id: 'listInvitations',
  access: 'look',
  about: 'All invitations, used or not',
  params: inFederation,
  answer: {
    status: 200,
    about: 'Oldest first; never the tokens',
    schema: z.strictObject({
      invitations: z.array(
        z.strictObject({
          digest: z.string().describe(`First ${SHOWN_DIGITS} hex digits of the SHA-256 of the token`),
          participant: z.string().nullable().describe('null: for whoever comes with it'),
          createdMs: timeMs,
          expiresMs: timeMs.nullable(),
          usedBy: z.string().nullable(),
        }),
      ),
    }),
  },
  handle: async ({ params }, context) => {
    const all = await context.store.invitations(context.federation(params.name).name);
    const invitations = all.map(({ digest, participant, createdMs, expiresMs, usedBy }) => ({
      digest: digest.slice(0, SHOWN_DIGITS),
      participant: participant ?? null,
      createdMs,
      expiresMs: expiresMs ?? null,
      usedBy: usedBy ?? null,
    }));
    return { invitations };
  },
});

export const INVITATION_ROUTES: readonly Route[] = [invite, list];
