/** The API described as OpenAPI 3.1, made from the very schemas that requests are checked with. */
import { z } from 'zod';
import { ERRORS, type ErrorCode } from './api-error.ts';
import { errorsOf, type Route } from './routes/route.ts';
import { errorBody } from './schemas.ts';

type Json = Record<string, unknown>;

export function openApi(routes: readonly Route[], version: string): Json {
  const paths: Record<string, Json> = {};
  for (const one of routes) {
    const path = openApiPath(one.path);
    paths[path] = { ...paths[path], [one.method.toLowerCase()]: operationOf(one) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Kindred coordinator',
      version: version || '0',
      description:
        'Errors have one form everywhere, {"error": {"code", "message"}}: scripts may match on the code, the message is for people. ' +
        'Paths that are not here answer with 404 NOT_FOUND, other methods with 405 WRONG_METHOD.',
    },
    paths,
    components: {
      securitySchemes: {
        operator: { type: 'http', scheme: 'bearer', description: 'The operator token of the server' },
      },
      schemas: { Error: schemaOf(errorBody, 'output') },
    },
  };
}

/** `/v1/federations/:name` as `/v1/federations/{name}`. */
export function openApiPath(path: string): string {
  return path.replace(/:([a-z]+)/g, '{$1}');
}

function operationOf(one: Route): Json {
  const { id, about, details, body, bodyInWords, method } = one;
  const [, first, second] = one.path.split('/');
  return {
    operationId: id,
    summary: about,
    ...(details && { description: details }),
    tags: [first === 'v1' ? (one.path.split('/')[4] ?? second) : 'service'],
    security: securityOf(one),
    parameters: [...parametersOf(one, 'path'), ...parametersOf(one, 'query')],
    ...(method === 'POST' && body && { requestBody: bodyOf(body, bodyInWords) }),
    responses: { [one.answer.status]: answerOf(one), ...refusalsOf(one) },
  };
}

/** On loopback looking needs no token. */
function securityOf({ access }: Route): Json[] {
  if (access === 'anybody') return [];
  return access === 'look' ? [{ operator: [] }, {}] : [{ operator: [] }];
}

function parametersOf(one: Route, place: 'path' | 'query'): Json[] {
  const schema = place === 'path' ? one.params : one.query;
  if (!schema) return [];
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema: rest,
  }));
}

function bodyOf(body: z.ZodType, inWords = body): Json {
  // Where everything has a default, nothing need be sent.
  const required = !body.safeParse({}).success;
  return { required, content: { 'application/json': { schema: schemaOf(inWords, 'input') } } };
}

function answerOf({ answer: { about, schema, type = 'application/json' } }: Route): Json {
  if (!schema && type === 'application/json') return { description: about };
  const content = { [type]: { schema: schema ? schemaOf(schema, 'output') : { type: 'string' } } };
  return { description: about, content };
}

/** By status, since several codes may share one. */
function refusalsOf(one: Route): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(one)) {
    const [status] = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const entries = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(entries.map(([status, codes]) => [status, refusal(codes)]));
}

function refusal(codes: readonly ErrorCode[]): Json {
  const description = codes.map((code) => `${code}: ${ERRORS[code][1]}`).join(' ');
  const narrowed = { properties: { error: { properties: { code: { enum: codes } } } } };
  const schema = { allOf: [{ $ref: '#/components/schemas/Error' }, narrowed] };
  return { description, content: { 'application/json': { schema } } };
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  return rest;
}
