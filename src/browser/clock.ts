/** Time in a worker. */
import type { Clock } from '../base/ports.ts';

/** Timers of browsers take at most this many milliseconds; more fires at once. */
const LONGEST_MS = 2 ** 31 - 1;

export const workerClock: Clock = {
  now: () => performance.now(),
  at(atMs, run) {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wait = () => {
      if (isOver) return;
      const ms = atMs - performance.now();
      if (ms === Number.POSITIVE_INFINITY) return;
      if (ms <= 0) run();
      else timer = setTimeout(wait, Math.min(LONGEST_MS, Math.ceil(ms)));
    };
    void turn().then(wait);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  },
};

const waiting: (() => void)[] = [];
const channel = typeof MessageChannel === 'undefined' ? undefined : new MessageChannel();
if (channel) channel.port1.onmessage = () => waiting.shift()?.();

/** Fulfilled once what is due in this thread has had its turn. By a message to oneself: browsers make timers of 0 ms wait for 4. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    channel?.port2.postMessage(undefined);
  });
}
