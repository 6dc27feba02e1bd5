/** What is known of a participant's answer beside the vector: a few numbers for each head, from which bounds and certificates are made. */
import { dot } from './vector.ts';

/** What is known of (w, v = u / C2) on a participant's rows, in one head. */
export interface HeadScalars {
  /** C1 sum_i c_i loss_i at w + v. */
  readonly loss: number;
  /** sum_i s(beta_i). */
  readonly dualSum: number;
  /** |u|^2. */
  readonly uNorm2: number;
  /** w.u. */
  readonly wDotU: number;
}

/** The same over all heads, and of each where there are several. */
export interface AnswerScalars extends HeadScalars {
  readonly heads?: readonly HeadScalars[] | undefined;
}

export function headScalars(scalars: AnswerScalars): readonly HeadScalars[] {
  return scalars.heads ?? [scalars];
}

export function totalScalars(heads: readonly HeadScalars[]): AnswerScalars {
  if (heads.length === 1) return heads[0];
  const total = (key: keyof HeadScalars) => heads.reduce((sum, head) => sum + head[key], 0);
  return {
    loss: total('loss'),
    dualSum: total('dualSum'),
    uNorm2: total('uNorm2'),
    wDotU: total('wDotU'),
    heads,
  };
}

/** The same losses and duals with another u: what the wire has left of it. */
export function withVector(scalars: AnswerScalars, w: Float64Array, u: Float64Array): AnswerScalars {
  const heads = headScalars(scalars);
  const columns = u.length / heads.length;
  return totalScalars(
    heads.map(({ loss, dualSum }, h) => {
      const [from, to] = [h * columns, (h + 1) * columns];
      const own = u.subarray(from, to);
      return { loss, dualSum, uNorm2: dot(own, own), wDotU: dot(w.subarray(from, to), own) };
    }),
  );
}

/** F(w) as reached, and the constant of the cut F(.) >= constant - u. */
export function boundsOf(scalars: AnswerScalars, c2: number): { value: number; constant: number } {
  const personal = scalars.uNorm2 / (2 * c2);
  return { value: scalars.loss + personal, constant: scalars.dualSum - personal };
}
