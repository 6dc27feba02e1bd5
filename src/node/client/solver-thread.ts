/** The thread behind solver.ts. Whatever fails in here is told before it ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { KindredError } from '../../base/errors.ts';
import type { FromSolver, SolverData, ToSolver } from './solver-messages.ts';
import { SolverWork } from './solver-work.ts';

const say = (message: FromSolver) => parentPort?.postMessage(message);

telling(() => {
  const work = new SolverWork(workerData as SolverData);
  say(work.ready);
  parentPort?.on('message', (message: ToSolver) => telling(() => answer(work, message)));
});

function answer(work: SolverWork, message: ToSolver): void {
  if (message.kind === 'prepare') {
    say(work.prepare(message));
    return;
  }
  const { number, request, untilMs } = message;
  const result = work.solve(number, request, untilMs);
  if (result) say({ kind: 'solved', number, result });
}

/** What people can do something about keeps its code and its sentence; everything else ends the thread. */
function telling(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof KindredError)) throw error;
    say({ kind: 'failed', code: error.code, message: error.message, cause: error.kind });
  }
}
