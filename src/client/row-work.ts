/** Holds the rows of one participant, scales them and solves: what a thread, a web worker and a solver in this very thread have in common. */
import { invariant } from '../base/errors.ts';
import type { Clock } from '../base/ports.ts';
import type { Stream } from '../base/random.ts';
import { type ColumnSummary, isPlain, summarise } from '../data/column-summary.ts';
import { encodedRows, type PlacedCode } from '../data/encoding.ts';
import { codesFrom } from '../data/learn-encoding.ts';
import { Arena } from '../math/arena.ts';
import { featureMoments, type Moments, type Scaling, scaleRow, scalingFrom } from '../math/scaling.ts';
import type { SolveRequest, SolveResult } from '../participant/effects.ts';
import { scaledShard } from '../participant/scaled-rows.ts';
import { carryOut, type Effort, type Resumable, toEnd } from '../participant/solve.ts';
import type { FederationSettings } from '../settings/wire.ts';
import { LocalSolve } from '../solver/local-solve.ts';
import { Shard } from '../solver/shard.ts';
import type { OpenSolver, RawTrainingRows } from './ports.ts';

/** Whoever has no time is a little late rather than of no use: an answer without any pass teaches nobody anything. */
const LEAST_MS = 3;

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
  private readonly now: () => number;
  /** For masks and noise: nobody else may know it. */
  private readonly secret: () => Stream;
  private readonly arena: Arena;
  private readonly effort: TimedEffort;
  private shard: Shard | undefined;
  private settings: FederationSettings | undefined;
  /** From the last pass to the answer, the last time. */
  private windingUpMs = 0;

  constructor(rows: RawTrainingRows, now: () => number, secret: () => Stream, arena = new Arena()) {
    this.rows = rows;
    this.now = now;
    this.secret = secret;
    this.arena = arena;
    const { moments, passMs } = benchmark(this.arena, rows, now);
    const slowMs = passMs * rows.slowdown;
    this.moments = moments;
    this.benchmarkMs = BENCHMARK_PASSES * slowMs;
    this.effort = new TimedEffort(now, rows.slowdown, slowMs / rows.n);
  }

  /** Gives C1 c of each row. */
  prepare(
    settings: FederationSettings,
    scaling: Scaling,
    y: Float64Array,
    codes?: readonly PlacedCode[] | undefined,
  ): Float64Array {
    const { n, weights } = this.rows;
    this.shard?.release();
    this.settings = settings;
    const x = codes ? encodedRows({ source: 'rows', ...this.rows }, codes) : this.rows.x;
    this.shard = scaledShard(this.arena, settings, scaling, { x, y, features: x.length / n, weights });
    return this.shard.cap;
  }

  /** One at a time. A solve that is not run to its end is no loss: the next one begins from its own request. */
  *solve(
    request: SolveRequest,
    { untilMs, isStopped, isDropped }: SolveLimits,
  ): Resumable<SolveResult | undefined> {
    const { now, shard, settings } = this;
    invariant(shard && settings, 'solver: rows must be scaled before solving');
    if (isDropped()) return undefined;
    const startedMs = now();
    const passesUntilMs = Math.max(untilMs - this.windingUpMs, startedMs + LEAST_MS);
    const within = this.effort.within({ untilMs: passesUntilMs, isStopped });
    const outcome = yield* carryOut(shard, request, settings, within, this.secret);
    const doneMs = now();
    if (request.purpose === 'train') this.windingUpMs = doneMs - this.effort.passedMs;
    return isDropped() ? undefined : { ...outcome, computeMs: doneMs - startedMs };
  }

  release(): void {
    this.shard?.release();
  }
}

/** Passes of a benchmark solve: the most that a round asks for by default. */
const BENCHMARK_PASSES = 100;
/** A pass that takes less is measured again: the first one also warms up. */
const SHORT_MS = 50;
const MOST_TRIES = 3;

/** How fast this device is, before it knows what it will be asked: passes over its real rows, scaled by themselves. */
function benchmark(arena: Arena, rows: RawTrainingRows, now: () => number) {
  const { n } = rows;
  const { x, columns } = asNumbers(rows);
  const d = x.length / n;
  const moments = featureMoments(x, d, everyRow(n));
  const scaling = scalingFrom(moments, 'standard');
  // The targets are not known yet; from zero duals a pass moves nearly every row whatever they are.
  const y = Float64Array.from({ length: n }, (_, i) => (i % 2 === 0 ? 1 : -1));
  const settings = { objective: 'classification', c1: 1, c2: 1, epsilon: 0 } as const;
  const write = (i: number, row: Float32Array) => scaleRow(x, i, scaling, row, 0);
  // Not the Gram form: its matrix would be made for the measurement alone.
  const shard = new Shard(arena, settings, { n, d, y, write }, 'rows');
  let passMs = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    passMs = Math.min(passMs, onePassMs(shard, now));
    if (passMs > SHORT_MS) break;
  }
  shard.release();
  return { moments: columns ? knownMoments(columns, n) : moments, passMs };
}

