/** The API described as OpenAPI 3.1, made from the very schemas that requests are checked with. */
import { fastifySwagger } from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ERRORS, type ErrorCode } from './api-error.ts';
import { errorsOf, type Route } from './routes/route.ts';
import { errorBody } from './schemas.ts';

type Json = Record<string, unknown>;

const DESCRIPTION =
  'All errors have the form {"error": {"code", "message"}}. Codes are stable; messages are for people and may change. ' +
  'Unknown paths are answered with 404 NOT_FOUND, other methods with 405 WRONG_METHOD.';

/** Describes the routes that are registered after it. */
export function describeRoutes(app: FastifyInstance, version: string, routes: readonly Route<never>[]): void {
  app.addSchema({ $id: 'Error', ...schemaOf(errorBody, 'output') });
  app.register(fastifySwagger, {
    convertConstToEnum: false,
    refResolver: { buildLocalReference: ({ $id }) => String($id) },
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Kindred coordinator', version: version || '0', description: DESCRIPTION },
      components: {
        securitySchemes: {
          operator: {
            type: 'http',
            scheme: 'bearer',
            description: 'An operator token; each operation names the required role',
          },
        },
      },
    },
    transformObject: (document) => {
      if ('swaggerObject' in document) return document.swaggerObject;
      const { openapiObject } = document;
      // The plugin marks every body as required; where everything has a default, nothing need be sent.
      for (const { path, body } of routes) {
        const described = openapiObject.paths?.[openApiPath(path)]?.post?.requestBody;
        if (described && body?.safeParse({}).success) Object.assign(described, { required: false });
      }
      return openapiObject;
    },
  });
}

/** `/v1/federations/:name` as `/v1/federations/{name}`. */
export function openApiPath(path: string): string {
  return path.replace(/:([a-z]+)/g, '{$1}');
}

export function operationOf(one: Route<never>): Json {
  const { id, about, details, params, query, body, describedBody = body, method } = one;
  const [, first, second, , third = second] = one.path.split('/');
  return {
    operationId: id,
    summary: about,
    ...(details && { description: details }),
    tags: [first === 'v1' ? third : 'service'],
    security: securityOf(one),
    ...(params && { params: schemaOf(params, 'input') }),
    ...(query && { querystring: schemaOf(query, 'input') }),
    ...(method === 'POST' && describedBody && { body: schemaOf(describedBody, 'input') }),
    response: { [one.answer.status ?? 200]: answerOf(one), ...refusalsOf(one) },
  };
}

/** On loopback reading needs no token. */
function securityOf({ access }: Route<never>): Json[] {
  if (access === 'anybody') return [];
  return access === 'read' ? [{ operator: [access] }, {}] : [{ operator: [access] }];
}

function answerOf({ answer: { about, schema, type = 'application/json' } }: Route): Json {
  if (!schema && type === 'application/json') return { description: about, type: 'null' };
  const content = { [type]: { schema: schema ? schemaOf(schema, 'output') : { type: 'string' } } };
  return { description: about, content };
}

/** By status, since several codes may share one. */
function refusalsOf(one: Route<never>): Json {
  const byStatus: Record<number, ErrorCode[]> = {};
  for (const code of errorsOf(one)) (byStatus[ERRORS[code][0]] ??= []).push(code);
  return Object.fromEntries(Object.entries(byStatus).map(([status, codes]) => [status, refusal(codes)]));
}

function refusal(codes: readonly ErrorCode[]): Json {
  const description = codes.map((code) => `${code}: ${ERRORS[code][1]}`).join(' ');
  const narrowed = { properties: { error: { properties: { code: { enum: codes } } } } };
  const schema = { allOf: [{ $ref: 'Error#' }, narrowed] };
  return { description, content: { 'application/json': { schema } } };
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  return rest;
}
