/**
 * The owner of the solver's thread (solver-thread.ts): solves go in, results come out, one at a time, and may be stopped while under way.
 * Solutions stay in the thread: a request refers to those of earlier solves by number, and only what the thread cannot know crosses over.
 */
import { Worker } from 'node:worker_threads';
import { type ErrorKind, KindredError } from '../../base/errors.ts';
import type { OpenSolver, RawTrainingRows, RowSolver, RowSolverEvents } from '../../client/ports.ts';
import type { PlacedCode } from '../../data/encoding.ts';
import type { Moments, Scaling } from '../../math/scaling.ts';
import type { SolveRequest, SolveResult } from '../../participant/effects.ts';
import type { FederationSettings } from '../../settings/wire.ts';
import type { Solution } from '../../solver/member.ts';
import { threadFile } from '../threads/threads.ts';

/** Given to the thread when it starts; the rows are transferred. */
export interface SolverData extends RawTrainingRows {
  /** Shared: the orders below. */
  readonly orders: Int32Array<SharedArrayBuffer>;
}

/** Places in `orders`. Each holds the number of a solve: it, and all before it, are to stop, or to be dropped without an answer. */
export const STOP_UP_TO = 0;
export const DROP_UP_TO = 1;
export const ORDERS = 2;

/** By the number of the solve whose solution it is, or that it first came with (then `value` is it). */
export interface KnownSolution {
  readonly number: number;
  readonly value?: Solution;
}

export interface SolveOrder {
  readonly kind: 'solve';
  /** Counted from 1. */
  readonly number: number;
  readonly request: Omit<SolveRequest, 'committed' | 'warm'>;
  readonly committed: KnownSolution | undefined;
  /** The duals themselves, or those of a solution. */
  readonly warm: Float64Array | KnownSolution | undefined;
  /** What will be referred to from now on, at most, beside the solution of this solve. */
  readonly keep: readonly number[];
  /** By the clock of `monotonicMs`, which all threads share; Infinity: as long as it takes. */
  readonly untilMs: number;
}

export type ToSolver =
  | {
      readonly kind: 'prepare';
      /** Counted from 1. */
      readonly number: number;
      readonly settings: FederationSettings;
      readonly scaling: Scaling;
      readonly y: Float64Array;
      readonly codes: readonly PlacedCode[] | undefined;
    }
  | SolveOrder;

export type FromSolver =
  | { readonly kind: 'ready'; readonly benchmarkMs: number; readonly moments: Moments }
  | { readonly kind: 'prepared'; readonly number: number; readonly cap: Float64Array }
  | {
      readonly kind: 'solved';
      readonly number: number;
      /** `committed` only where the request had none. */
      readonly result: Omit<SolveResult, 'committed'> & { readonly committed: Solution | undefined };
    }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly cause: ErrorKind };

/** `performance.now` counts from the start of its thread; this one is the same in all of them. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export const threadSolver: OpenSolver = (rows, events) => new ThreadSolver(rows, events);

export class ThreadSolver implements RowSolver {
  private readonly worker: Worker;
  private readonly events: RowSolverEvents;
  private readonly orders = new Int32Array(new SharedArrayBuffer(4 * ORDERS));
  /** Of the last solve that was asked for. */
  private number = 0;
  /** What the solve under way was asked with. */
  private underWay: SolveRequest | undefined;
  /** Solutions that the thread has, by number: they need not cross over again. */
  private readonly known = new Map<number, Solution>();
  private prepares = 0;
  private isClosed = false;

  constructor(rows: RawTrainingRows, events: RowSolverEvents) {
    this.events = events;
    const data: SolverData = { ...rows, orders: this.orders };
    this.worker = new Worker(threadFile('client/solver-thread'), {
      workerData: data,
      transferList: [rows.x.buffer as ArrayBuffer],
    });
    this.worker.on('message', (message: FromSolver) => this.receive(message));
    this.worker.on('error', (error) => this.died(reasonOf(error)));
    this.worker.on('exit', (code) => this.died(`it exited unexpectedly with code ${code}`));
  }

  prepare(
    settings: FederationSettings,
    scaling: Scaling,
    y: Float64Array,
    codes?: readonly PlacedCode[] | undefined,
  ): void {
    this.prepares++;
    this.send({ kind: 'prepare', number: this.prepares, settings, scaling, y, codes });
  }

  solve(request: SolveRequest): void {
    this.number++;
    this.underWay = request;
    const { committed, warm, ...rest } = request;
    const { number } = this;
    const last = Math.max(0, ...this.known.keys());
    const reference = committed && this.referenceTo((known) => known === committed);
    const start = warm && (this.referenceTo((known) => known.beta === warm) ?? warm);
    const from: KnownSolution | undefined = reference ?? (committed && { number: -number, value: committed });
    if (committed && from) this.known.set(from.number, committed);
    const keep = [...new Set([last, ...(from ? [from.number] : [])])];
    for (const old of this.known.keys()) if (!keep.includes(old)) this.known.delete(old);
    const untilMs = monotonicMs() + request.budgetMs;
    this.send({ kind: 'solve', number, request: rest, committed: from, warm: start, keep, untilMs });
  }

  cancel(): void {
    this.underWay = undefined;
    Atomics.store(this.orders, DROP_UP_TO, this.number);
    this.interrupt();
  }

  interrupt(): void {
    Atomics.store(this.orders, STOP_UP_TO, this.number);
    Atomics.notify(this.orders, STOP_UP_TO);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.worker.terminate();
  }

  private referenceTo(matches: (known: Solution) => boolean): KnownSolution | undefined {
    for (const [number, solution] of this.known) if (matches(solution)) return { number };
    return undefined;
  }

  private send(message: ToSolver): void {
    this.worker.postMessage(message);
  }

  private receive(message: FromSolver): void {
    if (this.isClosed) return;
    switch (message.kind) {
      case 'ready':
        this.events.ready(message.moments, message.benchmarkMs);
        break;
      case 'prepared':
        if (message.number === this.prepares) this.events.prepared(message.cap);
        break;
      case 'solved': {
        const { underWay } = this;
        // Cancelled when it was on its way already.
        if (!underWay || message.number !== this.number) break;
        this.underWay = undefined;
        const { result } = message;
        this.known.set(message.number, result.solution);
        this.events.solved({ ...result, committed: result.committed ?? underWay.committed! });
        break;
      }
      case 'failed':
        this.isClosed = true;
        this.events.failed(new KindredError(message.code, message.message, message.cause));
        break;
    }
  }

  private died(why: string): void {
    if (this.isClosed) return;
    this.isClosed = true;
    const during = this.underWay ? ` while solving for round ${this.underWay.round}` : '';
    const sentence = `the solver thread failed${during}: ${why}`;
    this.events.failed(new KindredError('SOLVER_FAILED', sentence, 'run'));
  }
}

/** Where it threw, and what can be done about it where that is known. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return 'out of memory: give it more (NODE_OPTIONS=--max-old-space-size=4096) or fewer rows';
  }
  const where = /\n\s+at (.+)/.exec(error.stack ?? '')?.[1];
  return `${error.name}: ${error.message}${where === undefined ? '' : ` (at ${where})`}`;
}
