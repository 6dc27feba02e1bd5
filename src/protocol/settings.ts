/**
 * The settings of a federation as JSON text (u32 length, UTF-8): sent once, and worth reading in a dump. Strict: a
 * participant that does not know a setting cannot honour it.
 */
import { z } from 'zod';
import { LOSS_NAMES } from '../solver/losses/losses.ts';
import type { Field } from './fields.ts';
import type { FederationSettings } from './messages.ts';
import type { Reader } from './reader.ts';

const above0 = z.number().positive();
const count = z.number().int().min(1).max(0xffff_ffff);
/** Timers of all runtimes take at most this many milliseconds; more fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** What a refusal repeats of a peer's text. */
const QUOTED_CHARACTERS = 200;

const share = z.number().min(0).max(1);
const semantics = z.enum(['paper', 'consistent']);
const mask = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('bernoulli'), keep: share, semantics }),
  z.strictObject({ kind: z.literal('beta'), a: above0, b: above0, unmasked: share, semantics }),
]);

const dp = z.strictObject({
  clip: above0,
  noiseMultiplier: above0,
  epsilon: above0,
  delta: above0.lt(1),
  honest: count.optional(),
});
const secure = z.strictObject({
  scaleBits: z.number().int().min(0).max(52),
  limit: above0,
  dropout: share.lt(1),
  corrupted: share.lt(1),
});

const schema: z.ZodType<FederationSettings> = z.strictObject({
  objective: z.enum(['classification', 'regression']),
  loss: z.enum(LOSS_NAMES).optional(),
  training: z.enum(['answers', 'steps']),
  c1: above0,
  c2: above0,
  epsilon: z.number().nonnegative(),
  classWeight: z.enum(['none', 'balanced']),
  scale: z.enum(['standard', 'center', 'none']),
  bias: z.boolean(),
  features: count,
  passes: count,
  seed: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  straggler: z.enum(['restart', 'resume', 'anytime']),
  precision: z.enum(['f64', 'f32']),
  retryMs: above0.max(LONGEST_TIMER_MS),
  mask: mask.optional(),
  dp: dp.optional(),
  secure: secure.optional(),
});

export const settingsText: Field<FederationSettings> = {
  write(out, value, name) {
    const checked = schema.safeParse(value);
    if (!checked.success) out.fail(`${name}: ${sentenceOf(checked.error)}`);
    // The schema's order of keys, not the caller's: the same settings are the same bytes.
    const bytes = new TextEncoder().encode(JSON.stringify(checked.data));
    out.u32(bytes.length);
    out.raw(bytes);
  },
  read(input, name) {
    const length = input.length(name, input.u32(name), input.limits.maxTextBytes, 'bytes');
    const json = parse(input, name, input.text(name, length));
    const checked = schema.safeParse(json);
    if (!checked.success) {
      const code = saysInfinity(json, checked.error) ? 'NOT_FINITE' : 'BAD_FRAME';
      return input.refuse(code, `${name}: ${sentenceOf(checked.error)}`);
    }
    const { features } = checked.data;
    input.length(`${name}.features`, features, input.limits.maxFeatures, 'features');
    return checked.data;
  },
};

function parse(input: Reader, name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return input.refuse('BAD_FRAME', `${name}: expected JSON, got text that is not`);
  }
}

/** JSON has no infinity, but 1e999 reads as one. */
function saysInfinity(json: unknown, error: z.ZodError): boolean {
  const [key] = error.issues[0].path;
  const value = (json as Record<PropertyKey, unknown> | null)?.[key];
  return value === Infinity || value === -Infinity;
}

function sentenceOf(error: z.ZodError): string {
  const { path, message } = error.issues[0];
  const sentence = path.length > 0 ? `${path.join('.')}: ${message}` : message;
  return sentence.slice(0, QUOTED_CHARACTERS);
}
