/** Timing side by side: machines are noisy, so everything is the median of several alternating runs, as a ratio. */
import { median } from '../../reproduce/statistics.ts';

/** Median milliseconds of each candidate, in turns, after one round that is not counted. */
export function sideBySide<K extends string>(
  now: () => number,
  repeats: number,
  candidates: Readonly<Record<K, () => void>>,
): Record<K, number> {
  const names = Object.keys(candidates) as K[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<K, number[]>;
  for (let r = 0; r <= repeats; r++) {
    for (const name of names) {
      const started = now();
      candidates[name]();
      if (r > 0) times[name].push(now() - started);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(times[name])])) as Record<K, number>;
}
