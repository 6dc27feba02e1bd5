/** The end of all training, as far as a server that is there for it alone has to wait for it. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Federation } from './federation.ts';

const LOOK_MS = 50;

/** Comes back when all have finished and everybody has been told, or has stayed away for `lingerMs` since. */
export async function finished(
  federations: () => readonly Federation[],
  lingerMs: number,
  now: () => number,
  isStopped: () => boolean,
): Promise<void> {
  let sinceMs: number | undefined;
  while (!isStopped()) {
    const all = federations();
    const areOver = all.length > 0 && all.every((federation) => federation.isOver);
    sinceMs = areOver ? (sinceMs ?? now()) : undefined;
    const areGone = sinceMs !== undefined && now() - sinceMs >= lingerMs;
    if (areOver && (areGone || all.every((federation) => federation.untold === 0))) return;
    await pause(LOOK_MS);
  }
}
