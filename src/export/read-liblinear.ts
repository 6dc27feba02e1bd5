/** LIBLINEAR text models: see liblinear.ts. Every number is checked before it is used. */
import { inputError } from '../base/errors.ts';
import { parseDecimal, shown } from '../data/number.ts';
import type { LinearModel } from '../solver/linear-model.ts';

/** Crammer and Singer's has a weight for each class even where there are two. */
const JOINT = 'MCSVM_CS';

export function readLiblinear(
  text: string,
  source: string,
  names: readonly string[] | undefined,
): LinearModel {
  const [, head, body] = /^([\s\S]*?)\nw[ \t]*\r?\n([\s\S]*)$/.exec(text) ?? [];
  if (head === undefined) throw wrong(source, 'expected a line "w" before the weights, got none');
  const header = new Map(
    head.split('\n').map((line) => {
      const [key, ...values] = line.trim().split(/\s+/);
      return [key, values];
    }),
  );
  const count = (key: string) => {
    const [value = ''] = header.get(key) ?? [];
    if (/^\d{1,9}$/.test(value)) return Number(value);
    throw wrong(source, `expected a whole number behind ${key}, got ${shown(value)}`);
  };
  const d = count('nr_feature');
  const bias = parseDecimal(header.get('bias')?.[0] ?? '-1');
  const label = header.get('label');
  const classes = label && namedClasses(label, names, source);
  const heads = label && (label.length > 2 || header.get('solver_type')?.[0] === JOINT) ? label.length : 1;
  const values = body.trim().split(/\s+/).map(parseDecimal);
  const rows = d + (bias >= 0 ? 1 : 0);
  if (values.length !== rows * heads || !values.every(Number.isFinite))
    throw wrong(source, `expected ${rows} x ${heads} numbers behind w, got ${values.length}`);
  return {
    source,
    objective: label ? 'classification' : 'regression',
    features: undefined,
    // One weight is that of the first label.
    classes: classes && (heads === 1 ? [classes[1], classes[0]] : classes),
    heads: Array.from({ length: heads }, (_, h) => ({
      coef: Float64Array.from({ length: d }, (_, j) => values[j * heads + h]),
      intercept: bias >= 0 ? bias * values[d * heads + h] : 0,
    })),
  };
}

function namedClasses(
  label: readonly string[],
  names: readonly string[] | undefined,
  source: string,
): readonly string[] {
  if (label.length < 2) throw wrong(source, `expected two labels or more, got ${label.length}`);
  // Names are those of labels 1, 2, ...; other labels are the names of their classes themselves.
  const isNumbered =
    names?.length === label.length && label.every((number) => names[Number(number) - 1] !== undefined);
  return isNumbered ? label.map((number) => names[Number(number) - 1]) : label;
}

function wrong(source: string, sentence: string): Error {
  return inputError('START_INVALID', `${source}: LIBLINEAR model: ${sentence}`);
}
