/**
 * A solver in a thread that has other things to do, as a participant in a web worker has none to give away: it solves in slices, and
 * between them messages, timers and orders get their turn. The bits are those of a solve without a break.
 */
import type { Clock } from '../base/ports.ts';
import type { Stream } from '../base/random.ts';
import type { SolveRequest, SolveResult } from '../participant/effects.ts';
import type { Resumable } from '../participant/solve.ts';
import type { OpenSolver, RawTrainingRows, RowSolver, RowSolverEvents } from './ports.ts';
import { RowWork } from './row-work.ts';

interface SlicePorts {
  readonly clock: Clock;
  /** For masks and noise: a stream that nobody else can derive, new for every call. */
  readonly secret: () => Stream;
  /** Fulfilled once everything else that is due in this thread has had its turn. */
  turn(): Promise<void>;
}

/** Long enough that a turn costs little, short enough that nobody waits for it. */
const SLICE_MS = 5;

export function slicedSolver(ports: SlicePorts): OpenSolver {
  return (rows, events) => new SlicedSolver(rows, ports, events);
}

/** A solve under way. */
interface Order {
  isStopped: boolean;
  /** Ends its rest. */
  wake: () => void;
}

class SlicedSolver implements RowSolver {
  private readonly ports: SlicePorts;
  private readonly events: RowSolverEvents;
  private readonly work: RowWork;
  private readonly takeBack: () => void;
  /** Whatever else is still on its way is nobody's any more. */
  private current: Order | undefined;

  constructor(rows: RawTrainingRows, ports: SlicePorts, events: RowSolverEvents) {
    const { clock, secret } = ports;
    this.ports = ports;
    this.events = events;
    this.work = new RowWork(rows, () => clock.now(), secret);
    const { moments, benchmarkMs } = this.work;
    this.takeBack = clock.at(clock.now(), () => events.ready(moments, benchmarkMs));
  }

  prepare(...problem: Parameters<RowSolver['prepare']>): void {
    // Its rows are about to change.
    this.cancel();
    this.events.prepared(this.work.prepare(...problem));
  }

  solve(request: SolveRequest): void {
    this.cancel();
    const order: Order = { isStopped: false, wake: () => {} };
    this.current = order;
    const solving = this.work.solve(request, {
      untilMs: this.ports.clock.now() + request.budgetMs,
      isStopped: () => order.isStopped,
      isDropped: () => this.current !== order,
    });
    this.run(order, solving).then(
      (result) => {
        if (!result || this.current !== order) return;
        this.current = undefined;
        this.events.solved(result);
      },
      (error: unknown) => {
        if (this.current === order) this.events.failed(error);
      },
    );
  }

  cancel(): void {
    const { current } = this;
    this.current = undefined;
    current?.wake();
  }

  interrupt(): void {
    if (!this.current) return;
    this.current.isStopped = true;
    this.current.wake();
  }

  close(): void {
    this.cancel();
    this.takeBack();
    this.work.release();
  }

  /** A solve that is cancelled is left where it is. */
  private async run(
    order: Order,
    solving: Resumable<SolveResult | undefined>,
  ): Promise<SolveResult | undefined> {
    const { clock } = this.ports;
    let untilMs = clock.now() + SLICE_MS;
    let step = solving.next();
    while (!step.done) {
      if (step.value > 0 || clock.now() >= untilMs) {
        await (step.value > 0 ? this.rest(order, step.value) : this.ports.turn());
        if (this.current !== order) return undefined;
        untilMs = clock.now() + SLICE_MS;
      }
      step = solving.next();
    }
    return step.value;
  }

  /** Until the time is over, or the solve is to stop. */
  private rest(order: Order, ms: number): Promise<void> {
    const { clock } = this.ports;
    if (order.isStopped) return Promise.resolve();
    return new Promise((resolve) => {
      const over = () => {
        takeBack();
        order.wake = () => {};
        resolve();
      };
      const takeBack = clock.at(clock.now() + ms, over);
      order.wake = over;
    });
  }
}
