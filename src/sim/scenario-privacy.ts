/** What a scenario says of differential privacy, of the defence of the model, and of those it is defended against. */
import { z } from 'zod';
import { type DpSettings, epsilonOf, noiseFor } from '../privacy/dp/index.ts';
import type { SecureSettings } from '../protocol/index.ts';
import { MISDEEDS } from './misbehaving.ts';
import type { Scenario } from './scenario.ts';
import { scenarioError } from './scenario-error.ts';

const above0 = z.number().positive();

export const dpFields = z
  .strictObject({
    /** Largest norm of one participant's step in a round. */
    clip: above0,
    /** Default: the least that keeps `rounds` rounds within epsilon. */
    noiseMultiplier: above0.optional(),
    /** Default: what `rounds` rounds cost at this noise. */
    epsilon: above0.optional(),
    delta: above0.lt(1).default(1e-5),
  })
  .refine(({ noiseMultiplier, epsilon }) => noiseMultiplier !== undefined || epsilon !== undefined, {
    error: 'a noiseMultiplier, an epsilon to be kept within, or both',
  });

export const defenceFields = z.strictObject({
  normBound: above0.optional(),
  robust: z
    .strictObject({ quantile: z.number().min(0).max(1).default(0.5), factor: above0.default(2) })
    .optional(),
  refuseAbove: above0.optional(),
  scores: z.literal('on').optional(),
});

export const misbehavingFields = z.strictObject({
  participant: z.string().min(1),
  kind: z.enum(MISDEEDS),
  /** Size of what is sent, in units of the honest update; default: 1, and 10 for poison. */
  scale: above0.optional(),
});

/** Where none is asked for: the rule that the protection can do with. */
export function aggregationFor({
  aggregation,
  dp,
  secure,
}: Pick<Scenario, 'dp' | 'secure'> & { readonly aggregation?: Scenario['aggregation'] | undefined }) {
  return aggregation ?? (dp ? 'safe' : secure ? 'line-search' : 'exact');
}

/** Of a scenario whose rule is settled: what does not go with differential privacy. */
export function checkDp(source: string, scenario: Scenario): void {
  const { dp, aggregation, method, stall, mask, defence } = scenario;
  if (!dp) return;
  const refuse = (field: string, expected: string, got: unknown) => {
    throw scenarioError(source, field, expected, got);
  };
  if (method !== 'mtl') refuse('method', 'mtl with dp', method);
  if (aggregation !== 'safe' && aggregation !== 'sum')
    refuse('aggregation', 'safe or sum with dp (others weigh by private scalars)', aggregation);
  if (stall !== undefined) refuse('stall', 'none with dp, which knows no gap', stall);
  if (mask?.semantics === 'paper') refuse('mask.semantics', 'consistent with dp', 'paper');
  if (defence) refuse('defence', 'none with dp, whose clip bounds every update', defence);
  const { noiseMultiplier, delta, epsilon } = dpSettings(scenario)!;
  const price = epsilonOf({ noiseMultiplier, samplingRate: 1 }, delta, 1);
  if (price > epsilon)
    refuse('dp.epsilon', `at least ${price.toPrecision(4)}, the price of one round`, epsilon);
}

/** A budget that is the price of the rounds must not fail by the rounding of their sum. */
const ROUNDING = 1 + 1e-9;

/** With secret sums the participants add the noise: enough of it, whoever vanishes or works for the coordinator. */
export function honestIn({ dropout, corrupted }: SecureSettings, participants: number): number {
  return Math.max(1, Math.floor((1 - dropout - corrupted) * participants));
}

/** What is not given follows from the rest and the number of rounds. */
export function dpSettings({ dp, rounds }: Scenario): DpSettings | undefined {
  if (!dp) return undefined;
  const { clip, delta } = dp;
  const noiseMultiplier = dp.noiseMultiplier ?? noiseFor(dp.epsilon!, delta, rounds, 1);
  const price = () => ROUNDING * epsilonOf({ noiseMultiplier, samplingRate: 1 }, delta, rounds);
  return { clip, noiseMultiplier, epsilon: dp.epsilon ?? price(), delta };
}
