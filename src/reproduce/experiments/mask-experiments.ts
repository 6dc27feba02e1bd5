/** Section 7.4, both kinds of masks. */
import { maskExperiment } from './masking.ts';

export const maskBernoulli = maskExperiment({
  id: 'mask-bernoulli',
  title: 'Bernoulli masking',
  levelName: (level) => (level === 1 ? 'no masking' : `p = ${level}`),
  mask: (level, semantics) => ({ kind: 'bernoulli', keep: level, semantics }),
  about:
    'In every round each row is left out of the update with probability 1 - p. In the semantics of the paper the personal part v takes the step that was not masked, and what was left out of w is never made good; in the consistent semantics both take the masked step.',
  caption: 'Bernoulli masking with probability p of keeping a row. Top: full data; bottom: light data.',
});

export const maskBeta = maskExperiment({
  id: 'mask-beta',
  title: 'Beta(2, 0.5) masking',
  levelName: (level) => (level === 1 ? 'no masking' : `${100 * level}% unmasked`),
  mask: (level, semantics) => ({ kind: 'beta', a: 2, b: 0.5, unmasked: level, semantics }),
  about:
    'In every round a share of the rows is left as it is, and the contribution of each other row is multiplied by a number drawn from Beta(2, 0.5), 0.8 on average.',
  caption: 'Beta masking with a share of rows left unmasked. Top: full data; bottom: light data.',
});
