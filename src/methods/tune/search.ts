/**
 * The search for the best candidate: which trainings are made, in which order, and who is dropped on the way.
 *
 * `halving` (successive halving, Jamieson and Talwalkar 2016, with paired comparisons as in racing, Maron and Moore 1994): all candidates are
 * trained on the first fold, roughly. Who falls behind the best one by more than chance explains is dropped, and so is who is not among
 * the better third. The rest are trained on the second fold, with the same rule, and what remains on all folds. Where the best one is at the end of a range that nobody has
 * given, the range is continued from there. Last, other epsilons and class weights are tried at the winner.
 *
 * `grid`: every candidate is trained on all folds.
 *
 * A generator: it asks for chains and is given their decisions, so it does not see who trains.
 */

import type { Chain, Effort } from './chain.ts';
import { beyond, type Candidate, continued, type Edge, edgesOf, type Grid } from './grid.ts';
import type { Score, Scoring } from './score.ts';

export const SEARCHES = ['halving', 'grid'] as const;
export type SearchKind = (typeof SEARCHES)[number];

/** Chains to be done next, and how many trainings there will be in all, as far as is known. */
export interface SearchStep {
  readonly chains: readonly Chain[];
  readonly expected: number;
}

/** Decisions of each point of each chain. */
type Replies = readonly (readonly Float64Array[])[];
export type Searching = Generator<SearchStep, SearchOutcome, Replies>;

export interface SearchPlan {
  readonly kind: SearchKind;
  readonly grid: Grid;
  readonly candidates: readonly Candidate[];
  readonly folds: number;
  readonly effort: Effort;
  readonly scoring: Scoring;
  /** Ranges that may be continued beyond their ends. */
  readonly open: ReadonlySet<Edge['name']>;
}

/** A candidate and how it did. */
export interface Tried {
  readonly candidate: Candidate;
  readonly score: Score;
  /** Folds that the score is of. */
  readonly folds: number;
}

export interface SearchOutcome {
  /** Best first; who was dropped comes after all who were not. */
  readonly tried: readonly Tried[];
  /** As it was in the end. */
  readonly grid: Grid;
  readonly edges: readonly Edge[];
  readonly trainings: number;
  readonly widened: number;
}

/** So few are all trained on all folds. */
const FEW = 12;
/** Share of the candidates that goes on after the first fold, and after the second; some go on in any case. */
const SHARES = [1 / 3, 1 / 9];
const LEAST = [12, 6];
/** A first impression: accuracy of the trainings on the first fold. */
const ROUGH: Effort = { gap: 0.01, rounds: 25 };
const MOST_WIDENINGS = 2;

export function* search(plan: SearchPlan): Searching {
  const race = new Race(plan);
  const first = plan.candidates.map((candidate) => race.enter(candidate));
  const whole = plan.kind === 'grid' || first.length <= FEW;
  yield* whole ? race.finish(first) : race.run(first);
  let { grid } = plan;
  let widened = 0;
  for (; widened < MOST_WIDENINGS && plan.kind === 'halving'; widened++) {
    const edges = edgesOf(race.best.candidate, grid).filter(({ name }) => plan.open.has(name));
    if (edges.length === 0) break;
    const longer = continued(grid, edges);
    yield* race.run(beyond(race.best.candidate, grid, longer).map((candidate) => race.enter(candidate)));
    grid = longer;
  }
  for (const name of ['classWeight', 'epsilon'] as const) {
    const { candidate } = race.best;
    const others = (grid[name] as readonly unknown[]).filter((value) => value !== candidate[name]);
    yield* race.finish(others.map((value) => race.enter({ ...candidate, [name]: value })));
  }
  const edges = edgesOf(race.best.candidate, grid);
  return { tried: race.standing(), grid, edges, trainings: race.trainings, widened };
}

interface Entry {
  readonly candidate: Candidate;
  /** Decisions by fold, after rough trainings and after complete ones. */
  readonly rough: Map<number, Float64Array>;
  readonly complete: Map<number, Float64Array>;
}

class Race {
  trainings = 0;
  private readonly plan: SearchPlan;
  private readonly entries: Entry[] = [];
  /** Trainings that were announced. */
  private expected = 0;

  constructor(plan: SearchPlan) {
    this.plan = plan;
  }

  enter(candidate: Candidate): Entry {
    const entry = { candidate, rough: new Map(), complete: new Map() };
    this.entries.push(entry);
    return entry;
  }

  /** All folds of each. */
  *finish(entries: readonly Entry[]): Generator<SearchStep, void, Replies> {
    const { folds, effort } = this.plan;
    const open = [...Array(folds).keys()];
    this.expected = this.trainings + entries.length * folds;
    yield* this.train(entries, open, effort, 'complete');
  }

  /** On more and more folds, and who falls behind is dropped on the way. */
  *run(all: readonly Entry[]): Generator<SearchStep, void, Replies> {
    const { folds, effort } = this.plan;
    const rough = { gap: Math.max(effort.gap, ROUGH.gap), rounds: Math.min(effort.rounds, ROUGH.rounds) };
    const rest = [...Array(folds).keys()].filter((fold) => fold !== 1);
    const most = SHARES.map((share, stage) =>
      Math.min(all.length, Math.max(LEAST[stage], Math.ceil(share * all.length))),
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

  private *train(
    entries: readonly Entry[],
    folds: readonly number[],
    effort: Effort,
    stage: 'rough' | 'complete',
  ): Generator<SearchStep, void, Replies> {
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
      const fine = this.plan.kind === 'halving' && entries.length > FEW ? [c2, lambda, epsilon] : [];
      const key = JSON.stringify([features, scale, classWeight, ...fine]);
      groups.set(key, [...(groups.get(key) ?? []), entry]);
    }
    return [...groups.values()];
  }

  private place(entry: Entry): number {
    return this.entries.indexOf(entry);
  }
}
