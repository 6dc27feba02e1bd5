/** No more points than can be seen: files stay small however long a run was. All in pixels. */

export interface Placed {
  readonly x: number;
  readonly y: number;
  readonly low?: number | undefined;
  readonly high?: number | undefined;
}

/** Without points beyond the left or the right end, but with those from which a line comes in. */
export function within(points: readonly Placed[], left: number, right: number): Placed[] {
  const side = (at: number) => {
    const point = points[Math.min(points.length - 1, Math.max(0, at))];
    return point.x < left ? -1 : point.x > right ? 1 : 0;
  };
  return points.filter((_, i) => side(i) === 0 || side(i) !== side(i - 1) || side(i) !== side(i + 1));
}

/**
 * Of the points that fall together the lowest and the highest stay, in their order, each with the widest band of them
 * all. At most `width` points when x rises.
 */
export function thinned(points: readonly Placed[], left: number, width: number): Placed[] {
  if (points.length <= width) return [...points];
  const columns = Math.max(1, Math.floor(width / 2) - 4);
  const columnOf = (x: number) => Math.min(columns, Math.max(-1, Math.floor(((x - left) * columns) / width)));
  const kept: Placed[] = [points[0]];
  for (let from = 1; from < points.length - 1; ) {
    const column = columnOf(points[from].x);
    let to = from + 1;
    while (to < points.length - 1 && columnOf(points[to].x) === column) to++;
    kept.push(...extremes(points.slice(from, to)));
    from = to;
  }
  kept.push(points[points.length - 1]);
  return kept;
}

function extremes(run: readonly Placed[]): Placed[] {
  let [least, most] = [0, 0];
  for (const [i, point] of run.entries()) {
    if (point.y < run[least].y) least = i;
    if (point.y > run[most].y) most = i;
  }
  const banded = run.filter((point) => point.low !== undefined && point.high !== undefined);
  // Places grow downwards: the low end of a band has the larger number.
  const band = banded.length && {
    low: banded.reduce((found, point) => Math.max(found, point.low!), Number.NEGATIVE_INFINITY),
    high: banded.reduce((found, point) => Math.min(found, point.high!), Number.POSITIVE_INFINITY),
  };
  const order = least === most ? [least] : [Math.min(least, most), Math.max(least, most)];
  return order.map((i) => ({ ...run[i], ...band }));
}

/** Dots on the same pixel are one dot. */
export function distinct(points: readonly Placed[]): Placed[] {
  const seen = new Map<string, Placed>();
  for (const point of points) {
    const key = [point.x, point.y, point.low, point.high].map((value) => value && Math.round(value)).join();
    if (!seen.has(key)) seen.set(key, point);
  }
  return [...seen.values()];
}
