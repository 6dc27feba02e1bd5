/**
 * Training as an inquiry: the coordinator asks everybody about a query w, everybody answers with its best personal part
 * (answer.ts), and the answers say where to ask next. With the personal parts minimised out there is one smooth function of w to minimise,
 *
 *   P(w) = 1/2 |w|^2 + sum_k F_k(w),      gradient  w - sum_k u_k(w),      so that at the optimum  w = sum_k u_k = C2 sum_k v_k
 *
 * Upper bound: P at a query, from the values that were answered. Somebody absent counts by its last answer, given to w': F_k has a
 * Lipschitz gradient, so F_k(w) <= F_k(w') - u_k.(w - w') + C2/2 |w - w'|^2. Somebody missing, who does not come back, counts by
 * its last cut alone: the problem is then that of the others, with what it has contributed held still.
 * Lower bound: D from the cuts (cuts.ts). Both are sums over members, and so is U = sum_k u_k: what is known by its sum alone is one
 * block in the same formulas.
 *
 * Next query: between the minimiser of the model that the cuts make and the best query so far (in-out, Ben-Ameur and Neto 2007), which does not mind
 * who answers and how exactly. Where only sums are seen a single block of cuts says little, and a quasi-Newton step on the sums is taken as
 * long as everybody answers and it helps. docs/training.md has the proofs in brief and what was tried.
 */
import { invariant } from '../base/errors.ts';
import { boundsOf, provenBounds } from './answer.ts';
import { certificateOf } from './certificate.ts';
import { LowerBound } from './cuts.ts';
import type {
  Best,
  GroupBounds,
  InquiryMemory,
  InquiryOptions,
  SingleAnswer,
  Standing,
  SummedAnswer,
} from './inquiry-types.ts';
import { excessOfHeld, excessOfValues, LastAnswers } from './last-answers.ts';
import { NextQuery, steppedBack } from './next-query.ts';
import { isPlausible, shownByVectors } from './shown-by-vectors.ts';
import { type OneGroup, SummedAnswers } from './summed-answers.ts';
import { dot, plusScaled } from './vector.ts';

/** In the first round nobody knows what the others will answer: each allows for so large a share of them to answer alike. */
const FIRST_ALLOWANCE = 0.25;
/** Of a query whose value is not known for those who are there now. */
const UNBOUNDED = { primal: Number.POSITIVE_INFINITY, rank: Number.POSITIVE_INFINITY };

export class Inquiry {
  /** What is asked now. Replaced, never changed in place. */
  query: Float64Array;
  best: Best | undefined;
  private readonly options: InquiryOptions;
  private readonly last: LastAnswers;
  private readonly lower: LowerBound;
  private readonly summed: SummedAnswers;
  private readonly next: NextQuery;
  /** How many participants each member stands for. */
  private readonly joined = new Map<number, number>();
  /** In place of its own: what a parent asks with. */
  private allowance: number | undefined;
  private covered = new Set<number>();
  private dual = Number.NEGATIVE_INFINITY;

  constructor(options: InquiryOptions) {
    this.options = options;
    this.query = new Float64Array(options.d);
    this.last = new LastAnswers(options.d, options.c2);
    this.lower = new LowerBound(options.d);
    this.summed = new SummedAnswers(this.last, this.lower);
    this.next = new NextQuery(options);
  }

  /** The shared part in use: that of the best query, or the present one as long as there is none. */
  get w(): Float64Array {
    return this.best?.w ?? this.query;
  }

  /** sum_k u_k over all last accepted answers. */
  get u(): Float64Array {
    return this.last.u;
  }

  /** For the first round of all, when everybody is about to correct the same error. */
  get sigma(): number {
    if (this.allowance !== undefined) return this.allowance;
    if (this.last.members.size > 0 || this.best) return 0;
    let participants = 0;
    for (const behind of this.joined.values()) participants += behind;
    return Math.max(1, FIRST_ALLOWANCE * participants);
  }

  join(member: number, participants = 1): void {
    this.joined.set(member, participants);
  }

  /** Asks what a parent asks, in place of a query of its own. */
  ask(query: Float64Array, sigma: number): void {
    this.query = query;
    this.allowance = sigma;
    this.best = undefined;
  }

  hasAnswered(member: number): boolean {
    return this.last.members.has(member);
  }

  /** Whether its last contribution has to be sent along before a new one can take its place. */
  needsPrevious(member: number): boolean {
    const known = this.last.members.get(member);
    return this.options.sees === 'single answers' && known !== undefined && known.u === undefined;
  }

  contributionOf(member: number): Float64Array | undefined {
    return this.last.members.get(member)?.u;
  }

  /** What a member's earlier answers say of its value at the query; undefined where they are not known. */
  boundsOn(member: number): { readonly least: number; readonly most: number } | undefined {
    const known = this.last.members.get(member);
    if (!known?.u || !known.query) return undefined;
    const most = known.value - dot(this.query, known.u) + this.last.slack(known.query, this.query);
    return { least: this.lower.valueAt(member, this.query), most };
  }

