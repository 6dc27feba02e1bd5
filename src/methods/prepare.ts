/**
 * From a table to tasks: targets as numbers, a seeded split inside every participant, scaling from the training rows
 * alone (computed per participant and merged, as a federation does it). The rows themselves stay where they are: they are
 * scaled, and get the bias, on their way into kernel memory.
 */
import type { Encoding } from '../data/encoding.ts';
import {
  type ClassMapping,
  classificationTargets,
  headsOf,
  headTargets,
  regressionTargets,
} from '../data/labels.ts';
import { encodeLearnt } from '../data/learn-encoding.ts';
import { firstParticipants, rowsByParticipant } from '../data/participants.ts';
import { type Split, splitRows } from '../data/split.ts';
import type { Table } from '../data/table.ts';
import { meanOneWeights, weightedRows } from '../data/weights.ts';
import { featureMoments, mergeMoments, type ScaleMode, type Scaling, scalingFrom } from '../math/scaling.ts';
import {
  scaledTargets,
  type TargetScaling,
  targetMoments,
  targetScalingFrom,
} from '../math/target-scaling.ts';
import { columnsOf, type FeatureMap, mostMappedFeatures, seededMap } from '../settings/feature-map.ts';
import { OPTIONS, settingError } from '../settings/refused.ts';
import { rowWeights } from '../solver/problem.ts';
import { leaksIn } from './leaks.ts';
import type { ResolvedOptions } from './options.ts';
import type { Task } from './workspace.ts';

export interface Prepared {
  /** Numeric features alone. */
  readonly table: Table;
  /** How they follow from the columns that were read; undefined: they are those columns. */
  readonly encoding: Encoding | undefined;
  /** What was made of columns with text or gaps, a sentence each. */
  readonly columns: readonly string[];
  /** Targets of all rows: -1 and +1, of many classes their numbers, or values. */
  readonly y: Float64Array;
  readonly classes: ClassMapping | undefined;
  /** Sentences for people: how labels were mapped, and the like. */
  readonly notes: readonly string[];
  readonly split: Split;
  /** Features that give the target away. */
  readonly leaks: readonly string[];
}

export function prepare(whole: Table, options: ResolvedOptions): Prepared {
  const given = firstParticipants(whole, options.participants);
  const { testFraction, seed, trainRows } = options;
  const { train, test } = splitRows(given, { testFraction, seed, trainRows });
  const split = { train: weightedRows(given, train), test };
  const { table, encoding, notes: columns } = encodeLearnt(given, split.train, options);
  const targets = targetsFor(table, options);
  return { table, encoding, columns, ...targets, split, leaks: leaksIn(given, targets) };
}

function targetsFor(table: Table, { objective, positive }: ResolvedOptions) {
  if (objective === 'regression') return { y: regressionTargets(table), classes: undefined, notes: [] };
  const { note, ...targets } = classificationTargets(table, { positive });
  return { ...targets, notes: [note] };
}

/** One participant's training rows. */
interface OwnRows extends Omit<Task, 'table'> {
  /** Their places in the table, n of them. */
  readonly places: Uint32Array;
}

/**
 * Where the rows of tasks are, as plain data: from it anybody who has the table's numbers, this thread or another, makes the tasks.
 */
export interface PlacedRows {
  /** All rows of the table, unscaled. */
  readonly x: Float64Array;
  readonly scaling: Scaling;
  /** Undefined: the features stay what they are. */
  readonly map: FeatureMap | undefined;
  /** Whether a constant column is appended. */
  readonly bias: boolean;
  readonly own: readonly OwnRows[];
}

type TaskOptions = Pick<ResolvedOptions, 'objective' | 'loss' | 'bias' | 'classWeight'>;

/** What is made of some rows of a prepared table: all training rows, or those of a cross-validation fold. */
export interface Placed {
  readonly rows: PlacedRows;
  readonly tasks: readonly Task[];
  /** With the bias. */
  readonly columns: number;
  /** Length of vectors: the columns of all heads. */
  readonly d: number;
  readonly heads: number;
  readonly scaling: Scaling;
  readonly map: FeatureMap | undefined;
  /** Undefined: targets are as they are. */
  readonly target: TargetScaling | undefined;
}

export function tasksOf(
  prepared: Prepared,
  some: Uint32Array,
  options: TaskOptions & Pick<ResolvedOptions, 'scale' | 'scaleTarget' | 'features' | 'seed'>,
): Placed {
  const { table, y, classes } = prepared;
  const groups = rowsByParticipant(table, some);
  const scaling = scalingOf(table, groups, options.scale);
  const isScaled = options.objective === 'regression' && options.scaleTarget === 'standard';
  const target = isScaled ? targetScalingOf(y, groups) : undefined;
  const map = fittingMap(table, options);
  return scaledTasks(table, y, groups, { scaling, map, target, classes }, options);
}

/** A task for each participant of the table, of its rows in `groups`, with rows and targets under a scaling that is known. */
export function scaledTasks(
  table: Table,
  y: Float64Array,
  groups: readonly Uint32Array[],
  { scaling, map, target, classes }: Pick<Placed, 'scaling' | 'map' | 'target'> & Pick<Prepared, 'classes'>,
  options: TaskOptions,
): Placed {
  const own = groups.map((places, k): OwnRows => {
    const n = places.length;
    const id = table.participants[k];
    const values = Float64Array.from(places, (i) => y[i]);
    const targets = headTargets(scaledTargets(values, target), headsOf(classes));
    const weights = rowWeights(options, targets, n, meanOneWeights(table, places, id));
    return { id, n, places, y: targets, weights };
  });
  const rows = { x: table.x, scaling, map, bias: options.bias, own };
  const tasks = own.map((one) => taskOver(rows, one));
  const columns = columnsIn(rows);
  const heads = headsOf(classes);
  return { rows, tasks, columns, d: heads * columns, heads, scaling, map, target };
}

function fittingMap(table: Table, options: Pick<ResolvedOptions, 'features' | 'seed'>) {
  const map = seededMap(options.features, options.seed);
  const d = table.features.length;
  const most = mostMappedFeatures(map);
  if (!map || d <= most) return map;
  const expected = `a map of at most ${most} features with a count of ${map.count}`;
  throw settingError(OPTIONS, 'features', expected, `${d}`);
}

function scalingOf(table: Table, groups: readonly Uint32Array[], mode: ScaleMode): Scaling {
  const d = table.features.length;
  const moments = groups.map((rows) => featureMoments(table.x, d, rows));
  return scalingFrom(moments.reduce(mergeMoments), mode);
}

function targetScalingOf(y: Float64Array, groups: readonly Uint32Array[]): TargetScaling {
  return targetScalingFrom(groups.map((rows) => targetMoments(y, rows)).reduce(mergeMoments));
}

/** Columns, with the bias. */
export function columnsIn({ scaling, map, bias }: Pick<PlacedRows, 'scaling' | 'map' | 'bias'>): number {
  return columnsOf({ features: scaling.shift.length, map, bias });
}

/** Rows are scaled and mapped, and get the bias, on their way into kernel memory. */
export function taskOver(
  { x, scaling, map }: Pick<PlacedRows, 'x' | 'scaling' | 'map'>,
  { places, ...task }: OwnRows,
): Task {
  return { ...task, table: { x, index: places, scaling, map } };
}
