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
const role = z.enum(ROLES).describe('What it may do; each may do what those before it may');

const tokenView = {
  name: z.string(),
  role,
  createdMs: timeMs,
  expiresMs: timeMs.nullable().describe('null: never'),
  previousUntilMs: timeMs.nullable().describe('Until when the token before the last rotation is valid'),
};
const oneToken = z.strictObject(tokenView);
const newToken = z.strictObject({ ...tokenView, token: z.string() });

function viewOf({ name, role, createdMs, expiresMs, previous }: TokenRecord) {
  const previousUntilMs = previous?.untilMs ?? null;
  return { name, role, createdMs, expiresMs: expiresMs ?? null, previousUntilMs };
}

const list = route({
  on: 'GET /v1/tokens',
  id: 'listTokens',
  access: 'admin',
  about: 'Tokens of the API beside the one in the operator’s file',
  answer: { about: 'By name; never the tokens', schema: z.strictObject({ tokens: z.array(oneToken) }) },
  handle: (_, { tokens }) => ({ tokens: tokens.list().map(viewOf) }),
});

const add = route({
  on: 'POST /v1/tokens',
  id: 'addToken',
  access: 'admin',
  about: 'Make a token',
  details: 'The token is in this answer and nowhere else: the server keeps only a salted digest.',
  body: z.strictObject({
    name,
    role,
    lifetimeMs: z.number().positive().max(LONGEST_MS).optional().describe('Default: no end'),
  }),
  target: ({ body }) => `${body.name}, role ${body.role}`,
  answer: { status: 201, about: 'Valid from now on', schema: newToken },
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
  about: 'Replace a token by a new one of the same name and role',
  body: z.strictObject({
    overlapMs: z
      .number()
      .min(0)
      .max(LONGEST_OVERLAP_MS)
      .default(0)
      .describe('How long the old one stays valid'),
  }),
  answer: { about: 'The new one', schema: newToken },
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
  about: 'Make a token invalid, at once',
  answer: { about: 'It is gone', schema: z.strictObject({ removed: z.string() }) },
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
  about: 'What operators have done, and what was refused',
  details: 'A chain of hashes: `kindred audit-log verify` checks it.',
  query: z.strictObject({
    after: z.coerce.number().int().min(0).default(0).describe('Number of the last entry that is known'),
    limit: z.coerce.number().int().min(1).max(PAGE).default(PAGE),
  }),
  answer: { about: 'JSON lines, oldest first', type: 'application/x-ndjson' },
  handle: async ({ query }, { store, audit }) => {
    await audit.flushed();
    const lines = await store.auditLines(query.after, query.limit);
    return lines.map(({ line }) => `${line}\n`).join('');
  },
});

export const TOKEN_ROUTES: readonly Route[] = [list, add, rotate, remove, auditLog];