/** Text and gaps encoded by what is known before there is an agreement: the own rows. */
function asNumbers(rows: RawTrainingRows) {
  if (isPlain(rows)) return { x: rows.x, columns: undefined };
  const columns = summarise(rows, rows.d, everyRow(rows.n));
  return { x: encodedRows({ source: 'rows', ...rows }, codesFrom(columns, 1)), columns };
}

/** Of the values that are known; nothing of text. */
function knownMoments(columns: readonly ColumnSummary[], count: number): Moments {
  const of = (name: 'mean' | 'm2') =>
    Float64Array.from(columns, (column) => (column.kind === 'number' ? column[name] : 0));
  return { count, mean: of('mean'), m2: of('m2') };
}

function everyRow(n: number): Uint32Array {
  return Uint32Array.from({ length: n }, (_, i) => i);
}

function onePassMs(shard: Shard, now: () => number): number {
  shard.load(new Float64Array(shard.n), new Float64Array(shard.d));
  const solve = new LocalSolve(shard, { sigma: 1, tolerance: 1e-3, seed: 1 });
  const started = now();
  solve.pass();
  return now() - started;
}

/**
 * How much of a solve there is time for, decided while it solves. Before each pass it is asked whether there is time for
 * it; if not, as many of its rows are taken as the time allows, by the speed of the passes before. Without a deadline and without
 * an interruption it is the whole solve, to the bit.
 */
export class TimedEffort {
  /** When the passes of the last solve were over. */
  passedMs = 0;
  private readonly now: () => number;
  private readonly slowdown: number;
  /** Of the first pass of a solve, in which most rows move; later ones are faster. */
  private firstPassRowMs: number;

  constructor(now: () => number, slowdown: number, rowMs: number) {
    this.now = now;
    this.slowdown = slowdown;
    this.firstPassRowMs = rowMs;
  }

  within(limits: Omit<SolveLimits, 'isDropped'>): Effort {
    return (solve, most) => this.passes(solve, most, limits);
  }

  private *passes(
    solve: LocalSolve,
    most: number,
    { untilMs, isStopped }: Omit<SolveLimits, 'isDropped'>,
  ): Resumable<void> {
    const { now, slowdown } = this;
    let rowMs = this.firstPassRowMs;
    while (!solve.done && solve.passes < most && !isStopped()) {
      const { activeRows, passes } = solve;
      const startedMs = now();
      const leftMs = untilMs - startedMs;
      const rows = Math.min(activeRows, Math.floor(leftMs / rowMs));
      if (rows < 1) {
        // One slow pass must not be the last one ever: where nothing can be measured, the speed is hoped to be better.
        if (passes === 0 && leftMs > 0) this.firstPassRowMs /= 2;
        break;
      }
      const isWhole = rows === activeRows;
      if (isWhole) solve.pass();
      else solve.partOfPass(rows);
      const tookMs = now() - startedMs;
      rowMs = (slowdown * tookMs) / rows;
      if (passes === 0) this.firstPassRowMs = rowMs;
      // As slow as is pretended, but not beyond the deadline.
      yield Math.max(0, Math.min((slowdown - 1) * tookMs, leftMs - tookMs));
      if (!isWhole) break;
    }
    this.passedMs = now();
  }
}

/**
 * A solver in the caller's own thread, for where there is none to give away. It answers at once, so there is nothing to interrupt.
 * `secret` is for masks and noise: a stream that nobody else can derive, new for every call.
 */
export function localSolver(clock: Clock, secret: () => Stream): OpenSolver {
  return (rows, events) => {
    const work = new RowWork(rows, () => clock.now(), secret);
    const takeBack = clock.at(clock.now(), () => events.ready(work.moments, work.benchmarkMs));
    return {
      prepare: (...problem) => events.prepared(work.prepare(...problem)),
      solve: (request) => {
        const untilMs = clock.now() + request.budgetMs;
        const limits = { untilMs, isStopped: () => false, isDropped: () => false };
        const result = toEnd(work.solve(request, limits));
        if (result) events.solved(result);
      },
      cancel: () => {},
      interrupt: () => {},
      close: () => {
        takeBack();
        work.release();
      },
    };
  };
}
