/** How a participant gets in: a challenge, a signature, a ticket for one connection (protocol/joining.ts). */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { PROTOCOL_VERSION } from '../../../protocol/index.ts';
import { parsed } from '../checked.ts';
import type { ServerContext } from '../context.ts';

const MAX_ID_BYTES = 200;

export const participantId = z
  .string()
  .min(1)
  .refine((id) => Buffer.byteLength(id) <= MAX_ID_BYTES, `expected at most ${MAX_ID_BYTES} bytes`)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is they that are refused
  .refine((id) => !/[\u0000-\u001f\u007f]/.test(id), 'expected no control characters');

export const publicKey = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, 'expected 32 bytes as base64url without padding');

const sessionRequest = z.strictObject({
  participant: participantId,
  key: publicKey,
  challenge: z.string().max(200),
  schema: z.string().regex(/^[0-9a-f]{64}$/, 'expected a SHA-256 digest in hex'),
  features: z.array(z.string().max(1000)).max(10_000).optional(),
  invitation: z.string().max(200).optional(),
  signature: z.string().regex(/^[A-Za-z0-9_-]{86}$/, 'expected 64 bytes as base64url without padding'),
});

export function addDoorRoutes(app: FastifyInstance, context: ServerContext): void {
  const { door } = context;
  app.post<{ Params: { name: string } }>('/v1/federations/:name/challenge', (request) => {
    const { record } = context.federation(request.params.name);
    const federation = { name: record.name, id: record.id };
    return { challenge: door.challenge(record), federation, protocol: PROTOCOL_VERSION };
  });
  app.post<{ Params: { name: string } }>('/v1/federations/:name/session', (request) => {
    const { record, host } = context.federation(request.params.name);
    const asked = parsed(sessionRequest, request.body);
    const nobodyYet = host.state.members.size === 0;
    return { ticket: door.admit(record, asked, nobodyYet) };
  });
}
