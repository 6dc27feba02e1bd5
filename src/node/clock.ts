/** The clock and timers of the process. */
import type { HostClock } from '../host/ports.ts';
import { Timer } from './timer.ts';

export const systemClock: HostClock = {
  now: () => performance.now(),
  wallClock: () => Date.now(),
  at(atMs, run) {
    const timer = new Timer();
    timer.set(atMs - performance.now(), run);
    return () => timer.clear();
  },
};
