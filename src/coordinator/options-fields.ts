/** Parts of a federation's options as JSON, which scenarios have in common with the coordinator. */
import { z } from 'zod';

export const above0 = z.number().positive();
/** In (0, 1]. */
export const share = z.number().gt(0).max(1);
/** In [0, 1]. */
const portion = z.number().min(0).max(1);
export const whole = z.number().int().min(1).max(1_000_000_000);
export const seedField = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const bits = z.number().int().min(0).max(52);

const ALL = { kind: 'all' } as const;
const BENCHMARKS = { kind: 'benchmarks', quantile: 0.5, factor: 1 } as const;

/** "all" is short for { kind: 'all' }, and "benchmarks" for its defaults. */
export function waitingField(period: z.ZodType<number, number>) {
  const kinds = z.discriminatedUnion(
    'kind',
    [
      z.strictObject({ kind: z.literal('all') }),
      z.strictObject({ kind: z.literal('fixed'), ms: period.describe('milliseconds') }),
      z.strictObject({ kind: z.literal('share'), share: share.describe('share of the participants') }),
      z.strictObject({
        kind: z.literal('benchmarks'),
        quantile: share.default(BENCHMARKS.quantile).describe('of the times that participants report'),
        factor: above0.default(BENCHMARKS.factor).describe('times that quantile'),
      }),
    ],
    { error: 'a kind that is one of all, fixed, share, benchmarks' },
  );
  const inShort = z.enum(['all', 'benchmarks']).transform((kind) => (kind === 'all' ? ALL : BENCHMARKS));
  return z.union([inShort, kinds], {
    error: '"all", "benchmarks", or a kind that is one of all, fixed, share, benchmarks',
  });
}

const semantics = z
  .enum(['paper', 'consistent'])
  .default('consistent')
  .describe("whether a participant's own part takes the unmasked step or the masked one");

export const maskField = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({
      kind: z.literal('bernoulli'),
      keep: portion.describe('probability that a row is left as it is'),
      semantics,
    }),
    z.strictObject({
      kind: z.literal('beta'),
      a: above0.default(2).describe('of the Beta distribution'),
      b: above0.default(0.5).describe('of the Beta distribution'),
      unmasked: portion.default(0).describe('share of rows that are left as they are'),
      semantics,
    }),
  ],
  { error: 'a kind that is one of bernoulli, beta' },
);

/** true: all of it by default. */
export function secureField(period: z.ZodType<number, number>) {
  return z.union(
    [
      z.boolean(),
      z.strictObject({
        scaleBits: bits.optional().describe('entries of a sum are multiples of 2^-scaleBits'),
        limit: above0.optional().describe("largest entry of one participant's vector"),
        dropout: z.number().min(0).lt(1).optional().describe('largest share that may vanish in a round'),
        corrupted: z.number().min(0).lt(1).optional().describe('largest share that may help the coordinator'),
        phaseMs: period.optional().describe('how long a phase waits for those who do not answer'),
      }),
    ],
    { error: 'true, false, or an object of scaleBits, limit, dropout, corrupted, phaseMs' },
  );
}

export const defenceField = z.strictObject({
  normBound: above0.optional().describe('longer updates are shortened to this norm'),
  robust: z
    .strictObject({
      quantile: portion.default(0.5).describe("of the round's norms"),
      factor: above0.default(2).describe('times that quantile'),
    })
    .optional()
    .describe("longer updates than this are shortened, measured by the round's own norms"),
  refuseAbove: above0.optional().describe('longer updates are refused'),
  scores: z.literal('on').optional().describe('score what participants contribute'),
});

export const dpFields = {
  clip: above0.describe("largest norm of one participant's step in a round"),
  noiseMultiplier: above0.optional().describe('default: the least that keeps all rounds within epsilon'),
  epsilon: above0.optional().describe('default: what all rounds cost at this noise'),
  delta: above0.lt(1).default(1e-5).describe('probability with which epsilon may be exceeded'),
};

/** What `dpFields` cannot say one by one. */
export const SAYS_HOW_PRIVATE = [
  ({ noiseMultiplier, epsilon }: { noiseMultiplier?: number | undefined; epsilon?: number | undefined }) =>
    noiseMultiplier !== undefined || epsilon !== undefined,
  { error: 'a noiseMultiplier, an epsilon to be kept within, or both' },
] as const;

/** Zod gives fields that were not written as undefined: they would hide the defaults that they are laid over. */
export function withoutGaps<T extends object>(given: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}
