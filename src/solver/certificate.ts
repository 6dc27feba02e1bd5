/**
 * The certificate: primal, dual and relative duality gap from a few scalars per participant, never from rows. The
 * in-process trainers and the coordinator of a federation use the same functions.
 */
import type { AnswerScalars } from './answer.ts';

/** What a participant reports of the model (w, v_k = u_k / C2) it holds. */
export type MemberScalars = Omit<AnswerScalars, 'wDotU'>;

export interface Certificate {
  readonly primal: number;
  readonly dual: number;
  /** (primal - dual) / |primal|: 0 at the optimum, never negative beyond rounding. */
  readonly relativeGap: number;
}

/** Of many classes: the sums, and the certificate of each head, in the order of the labels. */
export interface HeadsCertificate extends Certificate {
  readonly heads?: readonly Certificate[] | undefined;
}

export function certificate(wNorm2: number, c2: number, members: Iterable<MemberScalars>): Certificate {
  let loss = 0;
  let gain = 0;
  let personal = 0;
  for (const member of members) {
    loss += member.loss;
    gain += member.dualSum;
    personal += member.uNorm2;
  }
  // C2/2 |v|^2 = |u|^2 / (2 C2).
  const quadratic = wNorm2 / 2 + personal / (2 * c2);
  return certificateOf(quadratic + loss, gain - quadratic);
}

/** `scale` is what the gap is measured by. */
export function certificateOf(primal: number, dual: number, scale = primal): Certificate {
  if (primal === Number.POSITIVE_INFINITY) return { primal, dual, relativeGap: 1 };
  const size = Math.max(Math.abs(scale), Number.MIN_VALUE);
  return { primal, dual, relativeGap: Math.max(0, primal - dual) / size };
}
