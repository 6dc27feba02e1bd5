/** What the experiments share: jobs from constants, names, colours, and numbers as text. */
import { type Bar, COLOURS, type Point, type Series } from '../../charts/figure.ts';
import type { TuneGrid } from '../../methods/tune/grid.ts';
import type { TrainOptions } from '../../settings/training.ts';
import type { ScenarioInput } from '../../sim/scenario.ts';
import { averaged, type Curve } from '../curves.ts';
import type { Constants, SimulateJob, TuneJob } from '../jobs.ts';
import { type Profile, TEST_FRACTION } from '../profile.ts';
import type { Table } from '../report/report.ts';
import { type Estimate, estimate } from '../statistics.ts';
import type { TableSpec } from '../table-spec.ts';

export const NAMES = {
  mtl: 'MTL-SVM',
  local: 'Local',
  global: 'Global',
  mocha: 'MOCHA',
  paper: "MTL-SVM, the paper's sum",
} as const;

export type MethodKey = keyof typeof NAMES;

/** Balanced accuracy of a model that gives every row the same class. */
export const BLIND = 0.5;

export const TIME_AXIS = { title: 'virtual time, s', scale: 'linear', low: 0 } as const;
export const ACCURACY = 'balanced accuracy on test rows';
export const R2 = 'R² on test rows';

/** What of a training does not come from tuning, for one repeat on one table. */
export interface Setting {
  readonly table: TableSpec;
  readonly seed: number;
  readonly objective: 'classification' | 'regression';
  readonly positive?: string | undefined;
  readonly trainRows?: number | undefined;
}

export function classificationSetting(profile: Profile, seed: number, trainRows?: number): Setting {
  const { spec, positive } = profile.classification;
  return { table: spec, seed, objective: 'classification', positive, trainRows };
}

export function regressionSetting(
  profile: Profile,
  seed: number,
  heterogeneity: 'same' | 'diverse',
): Setting {
  const table = { kind: 'regression', ...profile.regression, heterogeneity, seed } as const;
  return { table, seed, objective: 'regression' };
}

/** Undefined is left out: a job's content is its cache key. */
function commonOptions({ seed, objective, positive, trainRows }: Setting) {
  return {
    objective,
    seed,
    testFraction: TEST_FRACTION,
    // The paper's problem has targets as they are; its data have means near 0.
    ...(objective === 'regression' && { scaleTarget: 'none' as const }),
    ...(positive !== undefined && { positive }),
    ...(trainRows !== undefined && { trainRows }),
  } as const;
}

/** More than the simulated trainings have time for. */
const TUNING_ROUNDS = 80;

/** One for each repeat. */
export function tunings(profile: Profile, key: MethodKey, settingOf: (seed: number) => Setting): TuneJob[] {
  return profile.seeds.map((seed) => tuning(profile, settingOf(seed), key));
}

export function tuning(profile: Profile, setting: Setting, key: MethodKey): TuneJob {
  const { folds } = profile;
  const options: TrainOptions = {
    ...commonOptions(setting),
    method: key === 'paper' ? 'mtl' : key,
    rounds: TUNING_ROUNDS,
    ...(key === 'paper' && { aggregation: 'sum', passes: profile.passes }),
  };
  return { kind: 'tune', table: setting.table, options, grid: gridOf(profile, setting, key), folds };
}

function gridOf({ grids }: Profile, { objective }: Setting, key: MethodKey): TuneGrid {
  const regression = objective === 'regression';
  if (key === 'mocha') return grids.mocha;
  if (key === 'mtl') return regression ? grids.regressionMtl : grids.mtl;
  if (key === 'paper') return regression ? grids.regressionSum : grids.sum;
  return regression ? grids.regressionAlone : grids.alone;
}

function chosen({ scale, c1, c2, lambda }: Constants) {
  return {
    scale,
    ...(c1 !== undefined && { c1 }),
    ...(c2 !== undefined && { c2 }),
    ...(lambda !== undefined && { lambda }),
  };
}

export function trainOptions(setting: Setting, key: MethodKey, constants: Constants): TrainOptions {
  return { ...commonOptions(setting), method: key === 'paper' ? 'mtl' : key, ...chosen(constants) };
}

export function simulation(
  profile: Profile,
  setting: Setting,
  key: MethodKey,
  constants: Constants,
  more: ScenarioInput & { readonly timeMs: number },
): SimulateJob {
  const scenario: ScenarioInput = {
    ...commonOptions(setting),
    method: key === 'paper' ? 'mtl' : key,
    ...chosen(constants),
    ...(key === 'paper' && { aggregation: 'sum' }),
    passes: profile.passes,
    rounds: 5000,
    ...more,
  };
  return { kind: 'simulate', table: setting.table, scenario };
}

/** One for each repeat. */
export function simulations(
  profile: Profile,
  settingOf: (seed: number) => Setting,
  key: MethodKey,
  constants: readonly Constants[],
  more: Parameters<typeof simulation>[4],
): SimulateJob[] {
  return profile.seeds.map((seed, r) => simulation(profile, settingOf(seed), key, constants[r], more));
}

export function curve(
  key: MethodKey,
  curves: readonly Curve[],
  untilMs: number,
  style: Partial<Pick<Series, 'name' | 'colour' | 'dash'>> = {},
): Series {
  const points = averaged(curves, untilMs);
  return { name: NAMES[key], colour: COLOURS[key], shape: 'steps', points, ...style };
}

export const percent = (share: number) => (share === 1 ? 'All' : `${Math.round(100 * share)}%`);

export function spreadText({ seeds }: Profile): string {
  return `band and whisker: 95% interval of the mean over ${seeds.length} repeats`;
}

/** "0.9871 [0.9850, 0.9892]" */
export function estimateText({ mean, low, high }: Estimate, digits = 4): string {
  if (!Number.isFinite(mean)) return 'never';
  return `${mean.toFixed(digits)} [${low.toFixed(digits)}, ${high.toFixed(digits)}]`;
}

export function meanText(values: readonly number[], digits = 4): string {
  return estimateText(estimate(values), digits);
}

/** A mean with its interval, over some number on the axis. */
export function pointOf(x: number, values: readonly number[]): Point {
  const { mean, low, high } = estimate(values);
  return { x, y: mean, low, high };
}

export function barOf(name: string, colour: string, values: readonly number[]): Bar {
  const { mean, low, high } = estimate(values);
  return { name, colour, value: mean, low, high };
}

export function byKey<const K extends string, V>(keys: readonly K[], of: (key: K) => V): Record<K, V> {
  return Object.fromEntries(keys.map((key) => [key, of(key)])) as Record<K, V>;
}

/** Constants by method and repeat; `nameOf` gives the names of the rows. */
export function constantsTable<K extends string>(
  { folds, seeds }: Pick<Profile, 'folds' | 'seeds'>,
  title: string,
  nameOf: (key: K) => string,
  constants: Readonly<Record<K, readonly Constants[]>>,
): Table {
  const rows = Object.entries<readonly Constants[]>(constants);
  return {
    title: `${title}: constants chosen by ${folds}-fold cross-validation on the training rows of each repeat`,
    columns: ['method', ...seeds.map((seed) => `repeat ${seed}`), 'points tried'],
    rows: rows.map(([key, list]) => [nameOf(key as K), ...list.map(constantsText), String(list[0].tried)]),
  };
}

function constantsText({ scale, c1, c2, lambda }: Constants): string {
  const named = Object.entries({ C1: c1, C2: c2, lambda }).filter(([, value]) => value !== undefined);
  return [...named.map(([name, value]) => `${name} ${value}`), scale].join(', ');
}