  /** Drops a member's answers. False: that takes asking everybody again, because nobody knows its part of the sums. */
  forget(member: number): boolean {
    this.joined.delete(member);
    const known = this.last.members.get(member);
    if (known && !known.u) return false;
    this.last.members.delete(member);
    this.covered.delete(member);
    this.lower.drop(member);
    this.last.renewSums();
    this.unbound();
    return true;
  }

  /** Asks everybody again, about the best query so far or a given one: all answers are dropped. */
  askAgain(query = this.w): void {
    this.query = query;
    this.last.clear();
    this.covered.clear();
    this.unbound();
    this.lower.clear();
    this.next.clear();
    // A warm start, not a beginning: nobody allows for the others' moves.
    this.best = { round: 0, ...UNBOUNDED, w: this.query, gradient: undefined, excess: 0 };
  }

  /** Nobody's answers are left: not even the queries that they led to stay. */
  startOver(): void {
    this.askAgain(new Float64Array(this.options.d));
    this.best = undefined;
  }

  /** Asks elsewhere: a part of the way back to the query that was answered longest ago, or to none. Cuts hold everywhere, so nothing is lost. */
  stepBack(): void {
    const asked = [...this.joined.keys()].map((member) => this.last.members.get(member)?.query);
    this.query = steppedBack(this.query, asked);
  }

  /** Takes the answers to the present query, replacing those before. */
  take(round: number, answers: readonly SingleAnswer[]): void {
    for (const given of [...answers].sort((a, b) => a.member - b.member)) this.takeOne(round, given);
    this.last.renewSums();
  }

  takeSum(round: number, sum: SummedAnswer): void {
    this.summed.take(this.query, round, sum);
  }

  /** Takes the sums of groups, each in place of what was known of the group before. */
  takeGroups(round: number, groups: readonly OneGroup[]): void {
    for (const group of [...groups].sort((a, b) => a.member - b.member)) {
      const change = this.summed.takeGroup(this.query, round, group);
      if (change === 'another function') this.unbound();
      else if (change === 'other participants' && this.best) this.best = { ...this.best, ...UNBOUNDED };
    }
    this.last.renewSums();
  }

  /** The sums that a group is known by to its parent: answers to the present query, and the last ones of those who are absent. */
  boundsOfAll(round: number, missing: ReadonlySet<number>): GroupBounds {
    return this.last.boundsAt(this.query, round, missing);
  }

  /** Closes a round: bounds, and the next query. `missing` do not come back: they count by their last cut. */
  close(round: number, missing: ReadonlySet<number> = new Set()): Standing {
    const first = this.sigma > 0 || this.dual === Number.NEGATIVE_INFINITY;
    this.cover(round, missing);
    const { query } = this;
    const absent = this.last.absentSlack(round, query, missing);
    const likely = dot(query, query) / 2 + this.last.valueSum(missing) - dot(query, this.u);
    const primal = likely + absent;
    const everybody = absent === 0;
    const gradient = everybody ? plusScaled(query, -1, this.u) : undefined;
    const known = [...this.last.members.values()];
    const rank = primal - excessOfHeld(known);
    const improved = this.covered.size > 0 && rank < (this.best?.rank ?? Number.POSITIVE_INFINITY);
    const checked = this.options.claims !== 'trusted' && this.options.sees === 'single answers';
    const excess = checked ? excessOfValues(known) : 0;
    if (improved) this.best = { round, primal, w: query, gradient, excess, rank };
    // What is known well enough is not made better; what is not known any more (other members, other rows) is.
    if (!this.isKnownEnough(primal))
      this.dual = Math.max(this.dual, this.lower.raise(this.best?.primal ?? primal));
    this.query = this.queryAfter(first, improved, gradient);
    const least = Math.min(likely, this.best?.primal ?? likely);
    const upper = this.best?.primal ?? primal;
    // Values are of a query: those of the present one say nothing of the scale of another.
    const excessOfBest = this.best?.excess ?? excess;
    const left = least < upper ? excess : excessOfBest;
    const standing = {
      ...certificateOf(upper, this.dual, upper - excessOfBest),
      everybody,
      likelyGap: certificateOf(least, this.dual, least - left).relativeGap,
      ...this.shown(),
    };
    if (this.isEnough(standing)) this.query = this.w;
    return standing;
  }

  private isKnownEnough(primal: number): boolean {
    const upper = this.best?.primal ?? primal;
    const { enough = Number.NEGATIVE_INFINITY } = this.options;
    return Number.isFinite(upper) && certificateOf(upper, this.dual).relativeGap <= enough;
  }

  /** With sums the vectors have to show it, too. */
  private isEnough({ relativeGap, vectorGap }: Standing): boolean {
    const { enough = 0, sees } = this.options;
    return enough > 0 && relativeGap <= enough && (sees !== 'sums' || vectorGap <= enough);
  }

