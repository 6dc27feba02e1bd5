/** Options of a training, with their defaults; the command line and the library go through the same check. */
import { z } from 'zod';
import { inputError } from '../base/errors.ts';
import { AGGREGATIONS } from '../solver/aggregate.ts';
import { LOSS_NAMES } from '../solver/losses/losses.ts';
import { METHODS } from '../solver/model.ts';

const above0 = z.number().positive().finite();
const count = z.number().int().positive().max(1_000_000_000);

export const trainSchema = z.strictObject({
  method: z.enum(METHODS).default('mtl'),
  objective: z.enum(['classification', 'regression']).default('classification'),
  /** Default: that of the objective. */
  loss: z.enum(LOSS_NAMES).optional(),
  /** The target value that becomes +1; needed when there are more than two. */
  positive: z.string().optional(),
  c1: above0.default(1),
  c2: above0.default(1),
  epsilon: z.number().nonnegative().finite().default(0.1),
  lambda: above0.default(0.001),
  classWeight: z.enum(['none', 'balanced']).default('none'),
  scale: z.enum(['standard', 'center', 'none']).default('standard'),
  bias: z.boolean().default(true),
  testFraction: z.number().min(0).lt(1).default(0.3),
  seed: z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER).default(1),
  aggregation: z.enum(AGGREGATIONS).default('answers'),
  passes: count.default(100),
  rounds: count.default(200),
  gap: z.number().nonnegative().lt(1).default(1e-3),
  /** Only the first so many participants. */
  participants: count.optional(),
  /** At most so many training rows of each, or of those named; the test rows stay as they are. */
  trainRows: z.union([count, z.record(z.string(), count)]).optional(),
});

/** What one may give: everything has a default. */
export type TrainOptions = z.input<typeof trainSchema>;
/** What a training runs with: complete and checked. */
export type ResolvedOptions = z.output<typeof trainSchema>;

export function resolveOptions(options: TrainOptions): ResolvedOptions {
  const resolved = checkedOptions(trainSchema, options);
  if (resolved.method === 'mocha' && resolved.objective === 'regression') {
    throw inputError(
      'BAD_OPTION',
      'option --method: mocha is defined for classification only, got --objective regression',
    );
  }
  return resolved;
}

/** Options as a schema wants them; otherwise one sentence that names the first that is wrong. */
export function checkedOptions<S extends z.ZodObject>(schema: S, options: z.input<S>): z.output<S> {
  const result = schema.safeParse(options);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (issue.code === 'unrecognized_keys') {
    throw inputError('UNKNOWN_OPTION', `option "${issue.keys[0]}": there is no such option`);
  }
  const name = String(issue.path[0]);
  const got = (options as Record<string, unknown>)[name];
  throw inputError(
    'BAD_OPTION',
    `option ${optionName(name)}: expected ${expectation(name)}, got ${String(got)}`,
  );
}

/** classWeight -> --class-weight */
function optionName(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

const EXPECTATIONS: Readonly<Record<string, string>> = {
  c1: 'a number above 0',
  c2: 'a number above 0',
  lambda: 'a number above 0',
  epsilon: 'a number of at least 0',
  testFraction: 'a number of at least 0 and below 1',
  gap: 'a number of at least 0 and below 1',
  seed: 'a whole number of at least 0',
  passes: 'a whole number of at least 1',
  rounds: 'a whole number of at least 1',
  participants: 'a whole number of at least 1',
  trainRows: 'a whole number of at least 1',
  bias: 'true or false',
  loss: `one of ${LOSS_NAMES.join(', ')}`,
  positive: 'a value of the target column',
};

function expectation(key: string): string {
  const known = EXPECTATIONS[key];
  if (known) return known;
  const field = trainSchema.shape[key as 'method'];
  const values = field.unwrap().options as readonly string[];
  return `one of ${values.join(', ')}`;
}
