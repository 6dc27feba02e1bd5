/** Random bodies, parameters and queries for every operation of the API description: each is answered, none with a failure of the server. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEFAULT_OPTIONS } from '../../../src/coordinator/options.ts';
import { ERRORS } from '../../../src/node/server/api-error.ts';
import { ask, type Heard } from '../../helpers/http.ts';
import { operate, ServerTest } from '../../helpers/server.ts';

const servers = new ServerTest();

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> };
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly type?: string;
  readonly enum?: readonly unknown[];
}

const ODD_TEXT = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    '',
    '..',
    '../x',
    '__proto__',
    'constructor',
    'default',
    '\u0000',
    '\ud800',
    'x'.repeat(700),
    '%00',
    'NaN',
    '-1',
    '1e400',
  ),
);
const ODD_VALUE = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  ODD_TEXT,
  fc.constantFrom(
    -1,
    0,
    1,
    0.5,
    2 ** 53,
    1e308,
    null,
    true,
    [],
    {},
    'A'.repeat(43),
    '0'.repeat(64),
    'A'.repeat(86),
  ),
);

/** Mostly the fields of the schema, with values that are of their type or anything else. */
function bodyFor(schema: Schema, depth = 0): fc.Arbitrary<unknown> {
  const { properties, type, enum: values } = schema;
  if (properties && depth < 4) {
    const fields = Object.fromEntries(
      Object.entries(properties).map(([name, inner]) => [
        name,
        fc.option(bodyFor(inner, depth + 1), { nil: undefined }),
      ]),
    );
    const known = fc.record(fields);
    return fc.oneof(
      { weight: 8, arbitrary: known },
      { weight: 1, arbitrary: ODD_VALUE },
      {
        weight: 1,
        arbitrary: fc.tuple(known, fc.dictionary(ODD_TEXT, ODD_VALUE)).map(([a, b]) => ({ ...a, ...b })),
      },
    );
  }
  const typical: fc.Arbitrary<unknown> = values
    ? fc.constantFrom(...values)
    : type === 'number' || type === 'integer'
      ? fc.oneof(fc.double(), fc.integer({ min: 0, max: 10 }))
      : type === 'boolean'
        ? fc.boolean()
        : ODD_TEXT;
  return fc.oneof({ weight: 5, arbitrary: typical }, { weight: 1, arbitrary: ODD_VALUE });
}

function expectAnswer(heard: Heard, about: string): void {
  expect(heard.status, `${about} ${heard.text}`).toBeLessThan(500);
  if (heard.status < 400) return;
  const { error } = heard.json as { error: { code: keyof typeof ERRORS } };
  expect(ERRORS[error.code][0], about).toBe(heard.status);
}

test('no operation answers any request with a failure of the server', async () => {
  const server = await servers.start();
  const { paths } = (await operate(server, '/v1/openapi.json')).json as {
    paths: Record<string, Record<string, Operation>>;
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  expect(operations.length).toBeGreaterThan(25);
  for (const { path, method, operation } of operations) {
    const schema = operation.requestBody?.content['application/json']?.schema ?? {};
    const names = (operation.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name);
    const given = fc.record({
      name: fc.oneof({ weight: 3, arbitrary: fc.constant('default') }, { weight: 1, arbitrary: ODD_TEXT }),
      other: ODD_TEXT,
      query: fc.dictionary(fc.oneof(fc.constantFrom('x', '__proto__', ...names), ODD_TEXT), ODD_TEXT, {
        maxKeys: 3,
      }),
      body: bodyFor(schema),
      hasToken: fc.integer({ min: 0, max: 9 }).map((n) => n > 0),
    });
    await fc.assert(
      fc.asyncProperty(given, async ({ name, other, query, body, hasToken }) => {
        // One of the operations deletes it.
        await server.ensure('default', DEFAULT_OPTIONS);
        const wellFormed = (text: string) => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '')) || 'x';
        const url = new URL(
          `${server.url}${path.replace('{name}', wellFormed(name)).replace(/\{\w+\}/g, wellFormed(other))}`,
        );
        for (const [key, value] of Object.entries(query)) url.searchParams.append(key, value);
        const heard = await ask(url.href, {
          method,
          ...(hasToken && { token: server.operatorToken }),
          ...(method === 'POST' && { body: JSON.stringify(body ?? null) }),
        });
        expectAnswer(
          heard,
          `${operation.operationId} ${url.pathname}${url.search} ${JSON.stringify(body)}`.slice(0, 500),
        );
      }),
      { numRuns: 40 },
    );
  }
  expect((await ask(`${server.url}/readyz`)).status).toBe(200);
}, 120_000);
