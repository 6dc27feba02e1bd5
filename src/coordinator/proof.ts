/** What a closed round shows of the model in use: bounds, and how far they can be trusted. */
import type { Certificate } from '../solver/certificate.ts';

/** What a round has shown of the model in use. */
export interface Proof extends Certificate {
  /** Whether the numbers are certain. */
  readonly certified: boolean;
  /** Whether there are numbers at all. */
  readonly known: boolean;
  /** The gap by which training ends: of the head that is farthest from its optimum. */
  readonly largestGap: number;
  /** As the absent would probably answer: worth asking everybody about. */
  readonly likelyGap: number;
  /** Whether a gap that small is the end. */
  readonly settled: boolean;
  /** Whether everybody who may still answer has answered at least once. */
  readonly complete: boolean;
  /** With sums: whether training ends whatever is claimed. */
  readonly shown?: boolean;
}

/** A round that shows nothing new. */
export const NO_PROOF = { certified: false, known: false, likelyGap: 1, settled: true, complete: false };
