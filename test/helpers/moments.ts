/** What participants bring to the agreement beside the moments of their features. */
import type { Moments } from '../../src/protocol/messages.ts';

/** Of a classification with the usual labels. */
export const USUAL_CLASSES = {
  target: undefined,
  labels: ['-1', '1'],
  positive: undefined,
} as const satisfies Partial<Moments>;
