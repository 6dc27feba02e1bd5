/** What comes in over HTTP, checked: one sentence for the first thing that is wrong with it. */
import type { z } from 'zod';
import { ApiError } from './api-error.ts';

export function parsed<T>(schema: z.ZodType<T>, value: unknown, what = 'body'): T {
  const checked = schema.safeParse(value ?? {});
  if (checked.success) return checked.data;
  const { path, message } = checked.error.issues[0];
  const where = [what, ...path.map(String)].join('.');
  throw new ApiError(400, 'BAD_REQUEST', `${where}: ${message}`.slice(0, 500));
}
