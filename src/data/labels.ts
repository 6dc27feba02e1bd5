/**
 * From targets as text to targets as numbers. Two classes are -1 and +1, more are numbered from 0 in natural order, and whoever reads the
 * result must know which is which. Numbers are compared by value: "1", "1.0" and "+1" are one class.
 */
import { inputError } from '../base/errors.ts';
import { LARGEST_FEATURE, listed, parseDecimal, shown } from './number.ts';
import { naturallySorted } from './participants.ts';
import { placeOf, type Table } from './table.ts';

type Labelled = Pick<Table, 'source' | 'targets' | 'lines'>;

/** One head, whose sign decides. */
export interface TwoClasses {
  readonly positive: string;
  /** Undefined: one against the rest, every other value is -1. */
  readonly negative: string | undefined;
}

/** A head for each label, against all others: the largest decision wins. */
export interface ManyClasses {
  /** Three or more, in natural order. */
  readonly labels: readonly string[];
}

/** What the targets of rows stand for. Part of a model. */
export type ClassMapping = TwoClasses | ManyClasses;

export function isMany(classes: ClassMapping | undefined): classes is ManyClasses {
  return classes !== undefined && 'labels' in classes;
}

/** Linear models that make up one model: 1 for two classes and for regression. */
export function headsOf(classes: ClassMapping | undefined): number {
  return isMany(classes) ? classes.labels.length : 1;
}

/** All names that a prediction may have, in the order of their numbers; of one against the rest, the rest has none of its own. */
export function classNames(classes: ClassMapping): readonly string[] {
  if (isMany(classes)) return classes.labels;
  return [classes.negative ?? `not ${classes.positive}`, classes.positive];
}

/**
 * Targets of rows as the heads see them: -1 and +1, a block for each head. `y` as `applyMapping` or `regressionTargets` gives them.
 */
export function headTargets(y: Float64Array, heads: number): Float64Array {
  if (heads === 1) return y;
  const n = y.length;
  const blocks = new Float64Array(heads * n).fill(-1);
  for (let i = 0; i < n; i++) blocks[y[i] * n + i] = 1;
  return blocks;
}

/** More are numbers to predict, or names. */
const MOST_CLASSES = 100;
/** Of numbers, unless somebody says that they are classes; of numbers with decimals in any case, as they are rarely names of classes. */
const MOST_NUMBERED = 20;

/** So many different numbers that they are numbers to predict, where nobody says what they are; undefined: they are classes. */
export function differentNumbers(targets: readonly string[]): number | undefined {
  const keys = [...distinctClasses(targets).keys()];
  return keys.length > MOST_NUMBERED && keys.every(isNumber) ? keys.length : undefined;
}

function isNumber(text: string): boolean {
  return !Number.isNaN(parseDecimal(text));
}

interface ClassificationTargets {
  readonly classes: ClassMapping;
  /** For each row -1 or +1; of many classes the number of its own. */
  readonly y: Float64Array;
  /** One sentence for people: what is +1 and what is -1. */
  readonly note: string;
}

export function classificationTargets(
  table: Labelled,
  options: { readonly positive?: string | undefined } = {},
): ClassificationTargets {
  const found = distinctClasses(targetsOf(table));
  const classes = chooseMapping(table.source, [...found.values()], found, options.positive);
  return { classes, y: applyMapping(table, classes), note: noteOn(classes) };
}

/** For what is defined for two classes only: refuses more, unless one of them is chosen. */
export function checkTwoClasses(table: Labelled, positive: string | undefined): void {
  const { classes } = classificationTargets(table, { positive });
  if (!isMany(classes)) return;
  throw inputError(
    'POSITIVE_NEEDED',
    `${table.source}: expected two classes, got ${classes.labels.length}: ${classList(classes.labels)}; choose one against the rest with --positive <class>`,
  );
}

function noteOn(classes: ClassMapping): string {
  if (isMany(classes))
    return `${classes.labels.length} classes, one head for each: ${classList(classes.labels)}`;
  const rest = classes.negative === undefined ? 'everything else' : shown(classes.negative);
  return `${shown(classes.positive)} is the positive class (+1), ${rest} the negative one (-1)`;
}

