/** Tokens of the operator's API, and the audit log of what was done with them. */
import { z } from 'zod';
import { ROLES, type TokenRecord } from '../../../host/ports.ts';
import { timeMs } from '../schemas.ts';
import { type Route, route } from './route.ts';

const LONGEST_MS = 100 * 365 * 24 * 3600 * 1000;
const LONGEST_OVERLAP_MS = 90 * 24 * 3600 * 1000;
const PAGE = 1000;

const name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'expected letters, digits, ".", "_" and "-", at most 64')
  .describe('Name of a token');
const role = z.enum(ROLES).describe('Permissions; each role includes those before it');

const tokenView = {
  name: z.string(),
  role,
  createdMs: timeMs,
  expiresMs: timeMs.nullable().describe('null if it never expires'),
  previousUntilMs: timeMs.nullable().describe('End of validity of the token before the last rotation'),
};
const oneToken = z.strictObject(tokenView);
const newToken = z.strictObject({ ...tokenView, token: z.string() });

function viewOf({ name, role, createdMs, expiresMs, previous }: TokenRecord) {
  const previousUntilMs = previous?.untilMs ?? null;
  return { name, role, createdMs, expiresMs: expiresMs ?? null, previousUntilMs };
}

const whoAmI = route({
  on: 'GET /v1/whoami',
  id: 'whoAmI',
  access: 'anybody',
  about: 'Name and role of the token that the request has',
  details: 'Without a token the name is null, and the role is read on loopback and null elsewhere.',
  answer: {
    about: 'What may be done with it',
    schema: z.strictObject({ name: z.string().nullable(), role: role.nullable() }),
  },
  errors: ['WRONG_TOKEN'],
  handle: (_, { access }, reply) => {
    const { name, role } = access.whoAsks(reply.request.raw);
    return { name, role };
  },
});

const list = route({
  on: 'GET /v1/tokens',
  id: 'listTokens',
  access: 'admin',
  about: 'List API tokens, except the one in the operator token file',
  answer: { about: 'By name, without the secrets', schema: z.strictObject({ tokens: z.array(oneToken) }) },
  handle: (_, { tokens }) => ({ tokens: tokens.list().map(viewOf) }),
});

const add = route({
  on: 'POST /v1/tokens',
  id: 'addToken',
  access: 'admin',
  about: 'Create a token',
  details: 'Only this response contains the token: the server stores only a salted digest.',
  body: z.strictObject({
    name,
    role,
    lifetimeMs: z.number().positive().max(LONGEST_MS).optional().describe('Default: never expires'),
  }),
  target: ({ body }) => `${body.name}, role ${body.role}`,
  answer: { status: 201, about: 'The new token', schema: newToken },
  errors: ['NAME_TAKEN', 'FULL'],
  handle: async ({ body }, { tokens }) => {
    const { token, record } = await tokens.add(body);
    return { ...viewOf(record), token };
  },
});

const rotate = route({
  on: 'POST /v1/tokens/:token/rotate',
  id: 'rotateToken',
  access: 'admin',
  about: 'Replace a token with a new one of the same name and role',
  body: z.strictObject({
    overlapMs: z
      .number()
      .min(0)
      .max(LONGEST_OVERLAP_MS)
      .default(0)
      .describe('How long the old token stays valid'),
  }),
  answer: { about: 'The new token', schema: newToken },
  errors: ['NO_SUCH_TOKEN', 'REFUSED'],
  handle: async ({ params, body }, { tokens }) => {
    const { token, record } = await tokens.rotate(params.token, body.overlapMs);
    return { ...viewOf(record), token };
  },
});

const remove = route({
  on: 'POST /v1/tokens/:token/remove',
  id: 'removeToken',
  access: 'admin',
  about: 'Invalidate a token immediately',
  answer: { about: 'Removed', schema: z.strictObject({ removed: z.string() }) },
  errors: ['NO_SUCH_TOKEN', 'REFUSED'],
  handle: async ({ params }, { tokens }) => {
    await tokens.remove(params.token);
    return { removed: params.token };
  },
});

const auditLog = route({
  on: 'GET /v1/audit-log',
  id: 'getAuditLog',
  access: 'admin',
  about: 'Audit log: actions of operators, and refusals',
  details: 'A hash chain; `kindred audit-log verify` checks it.',
  query: z.strictObject({
    after: z.coerce.number().int().min(0).default(0).describe('Number of the last known entry'),
    limit: z.coerce.number().int().min(1).max(PAGE).default(PAGE),
  }),
  answer: { about: 'JSON lines, oldest first', type: 'application/x-ndjson' },
  handle: async ({ query }, { store, audit }) => {
    await audit.flushed();
    const lines = await store.auditLines(query.after, query.limit);
    return lines.map(({ line }) => `${line}\n`).join('');
  },
});

export const TOKEN_ROUTES: readonly Route[] = [whoAmI, list, add, rotate, remove, auditLog];
