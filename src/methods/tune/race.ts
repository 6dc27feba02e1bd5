/**
 * Candidates that are compared on more and more folds: who falls behind the best one by more than chance explains is dropped, and so is who is not
 * among the better ones of a stage. A generator: it asks for chains and is given their decisions, so it does not see who trains.
 */
import type { Chain, Effort } from './chain.ts';
import type { Candidate } from './grid.ts';
import type { Score, Scoring } from './score.ts';

/** Chains to be done next, and how many trainings there will be in all, as far as is known. */
export interface SearchStep {
  readonly chains: readonly Chain[];
  readonly expected: number;
}

/** Decisions of each point of each chain. */
export type Replies = readonly (readonly Float64Array[])[];
export type Racing = Generator<SearchStep, void, Replies>;

/** Who goes on after the first fold, and after the second: a share of the candidates, some in any case. */
export interface Pace {
  readonly shares: readonly [number, number];
  readonly least: readonly [number, number];
  /** So few are all trained on all folds. */
  readonly few: number;
  /** Whether more than a few make a chain for each C2, which is work for more threads, or one for each scaling. */
  readonly chains: 'fine' | 'coarse';
  /** Most effort for a first impression, on the first fold, and for all other trainings. */
  readonly rough: Effort;
  readonly complete: Effort;
}

export interface RacePlan {
  readonly folds: number;
  readonly effort: Effort;
  readonly scoring: Scoring;
}

/** A candidate and how it did. */
export interface Tried {
  readonly candidate: Candidate;
  readonly score: Score;
  /** Folds that the score is of. */
  readonly folds: number;
}

interface Entry {
  readonly candidate: Candidate;
  /** Decisions by fold, after rough trainings and after complete ones. */
  readonly rough: Map<number, Float64Array>;
  readonly complete: Map<number, Float64Array>;
}

/** Trains candidates on folds, and drops those that fall behind. */
export class Race {
  trainings = 0;
  private readonly plan: RacePlan;
  private readonly pace: Pace;
  private readonly entries: Entry[] = [];
  /** Trainings that were announced. */
  private expected = 0;

  constructor(plan: RacePlan, pace: Pace) {
    this.plan = plan;
    this.pace = pace;
  }

  get candidates(): readonly Candidate[] {
    return this.entries.map(({ candidate }) => candidate);
  }

  private enter(candidate: Candidate): Entry {
    const entry = { candidate, rough: new Map(), complete: new Map() };
    this.entries.push(entry);
    return entry;
  }

  /** In stages, or few candidates on all folds. */
  start(candidates: readonly Candidate[]): Racing {
    return candidates.length > this.pace.few ? this.run(candidates) : this.finish(candidates);
  }

  /** All folds of each. */
  *finish(candidates: readonly Candidate[]): Racing {
    const entries = candidates.map((candidate) => this.enter(candidate));
    const { folds } = this.plan;
    const open = [...Array(folds).keys()];
    this.expected = this.trainings + entries.length * folds;
    yield* this.train(entries, open, this.effort('complete'), 'complete');
  }

  /** On more and more folds, and who falls behind is dropped on the way. */
  *run(candidates: readonly Candidate[]): Racing {
    const all = candidates.map((candidate) => this.enter(candidate));
    const { folds } = this.plan;
    const { shares, least } = this.pace;
    const [rough, effort] = [this.effort('rough'), this.effort('complete')];
    const rest = [...Array(folds).keys()].filter((fold) => fold !== 1);
    const most = shares.map((share, stage) =>
      Math.min(all.length, Math.max(least[stage], Math.ceil(share * all.length))),
    );
    this.expected = this.trainings + all.length + most[0] + most[1] * rest.length;
    yield* this.train(all, [0], rough, 'rough');
    const second = this.survivors(all, most[0], 'rough');
    this.expected = this.trainings + second.length + Math.min(second.length, most[1]) * rest.length;
    yield* this.train(second, [1], effort, 'complete');
    const last = this.survivors(second, most[1], 'complete');
    this.expected = this.trainings + last.length * rest.length;
    yield* this.train(last, rest, effort, 'complete');
  }

  /** Of all that went through all folds. */
  get best(): Tried {
    return this.standing()[0];
  }

  standing(): Tried[] {
    const { scoring } = this.plan;
    return this.entries
      .map(({ candidate, rough, complete }) => {
        const decisions = complete.size > 0 ? complete : rough;
        const stage = complete.size > 0 ? complete.size : 0;
        return { candidate, score: scoring.of(decisions), folds: decisions.size, stage };
      })
      .sort((a, b) => b.stage - a.stage || scoring.compare(a.score, b.score))
      .map(({ stage: _, ...tried }) => tried);
  }

  /** At most so many, none of them clearly worse than the best. A leader from before counts, where it has been through the same. */
  private survivors(entries: readonly Entry[], most: number, stage: 'rough' | 'complete'): Entry[] {
    const { scoring } = this.plan;
    const scored = (list: readonly Entry[]) =>
      list.flatMap((entry) => {
        const [first, second] = [entry.rough.get(0), entry.complete.get(1)];
        if (!first || (stage === 'complete' && !second)) return [];
        const decisions = new Map([[0, first]]);
        if (stage === 'complete' && second) decisions.set(1, second);
        return [{ entry, score: scoring.of(decisions) }];
      });
    const known = scored(this.entries).sort((a, b) => scoring.compare(a.score, b.score));
    return scored(entries)
      .filter(({ score }) => !scoring.isClearlyWorse(score, known[0].score))
      .sort((a, b) => scoring.compare(a.score, b.score))
      .slice(0, most)
      .map(({ entry }) => entry);
  }

  private effort(stage: 'rough' | 'complete'): Effort {
    const { gap, rounds } = this.plan.effort;
    const most = this.pace[stage];
    return { gap: Math.max(gap, most.gap), rounds: Math.min(rounds, most.rounds) };
  }

  private *train(
    entries: readonly Entry[],
    folds: readonly number[],
    effort: Effort,
    stage: 'rough' | 'complete',
  ): Racing {
    const groups = folds.flatMap((fold) => this.groups(entries).map((group) => ({ fold, group })));
    if (groups.length === 0) return;
    const chains = groups.map(({ fold, group }): Chain => {
      const { scale, features, classWeight } = group[0].candidate;
      const points = group.map(({ candidate: { c1, c2, lambda, epsilon } }) => ({ c1, c2, lambda, epsilon }));
      return { scale, features, classWeight, fold, effort, points };
    });
    const replies = yield { chains, expected: this.expected };
    for (const [i, { fold, group }] of groups.entries())
      for (const [p, entry] of group.entries()) entry[stage].set(fold, replies[i][p]);
    this.trainings += entries.length * folds.length;
  }

  /** Those that are trained one after another: of a scaling, or of a C2 where that makes work for more threads. */
  private groups(entries: readonly Entry[]): Entry[][] {
    const groups = new Map<string, Entry[]>();
    const ordered = [...entries].sort((a, b) => this.place(a) - this.place(b));
    for (const entry of ordered) {
      const { scale, features, classWeight, c2, lambda, epsilon } = entry.candidate;
      const isFine = this.pace.chains === 'fine' && entries.length > this.pace.few;
      const fine = isFine ? [c2, lambda, epsilon] : [];
      const key = JSON.stringify([features, scale, classWeight, ...fine]);
      groups.set(key, [...(groups.get(key) ?? []), entry]);
    }
    return [...groups.values()];
  }

  private place(entry: Entry): number {
    return this.entries.indexOf(entry);
  }
}
