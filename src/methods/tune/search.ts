/**
 * The search for the best candidate: which trainings are made, in which order, and who is dropped on the way.
 *
 * `halving` (successive halving, Jamieson and Talwalkar 2016, with paired comparisons as in racing, Maron and Moore 1994): all candidates are
 * trained on the first fold, roughly. Who falls behind the best one by more than chance explains is dropped, and so is who is not among
 * the better third. The rest are trained on the second fold, with the same rule, and what remains on all folds. Where the best one is at the end of a range that nobody has
 * given, the range is continued from there. Last, other epsilons and class weights are tried at the winner.
 *
 * `quick`: the same with a coarse grid and fewer who go on; from the winner it steps to better neighbours, a factor of about 3 away, as long as there are any.
 *
 * `grid`: every candidate is trained on all folds.
 */
import {
  beyond,
  type Candidate,
  continued,
  type Edge,
  edgesOf,
  type Grid,
  gridOf,
  neighboursOf,
} from './grid.ts';
import { type Pace, Race, type RacePlan, type Replies, type SearchStep, type Tried } from './race.ts';

export const SEARCHES = ['halving', 'grid', 'quick'] as const;
export type SearchKind = (typeof SEARCHES)[number];

export interface SearchPlan extends RacePlan {
  readonly kind: SearchKind;
  readonly grid: Grid;
  readonly candidates: readonly Candidate[];
  /** Ranges that may be continued beyond their ends. */
  readonly open: ReadonlySet<Edge['name']>;
}

export interface SearchOutcome {
  /** Best first; who was dropped comes after all who were not. */
  readonly tried: readonly Tried[];
  /** As it was in the end. */
  readonly grid: Grid;
  readonly edges: readonly Edge[];
  readonly trainings: number;
  /** Times that the search went on beyond the grid. */
  readonly widened: number;
}

export type Searching = Generator<SearchStep, SearchOutcome, Replies>;
/** The grid in the end, and how often it was left. */
type Continuing = Generator<SearchStep, Pick<SearchOutcome, 'grid' | 'widened'>, Replies>;

const HALVING: Pace = {
  shares: [1 / 3, 1 / 9],
  least: [12, 6],
  few: 12,
  chains: 'fine',
  rough: { gap: 0.01, rounds: 25 },
  complete: { gap: 0, rounds: Number.POSITIVE_INFINITY },
};
const PACES: Readonly<Record<SearchKind, Pace>> = {
  halving: HALVING,
  quick: {
    shares: [1 / 4, 1 / 9],
    least: [4, 2],
    few: 3,
    chains: 'fine',
    rough: { gap: 0.03, rounds: 12 },
    complete: { gap: 0.01, rounds: 50 },
  },
  grid: { ...HALVING, few: Number.POSITIVE_INFINITY, chains: 'coarse' },
};

const MOST_WIDENINGS = 2;
const MOST_STEPS = 4;
/** A step that gains less than this share of the loss is the last one. */
const LEAST_GAIN = 0.01;

export function* search(plan: SearchPlan): Searching {
  const race = new Race(plan, PACES[plan.kind]);
  yield* race.start(plan.candidates);
  const { grid, widened } = yield* continuing(race, plan);
  for (const name of ['classWeight', 'epsilon'] as const) {
    const { candidate } = race.best;
    const others = (grid[name] as readonly unknown[]).filter((value) => value !== candidate[name]);
    yield* race.finish(others.map((value) => ({ ...candidate, [name]: value })));
  }
  const edges = edgesOf(race.best.candidate, grid);
  return { tried: race.standing(), grid, edges, trainings: race.trainings, widened };
}

function* continuing(race: Race, plan: SearchPlan): Continuing {
  if (plan.kind === 'grid') return { grid: plan.grid, widened: 0 };
  return yield* plan.kind === 'quick' ? refine(race, plan) : widen(race, plan);
}

/** Continues ranges at whose end the best one is. */
function* widen(race: Race, plan: SearchPlan): Continuing {
  let { grid } = plan;
  let widened = 0;
  for (; widened < MOST_WIDENINGS; widened++) {
    const edges = edgesOf(race.best.candidate, grid).filter(
      (edge) => plan.open.has(edge.name) && isRising(race, plan.scoring, edge),
    );
    if (edges.length === 0) break;
    const longer = continued(grid, edges);
    yield* race.run(beyond(race.best.candidate, grid, longer));
    grid = longer;
  }
  return { grid, widened };
}

/** Whether the best one, at the end of a range, is better than all others by more than a plateau is uneven. */
function isRising(race: Race, scoring: SearchPlan['scoring'], { name, value }: Edge): boolean {
  const { best } = race;
  const inside = race
    .standing()
    .find(({ candidate, folds }) => folds === best.folds && candidate[name] !== value);
  return !inside || scoring.gain(inside.score, best.score) >= LEAST_GAIN;
}

/** From the best one to its best neighbour, until that is hardly better. */
function* refine(race: Race, { grid, open, scoring }: SearchPlan): Continuing {
  let steps = 0;
  while (steps < MOST_STEPS) {
    const { best } = race;
    const near = neighboursOf(best.candidate, grid, open, race.candidates);
    if (near.length === 0) break;
    yield* race.run(near);
    steps++;
    if (scoring.gain(best.score, race.best.score) < LEAST_GAIN) break;
  }
  return { grid: gridOf(race.candidates, grid), widened: steps };
}
