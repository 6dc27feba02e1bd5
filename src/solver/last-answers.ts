/**
 * Everybody's last accepted answer and the sums of them: U = sum_k u_k, values, constants of cuts. Whose answer is not known singly (sums are
 * all that is seen, or the process has been restarted) is part of `rest`.
 */
import type { GroupBounds, Known } from './inquiry-types.ts';
import { addScaled, plusScaled } from './vector.ts';

export class LastAnswers {
  readonly members = new Map<number, Known>();
  /** sum_k u_k. */
  u: Float64Array;
  /** Sum of the contributions that are not known singly, and of what goes with them. */
  rest: Float64Array;
  restValue = 0;
  restConstant = 0;
  private readonly c2: number;

  constructor(d: number, c2: number) {
    this.c2 = c2;
    this.u = new Float64Array(d);
    this.rest = new Float64Array(d);
  }

  clear(): void {
    this.members.clear();
    this.setRest(new Float64Array(this.u.length), 0, 0);
  }

  setRest(u: Float64Array, value: number, constant: number): void {
    this.rest = u;
    this.restValue = value;
    this.restConstant = constant;
    this.renewSums();
  }

  addToRest(u: Float64Array, value: number, constant: number): void {
    this.setRest(plusScaled(this.rest, 1, u), this.restValue + value, this.restConstant + constant);
  }

  /** An answer that is part of `rest`. */
  setUnknown(
    member: number,
    { round, value, constant, query }: Pick<Known, 'round' | 'value' | 'constant' | 'query'>,
  ): void {
    // Written out: with a spread each would get a shape of its own, and 10,000 of them take three times as long.
    this.members.set(member, {
      round,
      value,
      reached: 0,
      constant,
      query,
      u: undefined,
      held: false,
      participants: 1,
      slack: 0,
      renewed: 0,
    });
  }

  /** Five numbers for each member that has answered, as they are stored (`InquiryMemory`). */
  toNumbers(covered: ReadonlySet<number>): Float64Array {
    return Float64Array.from(
      [...this.members].flatMap(([member, { round, value, constant }]) => {
        return [member, round, value, constant, covered.has(member) ? 1 : 0];
      }),
    );
  }

  /** From those numbers, as part of `rest`: gives who was covered. */
  recall(numbers: Float64Array): number[] {
    const covered: number[] = [];
    for (let i = 0; i < numbers.length; i += 5) {
      const [member, round, value, constant, isCovered] = numbers.subarray(i, i + 5);
      this.setUnknown(member, { round, value, constant, query: undefined });
      if (isCovered === 1) covered.push(member);
    }
    return covered;
  }

  /** Summed again, in the order of members: conservation holds to rounding, however many rounds have gone by. */
  renewSums(): void {
    this.u = this.rest.slice();
    for (const [, { u }] of [...this.members].sort(([a], [b]) => a - b)) if (u) addScaled(this.u, 1, u);
  }

  /** sum_k of the constants of everybody's value bounds; of the missing their cuts'. */
  valueSum(missing: ReadonlySet<number>): number {
    let sum = this.restValue;
    for (const [member, { value, constant }] of this.members) sum += missing.has(member) ? constant : value;
    return sum;
  }

  /** How many participants have answered. */
  get participants(): number {
    let sum = 0;
    for (const { participants } of this.members.values()) sum += participants;
    return sum;
  }

  /** The constant of the cut that everybody's last answers make together. */
  get constantSum(): number {
    let sum = this.restConstant;
    for (const { constant } of this.members.values()) sum += constant;
    return sum;
  }

  /** The cut of those who are known by their sum alone; undefined: there are none. */
  get restCut(): { readonly u: Float64Array; readonly s: number } | undefined {
    const unknown = [...this.members.values()].filter(({ u }) => !u);
    if (unknown.length === 0) return undefined;
    return { u: this.rest, s: unknown.reduce((sum, { constant }) => sum + constant, this.restConstant) };
  }

  /** All answers together as those of one group. */
  boundsAt(query: Float64Array, round: number, missing: ReadonlySet<number>): GroupBounds {
    return {
      value: this.valueSum(missing),
      slack: this.absentSlack(round, query, missing),
      constant: this.constantSum,
    };
  }

  /** What those who did not answer in this round add to the upper bound at the query; 0: everybody answered. */
  absentSlack(present: number, at: Float64Array, missing: ReadonlySet<number>): number {
    const byQuery = new Map<Float64Array, number>();
    let sum = 0;
    for (const [member, { round, query, participants, slack }] of this.members) {
      if (missing.has(member)) continue;
      sum += slack;
      if (round === present) continue;
      if (!query) return Number.POSITIVE_INFINITY;
      byQuery.set(query, (byQuery.get(query) ?? 0) + participants);
    }
    for (const [query, count] of byQuery) sum += count * this.slack(query, at);
    // Asked the same again nobody need answer, but who has not is absent.
    return byQuery.size > 0 ? Math.max(sum, Number.MIN_VALUE) : sum;
  }

  /** C2/2 |to - from|^2: by how much F_k may leave the tangent of an answer. */
  slack(from: Float64Array, to: Float64Array): number {
    let distance2 = 0;
    for (let j = 0; j < to.length; j++) distance2 += (to[j] - from[j]) ** 2;
    return (this.c2 / 2) * distance2;
  }
}

/** Values above so many times the median do not count in the scale of the relative gap. */
const LARGEST_SHARE = 20;
const LEAST_FOR_MEDIAN = 3;
/** Values above so many times the largest one of the others do not count against a query, where they are of members held to a bound. */
const LARGEST_HELD = 2;

/**
 * What is left out of the scale of the relative gap: the part of any value that is more than so many times the median one. Who
 * claims a huge value makes nobody else's gap seem small.
 */
export function excessOfValues(known: Iterable<Known>): number {
  return excessOf([...known].flatMap(({ u, reached }) => (u ? [reached] : [])));
}

export function excessOf(values: readonly number[]): number {
  const typical = typicalValue(values);
  if (typical === undefined) return 0;
  const most = LARGEST_SHARE * Math.max(0, typical);
  return values.reduce((sum, value) => sum + Math.max(0, value - most), 0);
}

/** The median; undefined: of so few that one may be it. */
export function typicalValue(values: readonly number[]): number | undefined {
  if (values.length < LEAST_FOR_MEDIAN) return undefined;
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

/**
 * Of members of whom only a share of the change is taken: the part of their values that is far above those of everybody else. Their
 * contributions are bounded, and so is the weight of their claims in ranking a query; the certificate counts the claims in full.
 */
export function excessOfHeld(known: readonly Known[]): number {
  const free = known.flatMap(({ u, held, reached }) => (u && !held ? [reached] : []));
  if (free.length === 0) return 0;
  const most = LARGEST_HELD * free.reduce((a, b) => Math.max(a, b), 0);
  return known.reduce((sum, { held, reached }) => sum + (held ? Math.max(0, reached - most) : 0), 0);
}
