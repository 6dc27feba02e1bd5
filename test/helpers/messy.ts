/** Tables with text, gaps and weights, as people bring them. */
import { stream } from '../../src/base/random.ts';
import { tableFrom, type Value } from '../../src/data/arrays.ts';
import type { Table } from '../../src/data/table.ts';

const COLORS = ['red', 'green', 'blue, light', '7'];

interface MessyOptions {
  readonly participants?: number;
  readonly rows?: number;
  readonly seed?: number;
  /** Whose rows have gaps (default: everybody's). */
  readonly gapsOf?: (k: number) => boolean;
}

/** age with gaps, color with gaps and a rare level, size without either, site as text; the target depends on all of them. */
export function messyTable(options: MessyOptions = {}): Table {
  const { participants = 3, rows = 60, seed = 1, gapsOf = () => true } = options;
  const everybody = Array.from({ length: participants }, (_, k) => {
    const random = stream(seed, 'messy', 0, `${k}`);
    const x: Value[] = [];
    const y: string[] = [];
    for (let i = 0; i < rows; i++) {
      const age = 20 + random.below(60);
      const color = COLORS[random.below(COLORS.length)];
      const size = random.normal();
      const score =
        (age - 50) / 20 + (color === 'red' ? 1 : 0) + (k % 2 ? size : -size) + random.normal() / 2;
      const hasGaps = gapsOf(k);
      x.push(hasGaps && random.below(8) === 0 ? null : age);
      x.push(hasGaps && random.below(12) === 0 ? null : random.below(40) === 0 ? 'mauve' : color);
      x.push(size, random.below(2) ? 'north' : 'south');
      y.push(score > 0 ? 'yes' : 'no');
    }
    return { id: `p${k}`, x, y };
  });
  return tableFrom(everybody, { features: ['age', 'color', 'size', 'site'], source: 'messy' });
}

/** The same with a weight from 0 to 3 for every row. */
export function weightedTable(options: MessyOptions = {}): Table {
  const table = messyTable(options);
  const random = stream(options.seed ?? 1, 'weights', 0, '');
  return { ...table, weights: Float64Array.from({ length: table.n }, () => random.below(4)) };
}
