/**
 * Options of `personalise`. C1, C2, epsilon and the class weight are those that w was trained with, as the model records them,
 * unless others are given.
 */
import { z } from 'zod';
import { inputError } from '../base/errors.ts';
import type { LossName } from '../solver/losses/losses.ts';
import type { MethodName, Model } from '../solver/model.ts';
import { checkedOptions, trainSchema } from './options.ts';

const { loss, c1, c2, epsilon, classWeight, seed } = trainSchema.shape;

const schema = z.strictObject({
  loss,
  c1: c1.unwrap().optional(),
  c2: c2.unwrap().optional(),
  epsilon: epsilon.unwrap().optional(),
  classWeight: classWeight.unwrap().optional(),
  /** Share of every participant's rows that is kept for testing. */
  testFraction: z.number().min(0).lt(1).default(0),
  /** Of the split and of the row order; default: that of the model, which splits the training table as training did. */
  seed: seed.unwrap().optional(),
  /** Relative duality gap of each personal part. */
  gap: z.number().nonnegative().lt(1).default(1e-6),
  /** Most passes over the rows of one participant. */
  passes: z.number().int().positive().max(1_000_000_000).default(100_000),
});

export type PersonaliseOptions = z.input<typeof schema>;

/** Complete and checked. */
export interface ResolvedPersonaliseOptions {
  readonly loss?: LossName | undefined;
  readonly c1: number;
  readonly c2: number;
  /** 0 for classification. */
  readonly epsilon: number;
  readonly classWeight: 'none' | 'balanced';
  readonly testFraction: number;
  readonly seed: number;
  readonly gap: number;
  readonly passes: number;
}

const recordedSchema = z.object({
  loss: loss.catch(undefined),
  c1: schema.shape.c1.catch(undefined),
  c2: schema.shape.c2.catch(undefined),
  epsilon: schema.shape.epsilon.catch(undefined),
  classWeight: schema.shape.classWeight.catch(undefined),
});

export function resolvePersonaliseOptions(
  model: Model,
  options: PersonaliseOptions,
): { readonly resolved: ResolvedPersonaliseOptions; readonly notes: readonly string[] } {
  const given = checkedOptions(schema, options);
  checkMethod(model.method, given.c2);
  const recorded = recordedSchema.parse(model.options);
  const classification = model.objective === 'classification';
  const weight = given.classWeight ?? recorded.classWeight;
  const kind = given.loss ?? recorded.loss;
  const resolved = {
    ...(kind && { loss: kind }),
    c1: needed('C1', '--c1', given.c1 ?? recorded.c1),
    c2: needed('C2', '--c2', given.c2 ?? recorded.c2),
    epsilon: classification ? 0 : needed('epsilon', '--epsilon', given.epsilon ?? recorded.epsilon),
    classWeight: weight ?? 'none',
    testFraction: given.testFraction,
    seed: given.seed ?? model.seed,
    gap: given.gap,
    passes: given.passes,
  };
  const unweighted = 'the model does not record its class weight; all rows count the same (--class-weight)';
  return { resolved, notes: classification && weight === undefined ? [unweighted] : [] };
}

/** Why the w of other methods cannot be personalised. */
const REFUSALS: Readonly<Record<MethodName, string | undefined>> = {
  mtl: undefined,
  global: 'which was trained without a C2 for personal parts; give one with --c2',
  local: 'which has no shared part w; train with --method mtl',
  mocha: 'which has no shared part w; train with --method mtl',
  fedavg: 'whose w is not certified; train with --method mtl',
};

function checkMethod(method: MethodName, c2Given: number | undefined): void {
  const refusal = REFUSALS[method];
  if (refusal === undefined || (method === 'global' && c2Given !== undefined)) return;
  throw inputError(
    'NOT_PERSONALISABLE',
    `personalise: expected a model of method mtl, or of method global with --c2, got method ${method}, ${refusal}`,
  );
}

function needed(name: string, option: string, value: number | undefined): number {
  if (value !== undefined) return value;
  throw inputError(
    'MODEL_OPTION_MISSING',
    `personalise: expected ${name} among the options of the model, got none; give it with ${option}`,
  );
}
