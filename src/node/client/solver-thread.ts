/** The thread behind thread-solver.ts. Whatever fails in here is reported before it ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { KindredError } from '../../base/errors.ts';
import { RowWork } from '../../client/row-work.ts';
import { toEnd } from '../../participant/solve.ts';
import type { Solution } from '../../solver/member.ts';
import { entropyStream } from '../crypto.ts';
import {
  DROP_UP_TO,
  type FromSolver,
  type KnownSolution,
  monotonicMs,
  type SolveOrder,
  type SolverData,
  STOP_UP_TO,
  type ToSolver,
} from './thread-solver.ts';

const data = workerData as SolverData;
const isOrdered = (what: number, number: number) => Atomics.load(data.orders, what) >= number;
/** Number of the solve under way. */
let underWay = 0;
/** Solutions that a request may refer to, by the number of their solve. */
const known = new Map<number, Solution>();

reporting(() => {
  const work = new RowWork(data, monotonicMs, entropyStream);
  const { moments, benchmarkMs } = work;
  send({ kind: 'ready', benchmarkMs, moments });
  parentPort?.on('message', (message: ToSolver) => reporting(() => answer(work, message)));
});

function answer(work: RowWork, message: ToSolver): void {
  if (message.kind === 'prepare') {
    const { number, settings, scaling, y, codes } = message;
    send({ kind: 'prepared', number, cap: work.prepare(settings, scaling, y, codes) });
  } else {
    solve(work, message);
  }
}

function solve(work: RowWork, order: SolveOrder): void {
  const { number, untilMs, keep } = order;
  underWay = number;
  const committed = order.committed && solutionOf(order.committed);
  const { warm: given } = order;
  const warm = given instanceof Float64Array ? given : given && solutionOf(given).beta;
  for (const old of known.keys()) if (!keep.includes(old)) known.delete(old);
  const solving = work.solve(
    { ...order.request, committed, warm },
    {
      untilMs,
      isStopped: () => isOrdered(STOP_UP_TO, number),
      isDropped: () => isOrdered(DROP_UP_TO, number),
    },
  );
  const result = toEnd(solving, sleep);
  if (!result) return;
  known.set(number, result.solution);
  send({
    kind: 'solved',
    number,
    result: { ...result, committed: committed ? undefined : result.committed },
  });
}

function solutionOf({ number, value }: KnownSolution): Solution {
  if (value) known.set(number, value);
  return known.get(number)!;
}

/** Until the time is over, or the solve under way is to stop. */
function sleep(ms: number): void {
  const { orders } = data;
  const ordered = Atomics.load(orders, STOP_UP_TO);
  if (ordered < underWay) Atomics.wait(orders, STOP_UP_TO, ordered, ms);
}

function send(message: FromSolver): void {
  parentPort?.postMessage(message);
}

/** What people can do something about keeps its code and its sentence; everything else ends the thread. */
function reporting(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof KindredError)) throw error;
    send({ kind: 'failed', code: error.code, message: error.message, cause: error.kind });
  }
}
