/** What goes into an inquiry, what comes out of it, and what it remembers. */
import type { AnswerScalars } from './answer.ts';
import type { Certificate } from './certificate.ts';

export interface InquiryOptions {
  /** Columns, with the bias. */
  readonly d: number;
  readonly c2: number;
  /** Whether single answers are seen, only one sum of them, or the sums of several groups. */
  readonly sees: 'single answers' | 'sums' | 'groups';
  /** Whether members may claim what is not so; default: they may. */
  readonly claims?: 'trusted' | 'checked' | undefined;
  /** Certified to this relative gap it goes on asking about its best query. Default: it goes on to better ones. */
  readonly enough?: number | undefined;
}

export interface Known {
  /** Round of the query that it answered. */
  round: number;
  /** F_k(w') + w'.u_k, so that its value bound at w is `value` - w.u_k + C2/2 |w - w'|^2; in sums unknown: 0. */
  value: number;
  /** F_k(w') itself, as it was answered. */
  reached: number;
  /** Constant of its cut; in sums unknown: 0. */
  constant: number;
  /** w'; unknown after a restart. */
  query: Float64Array | undefined;
  /** Unknown after a restart, and always where only sums are seen. */
  u: Float64Array | undefined;
  /** Whether only a share of its last change was taken. */
  held: boolean;
  /** How many participants it stands for. */
  participants: number;
  /** Of a group, beside `value`: what its own absent members add to its bound at w'. */
  slack: number;
  /** Of a group: counts what has made its function another one (`GroupBounds`). */
  renewed: number;
}

export interface SingleAnswer {
  readonly member: number;
  readonly u: Float64Array;
  readonly scalars: AnswerScalars;
  /** Share of the change that is taken, where a defence holds the member to a bound. */
  readonly factor?: number | undefined;
  /** Its last accepted contribution, where that is not known here. */
  readonly previous?: Float64Array | undefined;
}

/** A sum over those who were counted: of their changes since their last accepted answers. */
export interface SummedAnswer {
  readonly counted: readonly number[];
  readonly u: Float64Array;
  /** Of F_k(w) + w.u_k, over all heads. */
  readonly value: number;
  readonly constant: number;
  /** The same for each head, where there are several. */
  readonly heads?: readonly { readonly value: number; readonly constant: number }[] | undefined;
}

/** What a group is known by in one head: sums over its members' last answers. */
export interface GroupBounds {
  /** Of F_k(w_k) + w_k.u_k, for answers to w_k; of members that do not come back, of the constants of their cuts. */
  readonly value: number;
  /** What those who have answered another query than the present one add to the upper bound; Infinity: not known. */
  readonly slack: number;
  readonly constant: number;
}

/** The last answers of a whole group, in place of those before. */
export interface GroupAnswer {
  readonly member: number;
  readonly u: Float64Array;
  /** One for each head. */
  readonly heads: readonly GroupBounds[];
  /** How many its bounds cover. */
  readonly participants: number;
  /** Whether some do not come back: their part is linear, and may be below 0. */
  readonly held: boolean;
  /** Another number than before: somebody in it is gone, held still, or has other rows, and bounds of before say nothing of it. */
  readonly renewed: number;
}

/** A group as it is stored: its contribution is known singly, also after a restart. */
export interface GroupMemory extends GroupBounds {
  readonly member: number;
  readonly round: number;
  readonly u: Float64Array;
  readonly participants: number;
  readonly renewed: number;
}

/** What a closed round has shown. */
export interface Standing extends Certificate {
  /** Whether everybody who is covered has answered this very query. */
  readonly everybody: boolean;
  /** The relative gap that there would be if those who did not answer had answered as their last answers suggest. */
  readonly likelyGap: number;
  /** 1/2 |w - U|^2 of the model in use, against what the vectors alone say of P at least; Infinity where not everybody had answered its w. */
  readonly vectorGap: number;
  /** The sum of everybody's local gaps, as claimed, against the same. */
  readonly claimedRoughness: number;
}

/** What survives a crash. */
export interface InquiryMemory {
  readonly query: Float64Array;
  readonly u: Float64Array;
  readonly value: number;
  readonly constant: number;
  readonly dual: number;
  readonly best: { readonly round: number; readonly primal: number; readonly w: Float64Array } | undefined;
  /** Five numbers for each member that has answered: member, round, value, constant, and whether `best` covers it (1 or 0). */
  readonly known: Float64Array;
  /** Where members are groups. */
  readonly groups?: readonly GroupMemory[] | undefined;
}

export interface Best {
  readonly round: number;
  readonly primal: number;
  readonly w: Float64Array;
  /** Of P, where everybody had answered it. */
  readonly gradient: Float64Array | undefined;
  /** What of its P does not count in the scale of the relative gap. */
  readonly excess: number;
  /** What it is compared with others by: P, but for what is claimed beyond all others by those who are held to a bound. */
  readonly rank: number;
}
