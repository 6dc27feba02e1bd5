/**
 * One inquiry (inquiry.ts) for each head, side by side: P is a sum over heads, and so is every bound. Each head has queries, cuts and a certificate of its own, so that
 * an easy class does not wait for a hard one. Outside of here vectors are those of all heads, one block after another.
 *
 * A head that is certified as well as asked for goes on asking about its best query: its answers are warm starts that are solved already, and cost next to nothing.
 */
import { headScalars } from './answer.ts';
import { type Certificate, certificateOf } from './certificate.ts';
import { Inquiry } from './inquiry.ts';
import type {
  Best,
  GroupAnswer,
  GroupBounds,
  InquiryMemory,
  InquiryOptions,
  SingleAnswer,
  Standing,
  SummedAnswer,
} from './inquiry-types.ts';
import { isPlausible } from './shown-by-vectors.ts';
import { concatenate } from './vector.ts';

export interface InquiriesOptions extends InquiryOptions {
  readonly heads: number;
  /** The relative gap that is asked for. */
  readonly gap: number;
}

/** Of one head, what an inquiry stores; of several, that of each, and u as a whole. */
export type InquiriesMemory =
  | InquiryMemory
  | { readonly u: Float64Array; readonly heads: readonly InquiryMemory[] };

/** Of all heads together. */
export interface JointStanding extends Standing {
  readonly heads: readonly Certificate[];
  /** Of the head that is farthest from its optimum. */
  readonly largestGap: number;
}

export class Inquiries {
  private readonly heads: readonly Inquiry[];
  private readonly columns: number;

  /** `d` is the length of all heads' vectors. */
  constructor({ heads, gap, d, ...options }: InquiriesOptions) {
    this.columns = d / heads;
    const enough = heads > 1 ? gap : undefined;
    this.heads = Array.from({ length: heads }, () => new Inquiry({ ...options, d: this.columns, enough }));
  }

  get query(): Float64Array {
    return joined(this.heads.map(({ query }) => query));
  }

  /** The shared part in use. */
  get w(): Float64Array {
    return joined(this.heads.map(({ w }) => w));
  }

  /** sum_k u_k over all last accepted answers. */
  get u(): Float64Array {
    return joined(this.heads.map(({ u }) => u));
  }

  get sigma(): number {
    return this.heads[0].sigma;
  }

  /** The model in use: the round is the last one that has improved it in any head. Undefined: in some head there is none yet. */
  get best(): Pick<Best, 'round' | 'primal'> | undefined {
    let round = 0;
    let primal = 0;
    for (const { best } of this.heads) {
      if (!best) return undefined;
      round = Math.max(round, best.round);
      primal += best.primal;
    }
    return { round, primal };
  }

  /** For each head, whether its best query is of this round. */
  improvedIn(round: number): readonly boolean[] {
    return this.heads.map(({ best }) => best?.round === round);
  }

  join(member: number, participants = 1): void {
    for (const head of this.heads) head.join(member, participants);
  }

  /** Asks what a parent asks. */
  ask(query: Float64Array, sigma: number): void {
    for (const [h, head] of this.heads.entries()) head.ask(this.block(query, h), sigma);
  }

  hasAnswered(member: number): boolean {
    return this.heads[0].hasAnswered(member);
  }

  needsPrevious(member: number): boolean {
    return this.heads[0].needsPrevious(member);
  }

  contributionOf(member: number): Float64Array | undefined {
    if (!this.heads[0].contributionOf(member)) return undefined;
    return joined(this.heads.map((head) => head.contributionOf(member)!));
  }

  /** What a member's earlier answers say of its value at the query, for each head. */
  boundsOn(member: number): readonly ReturnType<Inquiry['boundsOn']>[] {
    return this.heads.map((head) => head.boundsOn(member));
  }

  /** False: that takes asking everybody again. */
  forget(member: number): boolean {
    // Which members are known singly is the same in all heads.
    return this.heads.map((head) => head.forget(member)).every(Boolean);
  }

  askAgain(query = this.w): void {
    for (const [h, head] of this.heads.entries()) head.askAgain(this.block(query, h));
  }

  startOver(): void {
    for (const head of this.heads) head.startOver();
  }

  stepBack(): void {
    for (const head of this.heads) head.stepBack();
  }

  take(round: number, answers: readonly SingleAnswer[]): void {
    for (const [h, head] of this.heads.entries()) {
      head.take(
        round,
        answers.map((given) => this.ofHead(given, h)),
      );
    }
  }

  takeSum(round: number, { counted, u, heads, ...total }: SummedAnswer): void {
    const parts = heads ?? [total];
    for (const [h, head] of this.heads.entries())
      head.takeSum(round, { counted, u: this.block(u, h), ...parts[h] });
  }

  takeGroups(round: number, groups: readonly GroupAnswer[]): void {
    for (const [h, head] of this.heads.entries()) {
      head.takeGroups(
        round,
        groups.map(({ heads, u, ...group }) => ({ ...group, ...heads[h], u: this.block(u, h) })),
      );
    }
  }

  /** One for each head. */
  boundsOfAll(round: number, missing: ReadonlySet<number>): GroupBounds[] {
    return this.heads.map((head) => head.boundsOfAll(round, missing));
  }

  close(round: number, missing: ReadonlySet<number> = new Set()): JointStanding {
    const standings = this.heads.map((head) => head.close(round, missing));
    const [first] = standings;
    const heads = standings.map(({ primal, dual, relativeGap }) => ({ primal, dual, relativeGap }));
    if (standings.length === 1) return { ...first, heads, largestGap: first.relativeGap };
    const sum = (of: (standing: Standing) => number) => standings.reduce((total, one) => total + of(one), 0);
    const largest = (of: (standing: Standing) => number) => Math.max(...standings.map(of));
    const scale = sum(({ primal, dual, relativeGap }) => scaleOf(primal, dual, relativeGap));
    return {
      ...certificateOf(
        sum(({ primal }) => primal),
        sum(({ dual }) => dual),
        scale,
      ),
      everybody: first.everybody,
      likelyGap: largest(({ likelyGap }) => likelyGap),
      vectorGap: largest(({ vectorGap }) => vectorGap),
      claimedRoughness: (standings.find((one) => !isPlausible(one)) ?? first).claimedRoughness,
      heads,
      largestGap: largest(({ relativeGap }) => relativeGap),
    };
  }

  get memory(): InquiriesMemory {
    const memories = this.heads.map(({ memory }) => memory);
    return memories.length === 1 ? memories[0] : { u: this.u, heads: memories };
  }

  recall(memory: InquiriesMemory): void {
    const memories = 'heads' in memory ? memory.heads : [memory];
    for (const [h, head] of this.heads.entries()) head.recall(memories[h]);
  }

  private block(vector: Float64Array, head: number): Float64Array {
    if (this.heads.length === 1) return vector;
    return vector.slice(head * this.columns, (head + 1) * this.columns);
  }

  private ofHead({ u, scalars, previous, ...given }: SingleAnswer, head: number): SingleAnswer {
    return {
      ...given,
      u: this.block(u, head),
      scalars: headScalars(scalars)[head],
      previous: previous && this.block(previous, head),
    };
  }
}

/** What a relative gap was measured by. */
function scaleOf(primal: number, dual: number, relativeGap: number): number {
  return relativeGap > 0 && Number.isFinite(primal) ? (primal - dual) / relativeGap : Math.abs(primal);
}

/** Of one head its own vector: whoever keeps one keeps what it was. */
function joined(blocks: readonly Float64Array[]): Float64Array {
  return blocks.length === 1 ? blocks[0] : concatenate(blocks);
}
