/** The description of the API: complete, and valid as far as it can be checked without a library for it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { ERRORS } from '../../../src/node/server/api-error.ts';
import { addRoutes, newApp } from '../../../src/node/server/app.ts';
import { DEFAULT_LIMITS_OF_SERVER } from '../../../src/node/server/limits.ts';
import { openApiPath } from '../../../src/node/server/openapi.ts';
import { ALL_PAGES } from '../../../src/node/server/pages.ts';
import { ROUTES } from '../../../src/node/server/routes/all.ts';
import { errorsOf } from '../../../src/node/server/routes/route.ts';
import { goodAnswer } from '../../helpers/answers.ts';
import { operate, ServerTest } from '../../helpers/server.ts';

type Json = Record<string, unknown>;
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly { name: string; in: string; required: boolean; schema: Json }[];
  readonly requestBody?: { required: boolean; content: Record<string, { schema: Json }> };
  readonly responses: Record<string, { description: string; content?: Record<string, { schema: Json }> }>;
}

const servers = new ServerTest();
const registered: string[] = [];
const app = newApp({
  limits: DEFAULT_LIMITS_OF_SERVER,
  log: pino({ level: 'silent' }),
  tls: undefined,
  onRefused: () => {},
});
/** Pages and files for people. */
const hidden: string[] = [];
app.addHook('onRoute', ({ method, url, schema }) => {
  const list = schema?.hide ? hidden : registered;
  for (const one of [method].flat()) list.push(`${one} ${openApiPath(url)}`);
});
addRoutes(app, { version: '1.2.3', limits: DEFAULT_LIMITS_OF_SERVER } as never, {
  routes: ROUTES,
  pages: ALL_PAGES,
});
await app.ready();
const document = app.swagger() as unknown as Json;
await app.close();
const paths = document.paths as Record<string, Record<string, Operation>>;
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

test('every route that is registered is described, and the other way round', () => {
  const described = operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`);
  // Fastify makes a HEAD of every GET; @fastify/cors takes every preflight, and hides that.
  const heads = described.filter((one) => one.startsWith('GET ')).map((one) => one.replace('GET', 'HEAD'));
  expect(registered.sort()).toEqual([...described, ...heads].sort());
  expect(hidden).toContain('GET /authority.crt');
  expect(hidden.filter((one) => one.includes('/v1/'))).toEqual([]);
});

test('is what the server gives', async () => {
  const server = await servers.start();
  expect(goodAnswer('getDescription', await operate(server, '/v1/openapi.json'))).toEqual(
    JSON.parse(JSON.stringify(document)),
  );
});

test('every code that can be thrown is in the table, and every route lists its own', () => {
  const text = JSON.stringify(document);
  for (const code of Object.keys(ERRORS)) expect(text, code).toContain(code);
  for (const { path, method, operation } of operations) {
    const route = ROUTES.find(
      (one) => openApiPath(one.path) === path && one.method.toLowerCase() === method,
    )!;
    for (const code of errorsOf(route)) {
      const [status] = ERRORS[code];
      expect(operation.responses[status].description).toContain(code);
    }
  }
});

test('no refusal is made of a code by hand', () => {
  const folder = new URL('../../../src/node/server/', import.meta.url).pathname;
  for (const name of readdirSync(folder, { recursive: true }) as string[]) {
    if (!name.endsWith('.ts')) continue;
    const used = readFileSync(join(folder, name), 'utf8').matchAll(/new ApiError\(\s*'([A-Z_]+)'/g);
    for (const [, code] of used) expect(ERRORS).toHaveProperty(code);
  }
});

test('a body is required unless everything in it has a default', () => {
  const required = operations
    .filter(({ operation }) => operation.requestBody)
    .map(({ operation }) => [operation.operationId, operation.requestBody!.required]);
  expect(Object.fromEntries(required)).toEqual({
    addToken: true,
    rotateToken: false,
    createFederation: true,
    changeWaiting: false,
    invite: false,
    allowParticipant: true,
    getChallenge: false,
    openSession: true,
    predictShared: true,
    predict: true,
    evaluate: true,
    personalise: true,
  });
});

test('is an OpenAPI 3.1 document: what must be there is there, and is of its kind', () => {
  expect(document.openapi).toMatch(/^3\.1\.\d+$/);
  expect(document.info).toMatchObject({ title: expect.any(String), version: '1.2.3' });
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { path, operation } of operations) {
    const { parameters = [] } = operation;
    expect(path).toMatch(/^\//);
    expect(operation.summary).toMatch(/\S/);
    const named = [...path.matchAll(/\{([a-z]+)\}/g)].map(([, name]) => name);
    const inPath = parameters.filter((one) => one.in === 'path');
    expect(inPath.map(({ name }) => name).sort()).toEqual(named.sort());
    for (const one of parameters) {
      expect(['path', 'query']).toContain(one.in);
      if (one.in === 'path') expect(one.required).toBe(true);
      checkSchema(one.schema);
    }
    expect(Object.keys(operation.responses).length).toBeGreaterThan(1);
    for (const [status, response] of Object.entries(operation.responses)) {
      expect(status).toMatch(/^[1-5]\d\d$/);
      expect(response.description).toMatch(/\S/);
      for (const { schema } of Object.values(response.content ?? {})) checkSchema(schema);
    }
    for (const { schema } of Object.values(operation.requestBody?.content ?? {})) checkSchema(schema);
  }
});

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

/** A JSON schema whose types exist and whose references lead somewhere. */
function checkSchema(schema: Json): void {
  expect(schema).not.toHaveProperty('$schema');
  const { type, $ref, properties, items, additionalProperties, allOf, anyOf, oneOf } = schema as {
    type?: string | string[];
    $ref?: string;
    properties?: Record<string, Json>;
    items?: Json;
    additionalProperties?: Json | boolean;
    allOf?: Json[];
    anyOf?: Json[];
    oneOf?: Json[];
  };
  for (const one of [type ?? []].flat()) expect(TYPES).toContain(one);
  if ($ref) {
    const found = $ref
      .slice(2)
      .split('/')
      .reduce<unknown>((at, name) => (at as Json)?.[name], document);
    expect($ref).toMatch(/^#\//);
    expect(found).toBeDefined();
  }
  for (const inner of Object.values(properties ?? {})) checkSchema(inner);
  for (const inner of [...(allOf ?? []), ...(anyOf ?? []), ...(oneOf ?? [])]) checkSchema(inner);
  if (items) checkSchema(items);
  if (typeof additionalProperties === 'object') checkSchema(additionalProperties);
}

test('docs/server.md has every route, and who may ask', () => {
  const text = readFileSync(new URL('../../../docs/server.md', import.meta.url), 'utf8');
  for (const { method, path, access } of ROUTES)
    expect(text).toContain(`| \`${method} ${path}\` | ${access} |`);
});
