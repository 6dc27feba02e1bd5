/** What comes in over HTTP, checked: one sentence for the first thing that is wrong with it. */
import type { z } from 'zod';
import { ApiError } from './api-error.ts';

export function parsed<S extends z.ZodType>(schema: S, value: unknown, what: string): z.output<S> {
  const checked = schema.safeParse(value ?? {});
  if (checked.success) return checked.data;
  const { path, message } = checked.error.issues[0];
  const where = [what, ...path.map(String)].join('.');
  const sentence = message.replace(/^Invalid input: /, '').replace('received undefined', 'got nothing');
  throw new ApiError('BAD_REQUEST', `${where}: ${sentence.replace('received', 'got')}`.slice(0, 500));
}
