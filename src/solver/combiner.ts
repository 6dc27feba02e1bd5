/**
 * The coordinator's side of a method that goes step by step, as the coordinator's machine and the in-process trainers see it: what
 * each participant is sent in a round, what becomes of the steps, how good the result is, and what must survive a crash.
 *
 *   Aggregator       the multi-task SVM: one w for all, and u_k / C2 for each (aggregate.ts)
 *   MochaAggregator  MOCHA: a model for each, tied together by learnt relations (aggregate-mocha.ts)
 *
 * Participants do the same under both. The default is no such method: inquiry.ts.
 */
import type { Certificate, MemberScalars } from './certificate.ts';
import type { StoredRelations } from './relations.ts';

/** What the coordinator knows of a participant's part: the committed u. */
export interface KnownMember {
  u: Float64Array;
}

/** Who joins, with what it contributes already: nothing, a warm start, or what was stored. */
export interface Joining {
  readonly rows: number;
  readonly u?: Float64Array | undefined;
}

/** What a participant is sent in a round: the vector its solve starts from, and its coupling allowance. */
export interface Order {
  readonly w: Float64Array;
  readonly sigma: number;
}

/** A participant's whole contribution after its step. */
export interface IndexedUpdate {
  readonly member: number;
  readonly u: Float64Array;
}

export interface IndexedScalars extends MemberScalars {
  readonly member: number;
}

/** What a method has learnt beside what it knows of each member. */
export interface CombinerMemory {
  readonly relations?: StoredRelations | undefined;
  /** What w holds beside the members' parts: the noise of differential privacy (privacy/dp/noisy-combiner.ts). */
  readonly noise?: Float64Array | undefined;
  /** Where nothing but w is known (summed-steps.ts). */
  readonly w?: Float64Array | undefined;
}

/**
 * Participants are numbered by the caller, newcomers with higher numbers than all before them. `w`, every member's u and every
 * model are replaced when they change, never changed in place: whoever keeps one keeps what it was.
 */
export interface Combiner {
  readonly members: ReadonlyMap<number, KnownMember>;
  /** The part that all models share. */
  readonly w: Float64Array;
  /** The coupling allowance, as far as one number can say it. */
  readonly sigma: number;
  /** Whether a small gap means the end: not while the problem itself still moves. */
  readonly settled: boolean;
  /**
   * Whether the model in use is the best one so far (by its primal value) and not the latest. What raises the dual round by
   * round may pass through worse models on its way. Not for the paper's rule, which is shown as it is, and not where the
   * primal values of two rounds are of different problems.
   */
  readonly keepsBest: boolean;
  orderFor(member: number): Order;
  modelOf(member: number): Float64Array;
  certificate(scalars: readonly IndexedScalars[]): Certificate;
  join(member: number, joining: Joining): void;
  forget(member: number): void;
  /** Takes every step in full. `gap`: the relative gap as last known. */
  aggregate(updates: readonly IndexedUpdate[], gap: number): void;
  readonly memory: CombinerMemory;
  /** After everybody has joined again with what was stored. */
  recall(memory: CombinerMemory): void;
}
