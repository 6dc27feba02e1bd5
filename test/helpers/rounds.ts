/** Rounds on random problems, one at a time, so that tests can look in between and leave participants out. */
import { Aggregator } from '../../src/solver/aggregate.ts';
import { type Answer, answer, boundsOf, type WarmDuals } from '../../src/solver/answer.ts';
import { type Certificate, certificate } from '../../src/solver/certificate.ts';
import type { IndexedUpdate } from '../../src/solver/combiner.ts';
import { Inquiry } from '../../src/solver/inquiry.ts';
import type { InquiryOptions, SingleAnswer, Standing } from '../../src/solver/inquiry-types.ts';
import { examine, newMember, propose, type Solution } from '../../src/solver/member.ts';
import type { Shard } from '../../src/solver/shard.ts';
import { addScaled, dot, norm, plusScaled } from '../../src/solver/vector.ts';

/** Rounds of steps: `safe` and `sum`. */
export class Rounds {
  readonly shards: readonly Shard[];
  readonly aggregator: Aggregator;
  readonly members: Solution[];
  round = 0;

  constructor(rule: 'safe' | 'sum', shards: readonly Shard[]) {
    this.shards = shards;
    this.aggregator = new Aggregator(rule, shards[0].d, shards[0].settings.c2);
    for (const k of shards.keys()) this.aggregator.join(k);
    this.members = shards.map((shard) => newMember(shard));
  }

  certify(): Certificate {
    const { w } = this.aggregator;
    const scalars = this.shards.map((shard, k) => examine(shard, this.members[k], w));
    return certificate(dot(w, w), this.shards[0].settings.c2, scalars);
  }

  /** One round of those for whom `answers` says so; steps reach the aggregator in reverse order. */
  step(passes: number, tolerance = 1e-9, answers: (k: number) => boolean = () => true): IndexedUpdate[] {
    this.certify();
    const { sigma } = this.aggregator;
    const updates: IndexedUpdate[] = [];
    for (const [member, shard] of this.shards.entries()) {
      if (!answers(member)) continue;
      const seed = this.round * 97 + member;
      const { solution } = propose(shard, { sigma, tolerance, passes, seed });
      this.members[member] = solution;
      updates.unshift({ member, u: solution.u });
    }
    this.aggregator.aggregate(updates);
    this.round++;
    return updates;
  }
}

/** What a round of answers is like; by default everybody answers exactly. */
export interface RoundOfAnswers {
  readonly passes?: number;
  readonly tolerance?: number;
  readonly answers?: (k: number) => boolean;
  readonly missing?: ReadonlySet<number>;
  /** Share of the change that is taken. */
  readonly factorOf?: (k: number) => number;
  /** Order of arrival. */
  readonly arrange?: (answers: SingleAnswer[]) => SingleAnswer[];
}

/** A member's last accepted answer, as the member knows it. */
export interface AcceptedPart {
  readonly u: Float64Array;
  /** F_k(w) + w.u. */
  readonly value: number;
  readonly constant: number;
}

/** Rounds of answers: an Inquiry and those who answer it. */
export class AnswerRounds {
  readonly shards: readonly Shard[];
  readonly accepted = new Map<number, AcceptedPart>();
  inquiry: Inquiry;
  round = 0;
  /** Sum of the norms of all answers that were ever accepted: what rounding is measured by. */
  largest = 0;
  private readonly options: InquiryOptions;
  private readonly warm = new Map<number, WarmDuals>();

  constructor(shards: readonly Shard[], options: Pick<InquiryOptions, 'sees' | 'claims'>) {
    this.shards = shards;
    const { d, settings } = shards[0];
    this.options = { d, c2: settings.c2, ...options };
    this.inquiry = this.joined();
  }

  step({ missing, arrange = (answers) => answers, ...how }: RoundOfAnswers = {}): Standing {
    this.round++;
    const { sigma } = this.inquiry;
    const given = [...this.shards.keys()]
      .filter((k) => how.answers?.(k) ?? true)
      .map((k) => ({ member: k, ...this.answer(k, sigma, how) }));
    if (this.options.sees === 'sums') this.takeSum(given);
    else this.takeSingles(given, how, arrange);
    return this.inquiry.close(this.round, missing);
  }

  /** As after a crash of the coordinator: all that is left is what was stored. */
  restart(): void {
    const { memory } = this.inquiry;
    this.inquiry = this.joined();
    this.inquiry.recall(structuredClone(memory));
  }

  /** Sum of everybody's accepted answers. */
  get sum(): Float64Array {
    const sum = new Float64Array(this.options.d);
    for (const { u } of this.accepted.values()) addScaled(sum, 1, u);
    return sum;
  }

  private joined(): Inquiry {
    const inquiry = new Inquiry(this.options);
    for (const k of this.shards.keys()) inquiry.join(k);
    return inquiry;
  }

  private answer(k: number, sigma: number, { passes = 500, tolerance = 1e-10 }: RoundOfAnswers): Answer {
    const seed = this.round * 97 + k;
    const given = answer(
      this.shards[k],
      this.inquiry.query,
      { sigma, passes, tolerance, seed },
      this.warm.get(k),
    );
    this.warm.set(k, given);
    return given;
  }

  private takeSingles(
    given: readonly (Answer & { member: number })[],
    { factorOf = () => 1 }: RoundOfAnswers,
    arrange: (answers: SingleAnswer[]) => SingleAnswer[],
  ): void {
    const answers = given.map(({ member, u, scalars }) => {
      const previous = this.inquiry.needsPrevious(member) ? this.accepted.get(member)!.u : undefined;
      return { member, u, scalars, previous, factor: factorOf(member) };
    });
    this.inquiry.take(this.round, arrange(answers));
    for (const { member, u, scalars } of given) this.accept(member, u, scalars, factorOf(member));
  }

  private accept(member: number, u: Float64Array, scalars: Answer['scalars'], factor: number): void {
    const { value, constant } = boundsOf(scalars, this.options.c2);
    const before = this.accepted.get(member) ?? { u: new Float64Array(u.length), constant: 0 };
    const part = factor === 1 ? u : plusScaled(before.u, factor, plusScaled(u, -1, before.u));
    this.largest += norm(part);
    this.accepted.set(member, {
      u: part,
      value: value + dot(this.inquiry.query, part),
      constant: (1 - factor) * before.constant + factor * constant,
    });
  }

  private takeSum(given: readonly (Answer & { member: number })[]): void {
    const before = this.totals();
    for (const { member, u, scalars } of given) this.accept(member, u, scalars, 1);
    const after = this.totals();
    this.inquiry.takeSum(this.round, {
      counted: given.map(({ member }) => member),
      u: plusScaled(after.u, -1, before.u),
      value: after.value - before.value,
      constant: after.constant - before.constant,
    });
  }

  private totals(): AcceptedPart {
    let value = 0;
    let constant = 0;
    for (const part of this.accepted.values()) {
      value += part.value;
      constant += part.constant;
    }
    return { u: this.sum, value, constant };
  }
}
