/** The values that a tuning tries, and where its choice lies among them. */
import { inputError } from '../../base/errors.ts';
import type { ScaleMode } from '../../math/scaling.ts';
import { textOfMap } from '../../settings/feature-map.ts';
import { object, readSettings } from '../../settings/objects.ts';
import { PROBLEM } from '../../settings/problem.ts';
import { OPTIONS } from '../../settings/refused.ts';
import type { MethodName } from '../../solver/model.ts';
import type { ResolvedOptions } from '../options.ts';

export type ClassWeight = ResolvedOptions['classWeight'];

/** The values to try; what a method does not use is not varied. */
export interface TuneGrid {
  readonly c1?: readonly number[];
  readonly c2?: readonly number[];
  readonly lambda?: readonly number[];
  readonly scale?: readonly ScaleMode[];
  /** none, rff:512 and the like; default: what is given beside the grid. */
  readonly features?: readonly string[];
  /** The first is used in the search, the others are tried at its winner. */
  readonly epsilon?: readonly number[];
  /** As with epsilon. */
  readonly classWeight?: readonly ClassWeight[];
}

export type Grid = Required<TuneGrid>;

/** What one training is given of what is searched for. */
export interface Candidate {
  readonly scale: ScaleMode;
  readonly features: string;
  readonly classWeight: ClassWeight;
  readonly c1: number;
  readonly c2: number;
  readonly lambda: number;
  readonly epsilon: number;
}

/** Those of which there is a scale of values: a choice may be at its end. */
const RANGES = ['c1', 'c2', 'lambda'] as const;
type RangeName = (typeof RANGES)[number];

type Ranges = Readonly<Record<RangeName, readonly number[]>>;

const GRIDS: Readonly<Record<MethodName, Ranges>> = {
  mtl: { c1: [0.3, 1, 3, 10, 30, 100], c2: [0.03, 0.1, 0.3, 1, 3, 10], lambda: [] },
  local: { c1: [0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000], c2: [], lambda: [] },
  global: { c1: [0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000], c2: [], lambda: [] },
  mocha: { c1: [], c2: [], lambda: [1e-6, 1e-5, 1e-4, 1e-3, 1e-2] },
  fedavg: { c1: [0.3, 1, 3, 10], c2: [0.03, 0.1, 0.3, 1], lambda: [] },
};

/** Where a quick search starts; it goes on in steps of `neighbour`. */
const COARSE: typeof GRIDS = {
  mtl: { c1: [0.3, 3, 30], c2: [0.1, 1, 10], lambda: [] },
  local: { c1: [0.3, 3, 30, 300], c2: [], lambda: [] },
  global: { c1: [0.3, 3, 30, 300], c2: [], lambda: [] },
  mocha: { c1: [], c2: [], lambda: [1e-5, 1e-4, 1e-3] },
  fedavg: { c1: [0.3, 3], c2: [0.1, 1], lambda: [] },
};

export function rangesOf(method: MethodName, search: 'coarse' | 'whole'): Ranges {
  return (search === 'coarse' ? COARSE : GRIDS)[method];
}

const SCALES: readonly ScaleMode[] = ['standard', 'center'];

/** `usual`: what is tried where the grid says nothing. Ranges without a value are not used by the method. */
export function checkedGrid(
  given: TuneGrid,
  usual: Ranges & Required<Pick<TuneGrid, 'epsilon' | 'classWeight' | 'features'>>,
): Grid {
  const list = (name: RangeName): readonly number[] => {
    const usually = usual[name];
    const values = usually.length > 0 ? (given[name] ?? usually) : [];
    for (const value of values) {
      if (!(value > 0 && Number.isFinite(value))) {
        throw inputError('BAD_OPTION', `option --${name}: expected numbers above 0, got ${value}`);
      }
    }
    return [...new Set(values)].sort((a, b) => a - b);
  };
  const { scale = SCALES, epsilon = usual.epsilon, classWeight = usual.classWeight } = given;
  const { features = usual.features } = given;
  for (const value of epsilon) {
    if (!(value >= 0 && Number.isFinite(value)))
      throw inputError('BAD_OPTION', `option --epsilon: expected numbers of at least 0, got ${value}`);
  }
  return {
    c1: list('c1'),
    c2: list('c2'),
    lambda: list('lambda'),
    scale,
    features: [...new Set(features.map((one) => textOfMap(mapFrom(one))))],
    epsilon: [...new Set(epsilon)],
    classWeight: [...new Set(classWeight)],
  };
}

/** What a candidate's features are as options of a training have them. */
export function mapFrom(features: string): ResolvedOptions['features'] {
  return readSettings(object({ features: PROBLEM.features }), { features }, OPTIONS).features;
}

