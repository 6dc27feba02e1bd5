/**
 * Answers that are known by sums, in the sums (last-answers.ts) and in the lower bound (cuts.ts) of an inquiry: each group of participants is a
 * block of its own, and so is the rest, all whose single contributions are not known.
 */
import type { LowerBound } from './cuts.ts';
import type { GroupAnswer, GroupBounds, GroupMemory, SummedAnswer } from './inquiry-types.ts';
import type { LastAnswers } from './last-answers.ts';
import { dot } from './vector.ts';

/** Block of all whose single contributions are not known. */
const THE_REST = -1;

/** A group's answer, in one head. */
export type OneGroup = Omit<GroupAnswer, 'heads'> & GroupBounds;

/** What of a group is not as it was before: bounds that cover it may not hold any more. */
type GroupChange = 'nothing' | 'other participants' | 'another function';

export class SummedAnswers {
  private readonly last: LastAnswers;
  private readonly lower: LowerBound;

  constructor(last: LastAnswers, lower: LowerBound) {
    this.last = last;
    this.lower = lower;
  }

  /** Takes one sum of answers to a query. */
  take(query: Float64Array, round: number, { counted, u, value, constant }: SummedAnswer): void {
    for (const member of counted) this.last.setUnknown(member, { round, value: 0, constant: 0, query });
    this.last.addToRest(u, value, constant);
    this.lower.add(THE_REST, { u: this.last.u, s: this.last.restConstant }, 0);
  }

  /** Takes the sum of a group in place of what was known of it before. */
  takeGroup(
    query: Float64Array,
    round: number,
    { member, u, value, slack, constant, participants, held, renewed }: OneGroup,
  ): GroupChange {
    const known = this.last.members.get(member);
    const isRenewed = known !== undefined && renewed !== known.renewed;
    this.last.members.set(member, {
      ...{ round, value, constant, u, participants, slack, renewed },
      reached: value - dot(query, u),
      // The bound of a group in which somebody is absent holds at this query alone.
      query: slack === 0 ? query : undefined,
      held: false,
    });
    // Nothing but this cut is known of a group that is another one, not even that it is at least 0.
    if (isRenewed || (!known && held)) this.lower.freeze(member, { u, s: constant }, 0);
    else this.lower.add(member, { u, s: constant }, 0);
    if (isRenewed) return 'another function';
    return known && participants !== known.participants ? 'other participants' : 'nothing';
  }

  get groups(): GroupMemory[] {
    return [...this.last.members].map(
      ([member, { round, value, slack, constant, participants, renewed, u }]) => {
        return { member, round, value, slack, constant, participants, renewed, u: u! };
      },
    );
  }

  /** Queries that they answered are not stored: until a group answers again there is no bound beyond the best one. */
  recallGroups(groups: readonly GroupMemory[]): void {
    for (const { member, u, constant, ...stored } of groups) {
      this.last.members.set(member, { ...stored, u, constant, query: undefined, reached: 0, held: false });
      this.lower.freeze(member, { u, s: constant }, 0);
    }
    this.last.renewSums();
  }

  /** The cut of those who are known by their sum alone. */
  freezeRest(): void {
    const { restCut } = this.last;
    if (restCut) this.lower.freeze(THE_REST, restCut, 0);
    else this.lower.drop(THE_REST);
  }
}
