/** The clock of this process, as a port of client and host. */
import { Timer } from './timer.ts';

export const processClock = {
  now: () => performance.now(),
  at(atMs: number, run: () => void): () => void {
    const timer = new Timer();
    timer.set(atMs - performance.now(), run);
    return () => timer.clear();
  },
};
