/** How a participant gets in: a challenge, a signature, a ticket for one connection (protocol/joining.ts). */
import { z } from 'zod';
import { SUBPROTOCOL, TICKET_PREFIX } from '../../../protocol/joining.ts';
import { PROTOCOL_VERSION } from '../../../protocol/messages.ts';
import { ApiError } from '../api-error.ts';
import { inFederation, participantId, publicKey } from '../schemas.ts';
import { type Route, route } from './route.ts';

const sessionRequest = z.strictObject({
  participant: participantId,
  key: publicKey,
  challenge: z.string().max(200),
  schema: z.string().regex(/^[0-9a-f]{64}$/, 'expected a SHA-256 digest in hex'),
  features: z.array(z.string().max(1000)).max(10_000).optional(),
  invitation: z.string().max(200).optional(),
  signature: z.string().regex(/^[A-Za-z0-9_-]{86}$/, 'expected 64 bytes as base64url without padding'),
});

const challenge = route({
  method: 'POST',
  path: '/v1/federations/:name/challenge',
  id: 'getChallenge',
  access: 'anybody',
  about: 'Joining, step 1: something to sign',
  params: inFederation,
  answer: {
    status: 200,
    about: 'Good for a minute, once',
    schema: z.strictObject({
      challenge: z.string(),
      federation: z.strictObject({ name: z.string(), id: z.string() }),
      protocol: z.number(),
    }),
  },
  handle: ({ params }, context) => {
    const { record } = context.federation(params.name);
    const federation = { name: record.name, id: record.id };
    return { challenge: context.door.challenge(record), federation, protocol: PROTOCOL_VERSION };
  },
});

const session = route({
  method: 'POST',
  path: '/v1/federations/:name/session',
  id: 'openSession',
  access: 'anybody',
  about: 'Joining, step 2: a signature for a ticket',
  details:
    'What is signed is in src/protocol/joining.ts and PROTOCOL.md. Enrols a new name where that is allowed.',
  params: inFederation,
  body: sessionRequest,
  answer: {
    status: 200,
    about: 'Good for half a minute, for one connection',
    schema: z.strictObject({ ticket: z.string() }),
  },
  errors: [
    'CHALLENGE_EXPIRED',
    'BAD_SIGNATURE',
    'REVOKED',
    'NAME_TAKEN',
    'INVITATION_NEEDED',
    'INVITATION_INVALID',
    'WRONG_FEATURES',
  ],
  handle: async ({ params, body }, context) => {
    const federation = context.federation(params.name);
    return { ticket: await context.door.admit(federation.record, body, () => federation.isEmpty) };
  },
});

const connect = route({
  method: 'GET',
  path: '/v1/federations/:name/connect',
  id: 'connect',
  access: 'anybody',
  about: 'Joining, step 3: the WebSocket of a participant',
  details: `Offer the subprotocols ${SUBPROTOCOL} and ${TICKET_PREFIX}<ticket>; answered with 101, and frames of PROTOCOL.md from then on.`,
  params: inFederation,
  answer: { status: 200, about: 'Never: without an upgrade it is refused' },
  errors: ['UPGRADE_NEEDED', 'BAD_VERSION', 'TICKET_INVALID'],
  handle: (_, __, reply) => {
    reply.header('upgrade', 'websocket');
    throw new ApiError('UPGRADE_NEEDED', 'connect: expected a WebSocket, got a plain request');
  },
});

export const DOOR_ROUTES: readonly Route[] = [challenge, session, connect];
