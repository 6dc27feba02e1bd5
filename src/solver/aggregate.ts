/**
 * Aggregation: the coordinator's side of the method. Given the updates of those who answered, a rule decides how much of
 * each is taken, as weights over (committed solution, atoms...) per participant; everything else is common to all rules.
 *
 *   sum          sigma = 1, step 1. The paper's rule: not safe, it may diverge. Kept for comparison.
 *   safe         sigma = participants, step 1. CoCoA+ (Ma et al. 2015): the dual never falls, slowly.
 *   line-search  one step in [0, 1] for all, the best one along the summed direction. Needs only sums.
 *   exact        the best convex combination of each participant's atoms. The default.
 *
 * (docs/aggregation.md has what was tried and measured.)
 */
import { invariant } from '../base/errors.ts';
import { exactRule } from './aggregate-exact.ts';
import { lineSearchRule } from './aggregate-line-search.ts';
import type { AggregationRule, IndexedUpdate } from './aggregation-rule.ts';
import { type Certificate, certificate, type MemberScalars } from './certificate.ts';
import type { Combiner, CombinerMemory, Joining, KnownMember, Order, Outcome } from './combiner.ts';
import type { Block } from './simplex-ascent.ts';
import { addScaled, dot, plusScaled, weightedSum } from './vector.ts';

export const AGGREGATIONS = ['exact', 'line-search', 'safe', 'sum'] as const;
export type Aggregation = (typeof AGGREGATIONS)[number];

const takeAll: AggregationRule['weigh'] = (_w, _c2, _updates, blocks) => {
  for (const { weights } of blocks) {
    weights.fill(0);
    weights[weights.length - 1] = 1;
  }
};

export const AGGREGATION_RULES: Readonly<Record<Aggregation, AggregationRule>> = {
  exact: exactRule,
  'line-search': lineSearchRule,
  safe: { atoms: 1, startSigma: (participants) => participants, weigh: takeAll },
  sum: { atoms: 1, startSigma: () => 1, weigh: takeAll },
};

/** Local solutions that a participant keeps beside the committed one. */
export function atomsKept(rule: Aggregation): number {
  return AGGREGATION_RULES[rule].atoms;
}

export class Aggregator implements Combiner {
  readonly members = new Map<number, KnownMember>();
  /** sum_k u_k over all participants, committed. */
  w: Float64Array;
  /** Coupling allowance for the next round; undefined until the first round has been weighed. */
  private adapted: number | undefined;
  /** The problem never changes: a small gap is the end. */
  readonly settled = true;
  readonly keepsBest: boolean;
  private readonly rule: AggregationRule;
  private readonly c2: number;

  constructor(rule: Aggregation, d: number, c2: number) {
    this.rule = AGGREGATION_RULES[rule];
    this.keepsBest = rule !== 'sum';
    this.c2 = c2;
    this.w = new Float64Array(d);
  }

  get atoms(): number {
    return this.rule.atoms;
  }

  get sigma(): number {
    return this.adapted ?? this.rule.startSigma(this.members.size);
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

  join(member: number, { u, atoms = [] }: Partial<Joining> = {}): void {
    this.members.set(member, { u: u ?? new Float64Array(this.w.length), atoms });
    if (u) this.w = plusScaled(this.w, 1, u);
  }

  /** Takes a participant's contribution out of w again. */
  forget(member: number): void {
    this.members.delete(member);
    this.renewSum();
  }

  aggregate(updates: readonly IndexedUpdate[]): Outcome[] {
    const ordered = [...updates].sort((a, b) => a.member - b.member);
    if (ordered.length === 0) return [];
    const blocks = ordered.map((update) => this.blockFor(update));
    this.rule.weigh(this.w, this.c2, ordered, blocks);
    for (const [i, { member }] of ordered.entries()) {
      this.members.get(member)!.u = weightedSum(blocks[i].weights, blocks[i].u);
    }
    this.renewSum();
    if (this.rule.nextSigma) this.adapted = this.rule.nextSigma(this.sigma, ordered);
    return ordered.map(({ member }, i) => ({ member, weights: blocks[i].weights }));
  }

  get memory(): CombinerMemory {
    return { sigma: this.adapted, relations: undefined };
  }

  recall({ sigma }: CombinerMemory): void {
    this.adapted = sigma;
  }

  /** Summed afresh from every part: conservation holds to rounding, however many rounds have gone by. */
  private renewSum(): void {
    this.w = new Float64Array(this.w.length);
    const inOrder = [...this.members].sort(([a], [b]) => a - b);
    for (const [, { u }] of inOrder) addScaled(this.w, 1, u);
  }

  private blockFor(update: IndexedUpdate): Block {
    const known = this.members.get(update.member);
    invariant(known, `aggregate: participant ${update.member} has not joined`);
    known.atoms.push({ u: plusScaled(known.u, 1, update.du), s: update.s + update.ds });
    if (known.atoms.length > this.rule.atoms) known.atoms.shift();
    return {
      s: [update.s, ...known.atoms.map((atom) => atom.s)],
      u: [known.u, ...known.atoms.map((atom) => atom.u)],
      weights: [1, ...known.atoms.map(() => 0)],
    };
  }
}
