/**
 * From targets as text to targets as numbers. Classification is two-class: -1 and +1, and whoever reads the result must
 * know which is which. Numbers are compared by value: "1", "1.0" and "+1" are one class.
 */
import { inputError } from '../base/errors.ts';
import { LARGEST_FEATURE, listed, parseDecimal, shown } from './number.ts';
import { naturallySorted } from './participants.ts';
import { placeOf, type Table } from './table.ts';

type Labelled = Pick<Table, 'source' | 'targets' | 'lines'>;

/** What +1 and -1 stand for. Part of a model. */
export interface ClassMapping {
  readonly positive: string;
  /** Undefined: one against the rest, every other value is -1. */
  readonly negative: string | undefined;
}

interface ClassificationTargets extends ClassMapping {
  /** -1 or +1 for each row. */
  readonly y: Float64Array;
  /** One sentence for people: what is +1 and what is -1. */
  readonly note: string;
}

export function classificationTargets(
  table: Labelled,
  options: { readonly positive?: string | undefined } = {},
): ClassificationTargets {
  const classes = distinctClasses(targetsOf(table));
  const mapping = chooseMapping(table.source, [...classes.values()], classes, options.positive);
  const rest = mapping.negative === undefined ? 'everything else' : shown(mapping.negative);
  return {
    ...mapping,
    y: applyMapping(table, mapping),
    note: `${shown(mapping.positive)} is the positive class (+1), ${rest} the negative one (-1)`,
  };
}

/** Targets of another table by a mapping that is already known: at prediction and evaluation time. */
export function applyMapping(table: Labelled, mapping: ClassMapping): Float64Array {
  const targets = targetsOf(table);
  const positive = classKey(mapping.positive);
  const negative = mapping.negative === undefined ? undefined : classKey(mapping.negative);
  const signs = new Map<string, number>();
  return Float64Array.from(targets, (text, i) => {
    let sign = signs.get(text);
    if (sign === undefined) {
      const key = classKey(text);
      if (key !== positive && negative !== undefined && key !== negative) {
        throw inputError(
          'UNKNOWN_CLASS',
          `${table.source} ${placeOf(table, i)}: expected the target ${shown(mapping.positive)} or ` +
            `${shown(mapping.negative!)}, got ${shown(text)}`,
        );
      }
      sign = key === positive ? 1 : -1;
      signs.set(text, sign);
    }
    return sign;
  });
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

function targetsOf(table: Labelled): readonly string[] {
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
  if (wanted === undefined && values.length > 2) throw positiveNeeded(source, values);
  if (wanted === undefined) {
    const [negative, positive] = naturallySorted(values);
    return { positive, negative };
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

function positiveNeeded(source: string, values: readonly string[]): Error {
  const numeric = values.every((value) => !Number.isNaN(parseDecimal(value)));
  const hint =
    numeric && values.length > 20 ? ', or --objective regression if these are numbers to predict' : '';
  return inputError(
    'POSITIVE_NEEDED',
    `${source}: expected two classes, got ${values.length}: ${classList(values)}; ` +
      `choose the positive class with --positive <class>${hint}`,
  );
}

function classList(values: readonly string[]): string {
  return listed(naturallySorted(values).map(shown));
}
