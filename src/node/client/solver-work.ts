/** What the solver's thread does: holds the rows, scales them, solves. */
import { invariant } from '../../base/errors.ts';
import { Arena } from '../../math/arena.ts';
import type { SolveRequest, SolveResult } from '../../participant/effects.ts';
import { scaledShard } from '../../participant/scaled-rows.ts';
import { carryOut } from '../../participant/solve.ts';
import type { FederationSettings } from '../../protocol/messages.ts';
import type { Shard } from '../../solver/shard.ts';
import { entropyStream } from '../entropy.ts';
import { BENCHMARK_PASSES, benchmark } from './benchmark.ts';
import {
  DROP_UP_TO,
  type FromSolver,
  monotonicMs,
  type SolverData,
  STOP_UP_TO,
  type ToSolver,
} from './solver-messages.ts';
import { TimedEffort } from './timed-effort.ts';

/** For the way from this thread to the wire; what is lost on the wire itself the budget leaves room for. */
const HANDING_OVER_MS = 3;

export class SolverWork {
  readonly ready: FromSolver & { kind: 'ready' };
  private readonly data: SolverData;
  private readonly arena = new Arena();
  private readonly effort: TimedEffort;
  private shard: Shard | undefined;
  private settings: FederationSettings | undefined;
  /** From the last pass to the answer, the last time. */
  private windingUpMs = 0;
  /** Number of the solve. */
  private underWay = 0;

  constructor(data: SolverData) {
    this.data = data;
    const { x, n, d, slowdown } = data;
    const { moments, passMs } = benchmark(this.arena, x, n, d);
    const slowMs = passMs * slowdown;
    this.ready = { kind: 'ready', benchmarkMs: BENCHMARK_PASSES * slowMs, moments };
    const clock = { now: monotonicMs, sleep: (ms: number) => this.sleep(ms) };
    this.effort = new TimedEffort(clock, slowdown, slowMs / n);
  }

  prepare({ number, settings, scaling, y }: Extract<ToSolver, { kind: 'prepare' }>): FromSolver {
    const { x, d: features } = this.data;
    this.shard?.release();
    this.settings = settings;
    this.shard = scaledShard(this.arena, settings, scaling, { x, y, features });
    return { kind: 'prepared', number, cap: this.shard.cap };
  }

  /** Undefined: nobody wants the answer any more. */
  solve(number: number, request: SolveRequest, untilMs: number): SolveResult | undefined {
    invariant(this.shard && this.settings, 'solver: rows are scaled before they are solved for');
    if (this.isOrdered(DROP_UP_TO, number)) return undefined;
    this.underWay = number;
    const startedMs = monotonicMs();
    let passesOverMs = startedMs;
    const within = this.effort.within({
      untilMs: untilMs - this.windingUpMs - HANDING_OVER_MS,
      isStopped: () => this.isOrdered(STOP_UP_TO, number),
    });
    const outcome = carryOut(
      this.shard,
      request,
      this.settings,
      (solve, most) => {
        within(solve, most);
        passesOverMs = monotonicMs();
      },
      entropyStream,
    );
    const doneMs = monotonicMs();
    if (request.purpose === 'train') this.windingUpMs = doneMs - passesOverMs;
    if (this.isOrdered(DROP_UP_TO, number)) return undefined;
    return { ...outcome, computeMs: doneMs - startedMs };
  }

  private isOrdered(what: number, number: number): boolean {
    return Atomics.load(this.data.orders, what) >= number;
  }

  /** Until the time is over, or the solve under way is to stop. */
  private sleep(ms: number): void {
    const { orders } = this.data;
    const ordered = Atomics.load(orders, STOP_UP_TO);
    if (ordered < this.underWay) Atomics.wait(orders, STOP_UP_TO, ordered, ms);
  }
}
