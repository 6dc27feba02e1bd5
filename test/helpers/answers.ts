/** Answers of the API held against what its description says of them. */
import { expect } from 'vitest';
import { ERRORS, type ErrorCode } from '../../src/node/server/api-error.ts';
import { ROUTES } from '../../src/node/server/routes/all.ts';
import { errorsOf, type Route } from '../../src/node/server/routes/route.ts';
import type { Heard } from './http.ts';

export function routeOf(id: string): Route {
  const found = ROUTES.find((route) => route.id === id);
  if (!found) throw new Error(`there is no route ${id}`);
  return found;
}

/** The JSON of a good answer, which is just what the route promises. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into it and fail if it is not what they expect
export function goodAnswer(id: string, { status, json, text }: Heard): any {
  const { answer } = routeOf(id);
  expect(status, text).toBe(answer.status ?? 200);
  const checked = answer.schema!.safeParse(json);
  expect(checked.error?.issues ?? []).toEqual([]);
  return json;
}

/** A refusal in the form of all refusals, with a code that the route says it may give. */
export function expectRefusal(heard: Heard, code: ErrorCode, id?: string): void {
  expect(heard.json, heard.text).toEqual({ error: { code, message: expect.stringMatching(/\S/) } });
  expect(heard.status).toBe(ERRORS[code][0]);
  expect(heard.headers['content-type']).toBe('application/json; charset=utf-8');
  if (id) expect(errorsOf(routeOf(id))).toContain(code);
}