/** All combinations under the first epsilon and class weight, C1 rising fastest: the order of warm starts. */
export function candidatesOf(grid: Grid, defaults: ResolvedOptions): Candidate[] {
  const orDefault = (name: RangeName) => (grid[name].length > 0 ? grid[name] : [defaults[name]]);
  const [classWeight, epsilon] = [grid.classWeight[0], grid.epsilon[0]];
  return grid.features.flatMap((features) =>
    grid.scale.flatMap((scale) =>
      orDefault('lambda').flatMap((lambda) =>
        orDefault('c2').flatMap((c2) =>
          orDefault('c1').map((c1) => ({ scale, features, classWeight, c1, c2, lambda, epsilon })),
        ),
      ),
    ),
  );
}

/** Only what the grid varies. */
export function named(candidate: Candidate, grid: Grid): Pick<Candidate, 'scale'> & Partial<Candidate> {
  return {
    ...(grid.features.length > 1 && { features: candidate.features }),
    scale: candidate.scale,
    ...Object.fromEntries(
      RANGES.filter((name) => grid[name].length > 0).map((name) => [name, candidate[name]]),
    ),
    ...(grid.epsilon.length > 1 && { epsilon: candidate.epsilon }),
    ...(grid.classWeight.length > 1 && { classWeight: candidate.classWeight }),
  };
}

/** A choice that is the least or the largest value that was tried. */
export interface Edge {
  readonly name: RangeName;
  readonly value: number;
  readonly side: 'least' | 'largest';
  /** The values that were tried. */
  readonly from: number;
  readonly to: number;
}

export function edgesOf(best: Candidate, grid: Grid): Edge[] {
  return RANGES.flatMap((name): Edge[] => {
    const [from, to] = [grid[name][0], grid[name][grid[name].length - 1]];
    const value = best[name];
    // Of a single value nothing was searched.
    if (grid[name].length < 2 || (value !== from && value !== to)) return [];
    return [{ name, value, side: value === from ? 'least' : 'largest', from, to }];
  });
}

/** Steps by which a range is continued beyond its end: from 10 to 30 and 100, say. */
const STEPS = 2;

/** The grid with its ranges continued beyond these edges. */
export function continued(grid: Grid, edges: readonly Edge[]): Grid {
  const longer = { ...grid };
  for (const { name, side } of edges) {
    const values = [...longer[name]];
    for (let step = 0; step < STEPS; step++) {
      if (side === 'largest') values.push(neighbour(values[values.length - 1], side));
      else values.unshift(neighbour(values[0], side));
    }
    longer[name] = values;
  }
  return longer;
}

/** The next of ..., 0.3, 1, 3, 10, ... */
export function neighbour(value: number, side: Edge['side']): number {
  const [digits, exponent] = value.toExponential().split('e').map(Number);
  const next =
    side === 'largest' ? (digits < 3 ? [3, 0] : [1, 1]) : digits > 3 ? [3, 0] : digits > 1 ? [1, 0] : [3, -1];
  return Number(`${next[0]}e${exponent + next[1]}`);
}

/** The neighbours of the best one that only the longer grid has, under its own scaling. */
export function beyond(best: Candidate, shorter: Grid, longer: Grid): Candidate[] {
  const near = (name: RangeName): readonly number[] => {
    const values = longer[name];
    const isLonger = values.length > shorter[name].length;
    const at = values.indexOf(best[name]);
    if (at < 0) return [best[name]];
    const reach = isLonger ? STEPS : 1;
    return values.slice(Math.max(0, at - reach), at + reach + 1);
  };
  const isNew = (candidate: Candidate) =>
    RANGES.some((name) => longer[name].length > 0 && !shorter[name].includes(candidate[name]));
  return near('lambda')
    .flatMap((lambda) => near('c2').flatMap((c2) => near('c1').map((c1) => ({ ...best, lambda, c2, c1 }))))
    .filter(isNew);
}

/** One step from it along each open range; those that are not yet among the tried ones. */
export function neighboursOf(
  candidate: Candidate,
  grid: Grid,
  open: ReadonlySet<RangeName>,
  tried: readonly Candidate[],
): Candidate[] {
  const isTried = (one: Candidate) =>
    tried.some(
      (other) =>
        other.scale === one.scale &&
        other.features === one.features &&
        RANGES.every((name) => other[name] === one[name]),
    );
  return RANGES.filter((name) => open.has(name) && grid[name].length > 0)
    .flatMap((name) =>
      (['least', 'largest'] as const).map((side) => ({
        ...candidate,
        [name]: neighbour(candidate[name], side),
      })),
    )
    .filter((one) => !isTried(one));
}

/** The grid with all values of these candidates. */
export function gridOf(candidates: readonly Candidate[], grid: Grid): Grid {
  const all = (name: RangeName) =>
    grid[name].length === 0
      ? grid[name]
      : [...new Set(candidates.map((one) => one[name]))].sort((a, b) => a - b);
  return { ...grid, c1: all('c1'), c2: all('c2'), lambda: all('lambda') };
}
