/** What is wrong with a scenario, in one sentence: file, field, what was expected, what is there. */
import type { KindredError } from '../base/errors.ts';
import { fieldError } from '../base/field-error.ts';

const CODE = 'BAD_SCENARIO';

export const scenarioIn = (source: string) => ({ code: CODE, source });

export function scenarioError(source: string, field: string, expected: string, got: unknown): KindredError {
  return fieldError(scenarioIn(source), field, expected, got);
}
