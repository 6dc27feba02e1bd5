/** A solver in the caller's own thread, for where there is none to give away. It answers at once, so there is nothing to interrupt. */
import type { Clock } from '../base/ports.ts';
import type { Stream } from '../base/random.ts';
import type { OpenSolver } from './ports.ts';
import { RowWork } from './row-work.ts';

/** `secret` is for masks and noise: a stream that nobody else can derive, new for every call. */
export function localSolver(clock: Clock, secret: () => Stream): OpenSolver {
  return (rows, events) => {
    const work = new RowWork(rows, { now: () => clock.now(), sleep: () => {} }, secret);
    const takeBack = clock.at(clock.now(), () => events.ready(work.moments, work.benchmarkMs));
    return {
      prepare: (settings, scaling, y) => events.prepared(work.prepare(settings, scaling, y)),
      solve: (request) => {
        const untilMs = clock.now() + request.budgetMs;
        const result = work.solve(request, { untilMs, isStopped: () => false, isDropped: () => false });
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