  private queryAfter(first: boolean, improved: boolean, gradient: Float64Array | undefined): Float64Array {
    const { query, best, covered } = this;
    const { point } = this.lower;
    if (first || !best) return point;
    // Local gaps that cannot be are nobody's.
    const roughness = isPlausible(this.shown()) ? this.summedRoughness : 0;
    const members = this.options.sees === 'groups' ? this.last.participants : covered.size;
    const blocks = this.last.members.size;
    return this.next.after({ query, gradient, improved, best, point, members, blocks, roughness });
  }

  /** What answers that are known by sums leave between their values and their cuts. */
  private get summedRoughness(): number {
    const { last } = this;
    if (this.options.sees !== 'groups') return last.restValue - last.restConstant;
    return last.valueSum(new Set()) - last.constantSum;
  }

  private shown(): Pick<Standing, 'vectorGap' | 'claimedRoughness'> {
    const { best, u, last, summedRoughness: roughness } = this;
    return shownByVectors({ best, u, c2: this.options.c2, participants: last.participants, roughness });
  }

  get memory(): InquiryMemory {
    const { query, u, dual, best } = this;
    return {
      query,
      u,
      value: this.last.valueSum(new Set()),
      constant: this.last.constantSum,
      dual,
      best: best && { round: best.round, primal: best.primal, w: best.w },
      known: this.last.toNumbers(this.covered),
      ...(this.options.sees === 'groups' && { groups: this.summed.groups }),
    };
  }

  /** After everybody has joined again. Single contributions are not known any more, their sum is. */
  recall({ query, u, value, constant, dual, best, known, groups }: InquiryMemory): void {
    this.query = query;
    this.dual = dual;
    this.best = best && { ...best, gradient: undefined, excess: 0, rank: best.primal };
    for (const member of this.last.recall(known)) this.covered.add(member);
    if (groups) {
      this.summed.recallGroups(groups);
      return;
    }
    const summed = this.options.sees === 'sums';
    this.last.setRest(u, summed ? value : 0, summed ? constant : 0);
    this.summed.freezeRest();
  }

  private takeOne(round: number, { member, u, scalars, factor = 1, previous }: SingleAnswer): void {
    const { c2 } = this.options;
    const known = this.last.members.get(member);
    if (known && !known.u) {
      invariant(
        previous,
        `take: expected the last contribution of member ${member}, which is not known here`,
      );
      this.last.rest = plusScaled(this.last.rest, -1, previous);
    }
    const from = known?.u ?? previous ?? new Float64Array(u.length);
    const taken = factor < 1 ? plusScaled(from, factor, plusScaled(u, -1, from)) : u;
    const { value, constant, dualSum } = this.boundsBy(member, u, scalars);
    // Of a shortened change the combination of both cuts is known; its own would be better.
    const kept = factor < 1 ? (1 - factor) * (known?.constant ?? 0) + factor * constant : constant;
    this.last.members.set(member, {
      round,
      value: value + dot(this.query, taken),
      reached: value,
      constant: kept,
      // Of a change that was shortened the value bound at another w is not known.
      query: factor < 1 ? undefined : this.query,
      u: taken,
      held: factor < 1,
      participants: 1,
      slack: 0,
      renewed: 0,
    });
    const s = kept + dot(taken, taken) / (2 * c2);
    this.lower.add(member, { u: taken, s: factor < 1 ? s : dualSum }, 1 / c2);
    if (known && !known.u) this.summed.freezeRest();
  }

  /** No less than earlier cuts say, whatever it claims. */
  private boundsBy(member: number, u: Float64Array, scalars: SingleAnswer['scalars']) {
    const { claims, c2 } = this.options;
    if (claims === 'trusted') return { ...boundsOf(scalars, c2), dualSum: scalars.dualSum };
    return provenBounds(scalars, c2, this.boundsOn(member)?.least, dot(this.query, u));
  }

  /** A bound is of a problem: it says nothing of one with other members, or with another cut of a member that is held still. */
  private cover(present: number, missing: ReadonlySet<number>): void {
    let another = false;
    for (const [member, { round }] of this.last.members) {
      const [before, held] = [this.covered.has(member), missing.has(member)];
      if (held && (before || round === present)) this.freeze(member);
      if (!before && (!held || round === present)) another = true;
    }
    if (another && this.best) this.best = { ...this.best, ...UNBOUNDED };
    this.covered = new Set([...this.last.members.keys()].filter((member) => !missing.has(member)));
  }

  private freeze(member: number): void {
    this.dual = Number.NEGATIVE_INFINITY;
    const known = this.last.members.get(member);
    const { c2 } = this.options;
    if (known?.u) {
      const s = known.constant + dot(known.u, known.u) / (2 * c2);
      this.lower.freeze(member, { u: known.u, s }, 1 / c2);
    } else {
      // Its earlier cuts are in earlier sums: only the last one is left.
      this.summed.freezeRest();
    }
  }

  private unbound(): void {
    this.dual = Number.NEGATIVE_INFINITY;
    if (this.best) this.best = { ...this.best, ...UNBOUNDED };
    this.next.clear();
  }
}
