/** Holds the rows of one participant, scales them and solves: what a thread, a web worker and a solver in this very thread have in common. */
import { invariant } from '../base/errors.ts';
import type { Stream } from '../base/random.ts';
import { Arena } from '../math/arena.ts';
import type { Moments, Scaling } from '../math/scaling.ts';
import type { SolveRequest, SolveResult } from '../participant/effects.ts';
import { scaledShard } from '../participant/scaled-rows.ts';
import { carryOut } from '../participant/solve.ts';
import type { FederationSettings } from '../settings/federation.ts';
import type { Shard } from '../solver/shard.ts';
import { BENCHMARK_PASSES, benchmark } from './benchmark.ts';
import type { RawTrainingRows } from './ports.ts';
import { type EffortClock, TimedEffort } from './timed-effort.ts';

/** For the way from here to the wire; what is lost on the wire itself the budget leaves room for. */
const HANDING_OVER_MS = 3;

interface SolveLimits {
  /** By the clock that the work was given; Infinity: as long as it takes. */
  readonly untilMs: number;
  /** Asked between passes: it is to answer with what there is. */
  isStopped(): boolean;
  /** Nobody wants the answer any more. */
  isDropped(): boolean;
}

export class RowWork {
  readonly moments: Moments;
  readonly benchmarkMs: number;
  private readonly rows: RawTrainingRows;
  private readonly clock: EffortClock;
  /** For masks and noise: nobody else may know it. */
  private readonly secret: () => Stream;
  private readonly arena: Arena;
  private readonly effort: TimedEffort;
  private shard: Shard | undefined;
  private settings: FederationSettings | undefined;
  /** From the last pass to the answer, the last time. */
  private windingUpMs = 0;

  constructor(rows: RawTrainingRows, clock: EffortClock, secret: () => Stream, arena = new Arena()) {
    this.rows = rows;
    this.clock = clock;
    this.secret = secret;
    this.arena = arena;
    const { moments, passMs } = benchmark(this.arena, rows, () => clock.now());
    const slowMs = passMs * rows.slowdown;
    this.moments = moments;
    this.benchmarkMs = BENCHMARK_PASSES * slowMs;
    this.effort = new TimedEffort(clock, rows.slowdown, slowMs / rows.n);
  }

  /** Gives C1 c of each row. */
  prepare(settings: FederationSettings, scaling: Scaling, y: Float64Array): Float64Array {
    const { x, d: features } = this.rows;
    this.shard?.release();
    this.settings = settings;
    this.shard = scaledShard(this.arena, settings, scaling, { x, y, features });
    return this.shard.cap;
  }

  solve(request: SolveRequest, { untilMs, isStopped, isDropped }: SolveLimits): SolveResult | undefined {
    const { clock, shard, settings } = this;
    invariant(shard && settings, 'solver: rows are scaled before they are solved for');
    if (isDropped()) return undefined;
    const startedMs = clock.now();
    let passesOverMs = startedMs;
    const within = this.effort.within({ untilMs: untilMs - this.windingUpMs - HANDING_OVER_MS, isStopped });
    const outcome = carryOut(
      shard,
      request,
      settings,
      (solve, most) => {
        within(solve, most);
        passesOverMs = clock.now();
      },
      this.secret,
    );
    const doneMs = clock.now();
    if (request.purpose === 'train') this.windingUpMs = doneMs - passesOverMs;
    return isDropped() ? undefined : { ...outcome, computeMs: doneMs - startedMs };
  }

  release(): void {
    this.shard?.release();
  }
}
