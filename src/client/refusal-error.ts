/** What a participant that has nothing more to do says of it: some refusals are mistakes of whoever started it. */
import { KindredError } from '../base/errors.ts';
import type { ParticipantState } from '../participant/state.ts';
import type { ParticipationOptions } from './participation-options.ts';

/** Refusals that are mistakes of whoever started this participant; others are of the run. */
const MISTAKES = new Set([
  'NOT_SECURE',
  'WRONG_FEATURES',
  'WRONG_CLASSES',
  'POSITIVE_NEEDED',
  'TARGET_NOT_A_NUMBER',
  'COLUMNS_NOT_AGREED',
  'REPORT_NOT_PRIVATE',
]);

export function refusalError(
  { code, message }: NonNullable<ParticipantState['refusal']>,
  { secure }: Pick<ParticipationOptions, 'secure'>,
): Error {
  const hint = code === 'NOT_SECURE' ? `; join ${secure ? 'without' : 'with'} --secure` : '';
  return new KindredError(code, `${message}${hint}`, MISTAKES.has(code) ? 'input' : 'run');
}
