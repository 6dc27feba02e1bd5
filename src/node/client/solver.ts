/** The owner of the solver's thread: solves go in, results come out, one at a time, and may be stopped while under way. */
import { Worker } from 'node:worker_threads';
import { KindredError } from '../../base/errors.ts';
import type { Scaling } from '../../math/scaling.ts';
import type { SolveRequest, SolveResult } from '../../participant/effects.ts';
import type { FederationSettings } from '../../protocol/messages.ts';
import { threadFile } from '../threads/threads.ts';
import {
  DROP_UP_TO,
  type FromSolver,
  monotonicMs,
  ORDERS,
  type SolverData,
  STOP_UP_TO,
  type ToSolver,
} from './solver-messages.ts';

export interface SolverEvents {
  ready(news: FromSolver & { kind: 'ready' }): void;
  /** C1 c of each row. */
  prepared(rows: { readonly cap: Float64Array }): void;
  solved(result: SolveResult): void;
  /** The thread is of no use any more. */
  failed(error: Error): void;
}

export class Solver {
  private readonly worker: Worker;
  private readonly events: SolverEvents;
  private readonly orders = new Int32Array(new SharedArrayBuffer(4 * ORDERS));
  /** Of the last solve that was asked for. */
  private number = 0;
  private isUnderWay = false;
  private prepares = 0;
  private isClosed = false;

  /** `x` is given away: it must not be used here any more. */
  constructor(rows: Omit<SolverData, 'orders'>, events: SolverEvents) {
    this.events = events;
    const data: SolverData = { ...rows, orders: this.orders };
    this.worker = new Worker(threadFile('client/solver-thread'), {
      workerData: data,
      transferList: [rows.x.buffer as ArrayBuffer],
    });
    this.worker.on('message', (message: FromSolver) => this.hear(message));
    this.worker.on('error', (error) => this.died(error.message));
    this.worker.on('exit', (code) => this.died(`it ended with code ${code}`));
  }

  /** Answered by `prepared`, the last time that it is asked for. */
  prepare(settings: FederationSettings, scaling: Scaling, y: Float64Array): void {
    this.prepares++;
    this.say({ kind: 'prepare', number: this.prepares, settings, scaling, y });
  }

  /** Answered by `solved`, unless cancelled. Its budget runs from now. */
  solve(request: SolveRequest): void {
    this.number++;
    this.isUnderWay = true;
    const untilMs = monotonicMs() + request.budgetMs;
    this.say({ kind: 'solve', number: this.number, request, untilMs });
  }

  /** The solve under way ends without an answer. */
  cancel(): void {
    this.isUnderWay = false;
    Atomics.store(this.orders, DROP_UP_TO, this.number);
    this.interrupt();
  }

  /** The solve under way answers now, with what there is. */
  interrupt(): void {
    Atomics.store(this.orders, STOP_UP_TO, this.number);
    Atomics.notify(this.orders, STOP_UP_TO);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.worker.terminate();
  }

  private say(message: ToSolver): void {
    this.worker.postMessage(message);
  }

  private hear(message: FromSolver): void {
    if (this.isClosed) return;
    switch (message.kind) {
      case 'ready':
        this.events.ready(message);
        break;
      case 'prepared':
        if (message.number === this.prepares) this.events.prepared(message);
        break;
      case 'solved':
        // Cancelled when it was on its way already.
        if (!this.isUnderWay || message.number !== this.number) break;
        this.isUnderWay = false;
        this.events.solved(message.result);
        break;
      case 'failed':
        this.isClosed = true;
        this.events.failed(new KindredError(message.code, message.message, message.cause));
        break;
    }
  }

  private died(why: string): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.events.failed(new KindredError('SOLVER_FAILED', `the thread that solves has failed: ${why}`, 'run'));
  }
}
