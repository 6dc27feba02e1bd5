/**
 * How much of everything: the sizes of data, grids and repeats of a reproduction. `full` is the paper's setting; `quick` is
 * the same experiments on smaller data with fewer repeats, for first results in a few minutes.
 */

import type { TuneGrid } from '../methods/tune/grid.ts';
import { DEFAULT_COMPUTE, meanPassMs } from '../sim/compute.ts';
import type { TableSpec } from './table-spec.ts';

export interface Profile {
  readonly name: 'full' | 'quick';
  /** One repeat for each: another split, other delays, and for regression other data. */
  readonly seeds: readonly number[];
  readonly folds: number;
  readonly classification: ClassificationData;
  readonly regression: { readonly participants: number; readonly rows: number; readonly features: number };
  /** Training rows of each participant in the light data: 70% of 100 in the paper. */
  readonly lightRows: number;
  readonly passes: number;
  /** Rounds of mean length that a curve over time spans. */
  readonly horizonRounds: number;
  readonly deficitRows: readonly number[];
  readonly newcomerRows: readonly number[];
  /** So many participants take turns in being the newcomer. */
  readonly newcomers: number;
  readonly timingRuns: number;
  readonly shapes: readonly (readonly [number, number])[];
  readonly shapeRepeats: number;
  readonly grids: Grids;
  /** For the many tunings of learning curves. */
  readonly coarseGrids: Grids;
}

export interface ClassificationData {
  readonly spec: TableSpec;
  /** Of each participant, on average, before the split. */
  readonly rows: number;
  readonly features: number;
  /** The value of the target that becomes +1. */
  readonly positive: string | undefined;
  readonly name: string;
}

interface Grids {
  readonly mtl: TuneGrid;
  /** The paper's own rule is stable only where personal parts are cheap. */
  readonly sum: TuneGrid;
  readonly alone: TuneGrid;
  readonly mocha: TuneGrid;
  readonly regressionMtl: TuneGrid;
  readonly regressionSum: TuneGrid;
  readonly regressionAlone: TuneGrid;
}

export const TEST_FRACTION = 0.3;
export const PARTICIPANTS = 20;

const BOTH = ['standard', 'center'] as const;
const STANDARD = ['standard'] as const;

const FULL_GRIDS: Grids = {
  mtl: { c1: [1, 3, 10, 30, 100], c2: [0.1, 0.3, 1, 3, 10], scale: BOTH },
  sum: { c1: [0.1, 1, 10, 100], c2: [0.01, 0.03, 0.1, 0.3, 1], scale: BOTH },
  alone: { c1: [0.1, 0.3, 1, 3, 10, 30, 100, 300], scale: BOTH },
  mocha: { lambda: [1e-2, 1e-3, 1e-4, 1e-5, 1e-6], scale: BOTH },
  regressionMtl: { c1: [10, 100], c2: [0.1, 0.3, 1, 10, 100], scale: STANDARD },
  regressionSum: { c1: [10, 100], c2: [0.01, 0.03, 0.1, 0.3], scale: STANDARD },
  regressionAlone: { c1: [0.1, 1, 10, 100, 1000], scale: STANDARD },
};

const QUICK_GRIDS: Grids = {
  mtl: { c1: [1, 10, 100], c2: [0.3, 1, 3], scale: STANDARD },
  sum: { c1: [1, 10], c2: [0.01, 0.03, 0.1], scale: STANDARD },
  alone: { c1: [0.3, 1, 3, 10, 100], scale: STANDARD },
  mocha: { lambda: [1e-3, 1e-4, 1e-5, 1e-6], scale: STANDARD },
  regressionMtl: { c1: [10, 100], c2: [0.3, 1, 10], scale: STANDARD },
  regressionSum: { c1: [10], c2: [0.01, 0.03, 0.1], scale: STANDARD },
  regressionAlone: { c1: [1, 10, 100], scale: STANDARD },
};

/** The embedded classification data; `--data` puts the user's own in their place. */
export function embeddedData(mode: Profile['name']): ClassificationData {
  const [rows, features] = mode === 'full' ? [345, 561] : [160, 120];
  const spec = { kind: 'har', participants: PARTICIPANTS, rows, features, seed: 1 } as const;
  return { spec, rows, features, positive: undefined, name: 'embedded HAR-like data' };
}

export function profileFor(
  mode: Profile['name'],
  classification: ClassificationData,
  repeats = mode === 'full' ? 5 : 4,
): Profile {
  const seeds = Array.from({ length: repeats }, (_, i) => i + 1);
  const common = { seeds, classification, passes: 20, horizonRounds: 40, coarseGrids: QUICK_GRIDS };
  if (mode === 'quick')
    return {
      name: 'quick',
      ...common,
      folds: 2,
      regression: { participants: PARTICIPANTS, rows: 80, features: 60 },
      lightRows: 40,
      deficitRows: [5, 10, 20, 50, 100],
      newcomerRows: [5, 20, 100],
      newcomers: 2,
      timingRuns: 8,
      shapes: [50, 100, 200, 400].flatMap((n) => [64, 256, 1024].map((d) => [n, d] as const)),
      shapeRepeats: 5,
      grids: QUICK_GRIDS,
    };
  return {
    name: 'full',
    ...common,
    folds: 3,
    regression: { participants: PARTICIPANTS, rows: 200, features: 200 },
    lightRows: 70,
    deficitRows: [5, 10, 20, 40, 80, 160, 240],
    newcomerRows: [5, 10, 20, 50, 100, 200],
    newcomers: 5,
    timingRuns: 64,
    shapes: [100, 200, 400, 800, 1600].flatMap((n) => [64, 128, 256, 512, 1024].map((d) => [n, d] as const)),
    shapeRepeats: 9,
    grids: FULL_GRIDS,
  };
}

/** The span of curves over virtual time, for participants with so many training rows. */
export function horizonMs(profile: Profile, trainRows: number, features: number): number {
  const roundMs = profile.passes * meanPassMs(DEFAULT_COMPUTE, trainRows, features + 1);
  return Math.ceil(profile.horizonRounds * roundMs);
}
