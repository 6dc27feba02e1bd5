/** The time as texts such as "3 s ago" need it: one timer for all of them, and none in a hidden tab. */
import { useEffect, useState } from 'preact/hooks';
import { Cell } from './cell.ts';

const TICK_MS = 1000;

const now = new Cell(Date.now());
let users = 0;
let timer: ReturnType<typeof setInterval> | undefined;

function tick(): void {
  if (!document.hidden) now.set(Date.now());
}

/** In milliseconds; renders again every second. */
export function useNow(): number {
  const [, render] = useState(0);
  useEffect(() => {
    if (users++ === 0) timer = setInterval(tick, TICK_MS);
    tick();
    const stop = now.watch(() => render((n) => n + 1));
    return () => {
      stop();
      if (--users === 0) clearInterval(timer);
    };
  }, []);
  return now.value;
}
