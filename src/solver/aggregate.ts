/**
 * Step by step: the paper's way of training, kept for comparison. Every participant improves its duals from where it stands, with a
 * coupling allowance sigma for the simultaneous moves of the others, and every step is taken in full: w = sum_k u_k, v_k = u_k / C2.
 *
 * The default, `answers`, is in inquiry.ts. (docs/training.md has what was tried and measured.)
 */
import { invariant } from '../base/errors.ts';
import type { Aggregation } from '../settings/training.ts';
import { type Certificate, certificate, type MemberScalars } from './certificate.ts';
import type { Combiner, IndexedUpdate, Joining, KnownMember, Order } from './combiner.ts';
import { addScaled, dot, plusScaled } from './vector.ts';

export type StepRule = Exclude<Aggregation, 'answers'>;

interface StepRuleOf {
  sigma(participants: number): number;
  /** Whether the model in use is the best certified one, or the latest. */
  readonly keepsBest: boolean;
}

export const STEP_RULES: Readonly<Record<StepRule, StepRuleOf>> = {
  /** CoCoA+ (Ma et al. 2015): the dual never falls, slowly. */
  safe: { sigma: (participants) => participants, keepsBest: true },
  /** The paper's rule: not safe, it may diverge, and is shown as it is. */
  sum: { sigma: () => 1, keepsBest: false },
};

export class Aggregator implements Combiner {
  readonly members = new Map<number, KnownMember>();
  /** sum_k u_k over all participants, committed. */
  w: Float64Array;
  /** The problem never changes: a small gap is the end. */
  readonly settled = true;
  readonly keepsBest: boolean;
  private readonly rule: StepRule;
  private readonly c2: number;

  constructor(rule: StepRule, d: number, c2: number) {
    this.rule = rule;
    this.keepsBest = STEP_RULES[rule].keepsBest;
    this.c2 = c2;
    this.w = new Float64Array(d);
  }

  get sigma(): number {
    return STEP_RULES[this.rule].sigma(this.members.size);
  }

  orderFor(): Order {
    return { w: this.w, sigma: this.sigma };
  }

  /** w + v_k. */
  modelOf(member: number): Float64Array {
    return plusScaled(this.w, 1 / this.c2, this.members.get(member)!.u);
  }

  certificate(scalars: readonly MemberScalars[]): Certificate {
    return certificate(dot(this.w, this.w), this.c2, scalars);
  }

  join(member: number, { u }: Partial<Joining> = {}): void {
    this.members.set(member, { u: u ?? new Float64Array(this.w.length) });
    if (u) this.w = plusScaled(this.w, 1, u);
  }

  forget(member: number): void {
    this.members.delete(member);
    this.renewSum();
  }

  aggregate(updates: readonly IndexedUpdate[]): void {
    for (const { member, u } of updates) {
      const known = this.members.get(member);
      invariant(known, `aggregate: participant ${member} has not joined`);
      known.u = u;
    }
    this.renewSum();
  }

  get memory() {
    return {};
  }

  recall(): void {}

  /** Summed afresh from every part: conservation holds to rounding, however many rounds have gone by. */
  private renewSum(): void {
    this.w = new Float64Array(this.w.length);
    const inOrder = [...this.members].sort(([a], [b]) => a - b);
    for (const [, { u }] of inOrder) addScaled(this.w, 1, u);
  }
}
