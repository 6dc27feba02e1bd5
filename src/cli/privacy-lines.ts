/** Differential privacy, said with what it does not cover. */
import { notCovered } from '../privacy/dp/coverage.ts';
import type { DpSettings } from '../privacy/dp/settings.ts';
import type { Layout } from './layout.ts';
import { significant } from './number-text.ts';

export function privacyLines(dp: DpSettings | undefined, line: Layout['line']): string[] {
  if (!dp) return [];
  const by =
    dp.honest === undefined ? 'the coordinator' : `the participants (${dp.honest} honest ones suffice)`;
  return [
    line('Privacy', `epsilon at most ${significant(dp.epsilon)} at delta ${dp.delta}; noise by ${by}`),
    ...notCovered(dp).map((what, i) => line(i === 0 ? 'Not covered' : '', what)),
  ];
}
