/** Curves in pixels: no more points than can be seen, written in few bytes. */
import { max, maxIndex, min, minIndex } from 'd3-array';

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
  const columnOf = ({ x }: Placed) =>
    Math.min(columns, Math.max(-1, Math.floor(((x - left) * columns) / width)));
  const kept = [points[0]];
  for (let from = 1; from < points.length - 1; ) {
    const column = columnOf(points[from]);
    let to = from + 1;
    while (to < points.length - 1 && columnOf(points[to]) === column) to++;
    kept.push(...extremes(points.slice(from, to)));
    from = to;
  }
  kept.push(points[points.length - 1]);
  return kept;
}

function extremes(run: readonly Placed[]): Placed[] {
  // Places grow downwards: the low end of a band has the larger number.
  const band = { low: max(run, ({ low }) => low), high: min(run, ({ high }) => high) };
  const ends = [minIndex(run, ({ y }) => y), maxIndex(run, ({ y }) => y)].sort((a, b) => a - b);
  return [...new Set(ends)].map((i) => ({ ...run[i], ...band }));
}

/** Dots on the same pixel are one dot. */
export function distinct(points: readonly Placed[]): Placed[] {
  const pixel = ({ x, y, low, high }: Placed) =>
    [x, y, low, high].map((value) => value && Math.round(value)).join();
  return [...new Map(points.map((point) => [pixel(point), point])).values()];
}

/**
 * What d3 draws on: relative moves in tenths of a pixel, half the bytes of absolute ones. Places are rounded before they
 * are subtracted, so errors do not add up.
 */
export class Pen {
  #d = '';
  #x = 0;
  #y = 0;
  /** A move to the side that is not written yet: the next one may go on in the same direction. */
  #across = 0;

  moveTo(x: number, y: number): void {
    this.#flush();
    [this.#x, this.#y] = [Math.round(x * 10), Math.round(y * 10)];
    this.#d += `M${this.#x / 10} ${this.#y / 10}`;
  }

  lineTo(x: number, y: number): void {
    const [dx, dy] = [Math.round(x * 10) - this.#x, Math.round(y * 10) - this.#y];
    if (dy !== 0 || dx * this.#across < 0) this.#flush();
    if (dy === 0) this.#across += dx;
    else this.#d += dx === 0 ? `v${tenths(dy)}` : `l${tenths(dx)}${dy < 0 ? '' : ' '}${tenths(dy)}`;
    [this.#x, this.#y] = [this.#x + dx, this.#y + dy];
  }

  closePath(): void {
    this.#flush();
    this.#d += 'z';
  }

  toString(): string {
    this.#flush();
    return this.#d;
  }

  #flush(): void {
    if (this.#across !== 0) this.#d += `h${tenths(this.#across)}`;
    this.#across = 0;
  }
}

function tenths(value: number): string {
  return String(value / 10).replace(/^(-?)0\./, '$1.');
}