/** Targets of another table by a mapping that is already known: at prediction and evaluation time. */
export function applyMapping(table: Labelled, classes: ClassMapping): Float64Array {
  const numbers = numbersByKey(classes);
  const isRest = !isMany(classes) && classes.negative === undefined;
  const known = new Map<string, number>();
  return Float64Array.from(targetsOf(table), (text, i) => {
    let number = known.get(text);
    if (number === undefined) {
      number = numbers.get(classKey(text)) ?? (isRest ? -1 : undefined);
      if (number === undefined) throw unknownClass(table, i, text, classes);
      known.set(text, number);
    }
    return number;
  });
}

function numbersByKey(classes: ClassMapping): Map<string, number> {
  if (isMany(classes)) return new Map(classes.labels.map((label, c) => [classKey(label), c]));
  const numbers = new Map([[classKey(classes.positive), 1]]);
  if (classes.negative !== undefined) numbers.set(classKey(classes.negative), -1);
  return numbers;
}

function unknownClass(table: Labelled, i: number, text: string, classes: ClassMapping): Error {
  const expected = isMany(classes)
    ? `one of ${classList(classes.labels)}`
    : `${shown(classes.positive)} or ${shown(classes.negative!)}`;
  return inputError(
    'UNKNOWN_CLASS',
    `${table.source} ${placeOf(table, i)}: expected the target ${expected}, got ${shown(text)}`,
  );
}

export function regressionTargets(table: Labelled): Float64Array {
  return Float64Array.from(targetsOf(table), (text, i) => {
    const value = parseDecimal(text);
    if (Math.abs(value) <= LARGEST_FEATURE) return value;
    throw inputError(
      'TARGET_NOT_A_NUMBER',
      `${table.source} ${placeOf(table, i)}: expected a number as target for regression, got ${shown(text)}`,
    );
  });
}

export function targetsOf(table: Labelled): readonly string[] {
  if (table.targets) return table.targets;
  throw inputError('NO_TARGETS', `${table.source}: expected a target column, got none`);
}

/** A label in its canonical form: one for all ways to write the same number. */
export function classKey(text: string): string {
  const value = parseDecimal(text.trim());
  return Number.isNaN(value) ? text.trim() : String(value + 0);
}

/** Classes by key, each as first written. */
function distinctClasses(targets: readonly string[]): Map<string, string> {
  const classes = new Map<string, string>();
  const seen = new Set<string>();
  for (const text of targets) {
    if (seen.has(text)) continue;
    seen.add(text);
    const key = classKey(text);
    if (!classes.has(key)) classes.set(key, text);
  }
  return classes;
}

function chooseMapping(
  source: string,
  values: readonly string[],
  classes: ReadonlyMap<string, string>,
  wanted: string | undefined,
): ClassMapping {
  if (values.length < 2) {
    throw inputError(
      'ONE_CLASS',
      `${source}: expected two classes, got only ${values.map(shown).join('') || 'no rows'}`,
    );
  }
  if (wanted === undefined) {
    const sorted = naturallySorted(values);
    if (sorted.length === 2) return { positive: sorted[1], negative: sorted[0] };
    if (sorted.length > mostClasses(values)) throw tooManyClasses(source, values);
    return { labels: sorted };
  }
  const positive = classes.get(classKey(wanted));
  if (positive === undefined) {
    throw inputError(
      'UNKNOWN_POSITIVE',
      `${source}: expected the positive class (--positive) to be one of ${classList(values)}, got ${shown(wanted)}`,
    );
  }
  return {
    positive,
    negative: values.length === 2 ? values.find((value) => value !== positive)! : undefined,
  };
}

function mostClasses(values: readonly string[]): number {
  const areFractions = values.every(isNumber) && !values.map(parseDecimal).every(Number.isInteger);
  return areFractions ? MOST_NUMBERED : MOST_CLASSES;
}

function tooManyClasses(source: string, values: readonly string[]): Error {
  const remedy = values.every(isNumber)
    ? 'use --objective regression if these are numbers to predict'
    : 'is --label the target column?';
  return inputError(
    'TOO_MANY_CLASSES',
    `${source}: expected at most ${mostClasses(values)} classes, got ${values.length}: ${classList(values)}; ${remedy}`,
  );
}

function classList(values: readonly string[]): string {
  return listed(naturallySorted(values).map(shown));
}
