/** The grid of a tuning: which values are tried, and in which order. */
import { inputError } from '../base/errors.ts';
import type { ScaleMode } from '../math/scaling.ts';
import type { MethodName } from '../solver/model.ts';
import type { ResolvedOptions } from './options.ts';

/** The values to try; what a method does not use is not varied. */
export interface TuneGrid {
  readonly c1?: readonly number[];
  readonly c2?: readonly number[];
  readonly lambda?: readonly number[];
  readonly scale?: readonly ScaleMode[];
}

export interface Point {
  readonly c1: number;
  readonly c2: number;
  readonly lambda: number;
}

/** All combinations, C1 rising fastest: the order of warm starts. */
export function pointsOf(lists: Required<TuneGrid>, defaults: ResolvedOptions): Point[] {
  const orDefault = (list: readonly number[], value: number) => (list.length > 0 ? list : [value]);
  const points: Point[] = [];
  for (const lambda of orDefault(lists.lambda, defaults.lambda)) {
    for (const c2 of orDefault(lists.c2, defaults.c2)) {
      for (const c1 of orDefault(lists.c1, defaults.c1)) points.push({ c1, c2, lambda });
    }
  }
  return points;
}

const GRIDS: Readonly<Record<MethodName, Required<TuneGrid>>> = {
  mtl: grid([0.3, 1, 3, 10, 30, 100], [0.03, 0.1, 0.3, 1, 3, 10], []),
  local: grid([0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000], [], []),
  global: grid([0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000], [], []),
  mocha: grid([], [], [1e-2, 1e-3, 1e-4, 1e-5, 1e-6]),
  fedavg: grid([0.3, 1, 3, 10], [0.03, 0.1, 0.3, 1], []),
};

function grid(c1: number[], c2: number[], lambda: number[]): Required<TuneGrid> {
  return { c1, c2, lambda, scale: ['standard', 'center'] };
}

export function checkedGrid(method: MethodName, given: TuneGrid = {}): Required<TuneGrid> {
  const defaults = GRIDS[method];
  const list = (name: 'c1' | 'c2' | 'lambda'): readonly number[] => {
    const values = defaults[name].length > 0 ? (given[name] ?? defaults[name]) : [];
    for (const value of values) {
      if (!(value > 0 && Number.isFinite(value))) {
        throw inputError('BAD_OPTION', `option --${name}: expected numbers above 0, got ${value}`);
      }
    }
    return [...values].sort((a, b) => a - b);
  };
  return { c1: list('c1'), c2: list('c2'), lambda: list('lambda'), scale: given.scale ?? defaults.scale };
}

/** Only the numbers that were varied. */
export function named(point: Point, lists: Required<TuneGrid>): Partial<Point> {
  return {
    ...(lists.c1.length > 0 && { c1: point.c1 }),
    ...(lists.c2.length > 0 && { c2: point.c2 }),
    ...(lists.lambda.length > 0 && { lambda: point.lambda }),
  };
}
