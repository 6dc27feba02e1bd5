/** What a closed round has brought: single answers, or a sum of which nobody knows the parts. Everything after is one. */
import type { SingleAnswer, SummedAnswer } from '../../solver/inquiry-types.ts';
import type { Member, RoundRow } from '../state.ts';

export interface Collected {
  /** Whose answers they are, in the same order. */
  readonly members: readonly Member[];
  readonly answers?: readonly (SingleAnswer & { readonly factor: number })[] | undefined;
  readonly sum?: SummedAnswer | undefined;
  readonly notes?: Pick<RoundRow, 'scores' | 'shortened'>;
}
