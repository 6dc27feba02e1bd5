/**
 * How a participant gets in: an invitation of the operator for a new name, a challenge, a signature, a ticket for one connection
 * (protocol/joining.ts).
 */
import { z } from 'zod';
import { SUBPROTOCOL, TICKET_PREFIX } from '../../../protocol/joining.ts';
import { ApiError } from '../api-error.ts';
import { participantId, publicKey, timeMs } from '../schemas.ts';
import { type AppContext, type Route, route } from './route.ts';

const MOST_AT_ONCE = 1000;
const LONGEST_MS = 100 * 365 * 24 * 3600 * 1000;
/** Enough of a digest to tell invitations apart. */
const SHOWN_DIGITS = 12;

const wanted = z.strictObject({
  participant: participantId
    .optional()
    .describe('Participant that may use it; default: anyone who has the token'),
  count: z.number().int().min(1).max(MOST_AT_ONCE).default(1),
  lifetimeMs: z.number().positive().max(LONGEST_MS).optional().describe('Default: never expires'),
});

const invite = route({
  on: 'POST /v1/federations/:name/invitations',
  id: 'invite',
  access: 'operate',
  about: 'Create invitations',
  details: 'Only this response contains the tokens: the server stores only their digests.',
  body: wanted,
  answer: {
    status: 201,
    about: 'One token per invitation',
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
  target: ({ params, body }) => [params.name, body.participant ?? `${body.count} for anyone`].join(' '),
  errors: ['NAME_TAKEN'],
  handle: async ({ params, body }, context) => {
    const { name } = context.federation(params.name);
    if (body.participant !== undefined && body.count > 1) {
      throw new ApiError('BAD_REQUEST', `body.count: expected 1 for one participant, got ${body.count}`);
    }
    return { invitations: await context.admission.invite(name, body) };
  },
});

const listInvitations = route({
  on: 'GET /v1/federations/:name/invitations',
  id: 'listInvitations',
  access: 'read',
  about: 'List all invitations, used or not',
  answer: {
    about: 'Oldest first, without the tokens',
    schema: z.strictObject({
      invitations: z.array(
        z.strictObject({
          digest: z.string().describe(`First ${SHOWN_DIGITS} hex digits of the SHA-256 of the token`),
          participant: z.string().nullable().describe('null: for anyone who has the token'),
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

export const sessionRequest = z.strictObject({
  participant: participantId,
  key: publicKey,
  challenge: z.string().max(200),
  server: z.string().max(500).describe('Origin that the participant connects to: https://example.org:7070'),
  schema: z.string().regex(/^[0-9a-f]{64}$/, 'expected a SHA-256 digest in hex'),
  features: z.array(z.string().max(1000)).max(10_000).optional(),
  invitation: z.string().max(200).optional(),
  agent: z
    .string()
    .regex(/^[ -~]{1,100}$/, 'expected 1 to 100 printable ASCII characters')
    .optional()
    .describe('Program and version of the participant, for people: kindred 1.2.3 node'),
  signature: z.string().regex(/^[A-Za-z0-9_-]{86}$/, 'expected 64 bytes as base64url without padding'),
});

const named = z.strictObject({ name: z.string(), id: z.string() });

/** No names of columns, classes or people: those are for members. */
const announce = route({
  on: 'GET /v1/federations/:name/announcement',
  id: 'getAnnouncement',
  access: 'anybody',
  about: 'What anybody may know about a federation before joining it',
  answer: {
    about: 'How participants enrol, and what the server will be able to see of their contributions',
    schema: z.strictObject({
      federation: named,
      protocol: z.number(),
      enrolment: z.enum(['open', 'invitation']),
      objective: z.enum(['classification', 'regression']),
      columns: z.enum(['exact', 'union']).describe('Whether all participants must have the same columns'),
      secure: z.boolean().describe('Secure aggregation: the server sees only sums'),
      dp: z
        .strictObject({ epsilon: z.number(), delta: z.number() })
        .nullable()
        .describe('Budget of differential privacy; null: none'),
    }),
  },
  errors: ['NO_ROOT'],
  handle: ({ params }, { door }: AppContext) => door.announcement(params.name),
});

const challenge = route({
  on: 'POST /v1/federations/:name/challenge',
  id: 'getChallenge',
  access: 'anybody',
  about: 'Joining, step 1: request a challenge to sign',
  details: 'A client of another protocol version than that of the response waits until one side is updated.',
  body: z.strictObject({
    protocol: z.number().int().min(1).max(255).optional().describe('Version that the client speaks'),
  }),
  answer: {
    about: 'Valid once, for a minute',
    schema: z.strictObject({
      challenge: z.string(),
      federation: named,
      protocol: z.number(),
    }),
  },
  errors: ['NO_ROOT'],
  handle: ({ params, body }, { door }: AppContext) => door.challenge(params.name, body.protocol),
});

const session = route({
  on: 'POST /v1/federations/:name/session',
  id: 'openSession',
  access: 'anybody',
  about: 'Joining, step 2: exchange a signature for a ticket',
  details:
    'src/protocol/joining.ts and PROTOCOL.md define what is signed. Enrols a new participant where that is allowed.',
  body: sessionRequest,
  answer: {
    about: 'Valid for half a minute, for one connection',
    schema: z.strictObject({ ticket: z.string() }),
  },
  errors: [
    'BAD_KEY',
    'BAD_NAME',
    'WRONG_SERVER',
    'FULL',
    'TOO_MANY',
    'CHALLENGE_EXPIRED',
    'BAD_SIGNATURE',
    'REVOKED',
    'NAME_TAKEN',
    'INVITATION_NEEDED',
    'INVITATION_INVALID',
    'WRONG_FEATURES',
    'NO_ROOT',
  ],
  handle: ({ params, body }, { door }: AppContext, reply) =>
    door.session(params.name, body, reply.request.raw.socket),
});

const connect = route({
  on: 'GET /v1/federations/:name/connect',
  id: 'connect',
  access: 'anybody',
  about: 'Joining, step 3: the WebSocket of a participant',
  details: `Offer the subprotocols ${SUBPROTOCOL} and ${TICKET_PREFIX}<ticket>; the response is 101, followed by the frames of PROTOCOL.md.`,
  answer: { about: 'Never: requests without an upgrade are refused' },
  errors: ['UPGRADE_NEEDED', 'BAD_VERSION', 'TICKET_INVALID', 'NO_ROOT'],
  handle: (_, __: AppContext, reply) => {
    reply.header('upgrade', 'websocket');
    throw new ApiError('UPGRADE_NEEDED', 'connect: expected a WebSocket, got a plain request');
  },
});

/** For those who want to take part: a gateway has them, too. */
export const DOOR_ROUTES: readonly Route<AppContext>[] = [announce, challenge, session, connect];

export const ADMISSION_ROUTES: readonly Route[] = [invite, listInvitations, ...DOOR_ROUTES];
