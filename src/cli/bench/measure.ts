/** Timing side by side: machines are noisy, so everything is the median of several alternating runs, told as a ratio. */

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

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

/** Slope of log y over log x: 1 where y grows as x does. */
export function fittedExponent(points: readonly { x: number; y: number }[]): number {
  const logs = points.map(({ x, y }) => ({ x: Math.log(x), y: Math.log(y) }));
  const mean = (of: (p: { x: number; y: number }) => number) =>
    logs.reduce((sum, p) => sum + of(p), 0) / logs.length;
  const [mx, my] = [mean((p) => p.x), mean((p) => p.y)];
  let above = 0;
  let below = 0;
  for (const p of logs) {
    above += (p.x - mx) * (p.y - my);
    below += (p.x - mx) ** 2;
  }
  return above / below;
}
