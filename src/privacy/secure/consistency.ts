/**
 * The consistency check of Bonawitz et al. 2017 (their round 3, against a coordinator that lies): before anybody reveals a share it
 * must have received from `threshold` holders, itself among them, that they were shown the very same set of who was counted in.
 * Otherwise a coordinator could call a participant counted in to some and dropped to others, and so collect both of its secrets.
 *
 * Beyond the paper, the statement holds the digest of the question that the vectors answer. A sum hides a participant among the others
 * only if all were asked the same: a coordinator that asks one of them something else reads its answer out of the difference.
 *
 * The paper signs the set. Here the two ends of every pair authenticate it with a MAC under their root key: 2 x 16 bytes for each
 * neighbour where 67 signatures take 4,288, and microseconds where 66 verifications take 90 ms. Nobody but the other end needs to
 * be convinced; what is lost is a proof for third parties that a coordinator has lied.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import type { IndexSet } from './index-set.ts';
import { type Context, derive } from './keys.ts';
import type { RoundPlan } from './messages.ts';
import type { Neighbour } from './seat.ts';

export const TAG_BYTES = 16;

/** Length of the digest of a question. */
export const QUESTION_BYTES = 32;

/** Roster, round, what was asked, what is summed and who was counted in. */
export function statementOf(plan: RoundPlan, question: Uint8Array, counted: IndexSet): string {
  const { round, length, scaleBits, limit } = plan;
  const numbers = [round, length, scaleBits, limit, counted.length];
  const head = JSON.stringify(['kindred secure 2', 'counted', ...numbers]);
  return bytesToHex(sha256(concatBytes(utf8ToBytes(head), plan.session, question, counted)));
}

/** HKDF-Expand is HMAC, a pseudo-random function, and so a MAC. */
export function tagOf({ root }: Neighbour, context: Context, statement: string): Uint8Array {
  return derive(root, 'consistency', { ...context, statement }, TAG_BYTES);
}
