/** Settings that participants are sent in `welcome`. Apart from the rest of a federation's, as a page that takes part needs no more. */

import { LEVELS } from './columns.ts';
import { sentMap } from './feature-map.ts';
import type { Output } from './kind.ts';
import { choice, milliseconds, number, whole } from './kinds.ts';
import { object, variants } from './objects.ts';
import { count, PROBLEM, RUN, share } from './problem.ts';

const above0 = number({ above: 0 });
/** In [0, 1]. */
export const portion = number({ min: 0, max: 1 });

export const method = choice('mtl', 'global', 'mocha').default('mtl').about('training method');
export const straggler = choice('restart', 'resume', 'anytime')
  .default('anytime')
  .about('what happens to a solve in progress when the next round opens');
export const precision = choice('f64', 'f32').default('f64').about('number format of transmitted vectors');
export const retryMs = milliseconds().default(2000).about('retransmission interval');

const semantics = choice('paper', 'consistent')
  .default('consistent')
  .about('v_k takes the unmasked step (paper) or the masked one (consistent)');

export const mask = variants('kind', {
  bernoulli: { keep: portion.about('probability of keeping the contribution of a row'), semantics },
  beta: {
    a: above0.default(2).about('parameter of the Beta distribution'),
    b: above0.default(0.5).about('parameter of the Beta distribution'),
    unmasked: portion.default(0).about('share of rows left unmasked'),
    semantics,
  },
}).about('masking of updates');

export const SECURE = {
  scaleBits: whole(0, 52).default(30).about('fractional bits of fixed-point sums'),
  limit: above0.default(2 ** 22).about('largest absolute value of an entry'),
  dropout: share.default(1 / 3).about('maximum share of participants that may drop out of a round'),
  corrupted: share.default(0.2).about('maximum share of participants that may collude with the coordinator'),
};

export const DP = {
  clip: above0.about("clipping norm of a participant's step in a round"),
  noiseMultiplier: above0
    .optional('the smallest that keeps all rounds within epsilon')
    .about('standard deviation of the noise, in units of clip'),
  epsilon: above0
    .optional('the cost of all rounds at this noise')
    .about('privacy budget; training ends before it is exceeded'),
  delta: number({ above: 0, below: 1 }).default(1e-5).about('delta of (epsilon, delta)-differential privacy'),
};
export const honest = count
  .optional('none')
  .about('with secure: minimum number of honest participants in any sum');

const { objective, loss, c1, c2, epsilon, quantile, classWeight, scale, scaleTarget, bias } = PROBLEM;

/** What participants are sent in `welcome`, in this order; nothing is left to a default. */
export const WIRE = {
  method,
  objective,
  loss: loss.needed(),
  training: choice('answers', 'steps').about('best responses to w, or dual steps'),
  c1,
  c2,
  epsilon,
  quantile,
  classWeight,
  scale,
  scaleTarget,
  bias,
  features: whole(1, 0xffff_ffff).about('number of feature columns of the data'),
  levels: LEVELS,
  columns: choice('union').optional('exact').about('the columns are all that somebody has'),
  map: sentMap,
  passes: RUN.passes,
  seed: RUN.seed,
  straggler: straggler,
  precision: precision,
  retryMs: retryMs,
  mask: mask.optional('none'),
  dp: object({
    ...DP,
    noiseMultiplier: DP.noiseMultiplier.needed(),
    epsilon: DP.epsilon.needed(),
    honest,
  }).optional(),
  secure: object(SECURE).optional(),
};

export const wireKind = object(WIRE);

export type MaskSettings = NonNullable<Output<typeof WIRE>['mask']>;
export type SecureSettings = Output<typeof SECURE>;
/** What all participants must agree on. */
export type FederationSettings = Output<typeof WIRE>;

/** C2 of the problem that is solved: without a personal part it has no finite price, and every 1/C2 is 0. */
export function personalCost({ method, c2 }: Pick<FederationSettings, 'method' | 'c2'>): number {
  return method === 'mtl' ? c2 : Infinity;
}
