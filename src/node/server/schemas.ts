/** Parts of requests and answers that several routes share. */
import { z } from 'zod';
import { DECLINE_CODES, FAULT_CODES, REJECT_CODES } from '../../protocol/codes.ts';

const MAX_ID_BYTES = 200;

export const participantId = z
  .string()
  .min(1)
  .refine((id) => Buffer.byteLength(id) <= MAX_ID_BYTES, `expected at most ${MAX_ID_BYTES} bytes`)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is they that are refused
  .refine((id) => !/[\u0000-\u001f\u007f]/.test(id), 'expected no control characters')
  // Halves of characters are not in UTF-8: two names would become one.
  .refine((id) => !/\p{Surrogate}/u.test(id), 'expected well-formed text')
  .describe('Name of a participant, at most 200 bytes');

export const publicKey = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, 'expected 32 bytes as base64url without padding')
  .describe('Raw Ed25519 public key, base64url');

export const count = z.number().int().nonnegative();
/** NaN and Infinity come as null. */
export const known = z.number().nullable();
export const timeMs = z.number().describe('Milliseconds since 1970');

export const phase = z.enum(['gathering', 'open', 'summing', 'finished']);
export const finishReason = z.enum(['gap', 'stall', 'rounds', 'time', 'operator', 'left', 'budget']);
export const rejections = z.partialRecord(z.enum(REJECT_CODES), count);
export const faults = z.partialRecord(z.enum(FAULT_CODES), count);
export const declines = z.partialRecord(z.enum(DECLINE_CODES), count);

export const errorBody = z.object({
  error: z.object({ code: z.string(), message: z.string().describe('Message for people; may change') }),
});

/** NaN and Infinity are not in JSON; null is for what is not known. */
export function orNull(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? value : null;
}
