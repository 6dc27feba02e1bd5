/** Rounds of the method on random problems, step by step, so that tests can look in between and leave people out. */
import {
  type Aggregation,
  Aggregator,
  type Certificate,
  certificate,
  commit,
  dot,
  examine,
  type MemberState,
  newMember,
  propose,
  type Shard,
  type Update,
} from '../../src/solver/index.ts';

export class Rounds {
  readonly shards: readonly Shard[];
  readonly aggregator: Aggregator;
  members: MemberState[];
  round = 0;

  constructor(rule: Aggregation, shards: readonly Shard[]) {
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

  /** One round in which those for whom `answers` says so take part; updates reach the aggregator in reverse order. */
  step(passes: number, tolerance = 1e-9, answers: (k: number) => boolean = () => true): Update[] {
    this.certify();
    const { sigma, atoms } = this.aggregator;
    const proposals = new Map<number, ReturnType<typeof propose>>();
    for (const [k, shard] of this.shards.entries()) {
      if (!answers(k)) continue;
      proposals.set(
        k,
        propose(shard, this.members[k], { sigma, atoms, tolerance, passes, seed: this.round * 97 + k }),
      );
    }
    const updates = [...proposals].map(([member, { update }]) => ({ ...update, member })).reverse();
    for (const { member, weights } of this.aggregator.aggregate(updates)) {
      this.members[member] = commit(this.shards[member], proposals.get(member)!.state, weights);
    }
    this.round++;
    return updates;
  }
}
