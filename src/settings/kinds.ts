/** Kinds of single values and of lists: a number in a range, a choice, a text, and so on. */
import { inside, isObject, Kind, refuse } from './kind.ts';
import { Refused } from './refused.ts';

/** Bounds of a number: at least, above, at most, below. */
export interface Range {
  readonly min?: number;
  readonly above?: number;
  readonly max?: number;
  readonly below?: number;
}

interface Numeric extends Range {
  readonly noun: string;
  readonly type?: 'number' | 'integer';
  readonly form?: 'number' | 'time';
  /** Default: the noun and its range. */
  readonly expected?: string;
}

function numeric({
  noun,
  type = 'number',
  form = 'number',
  min,
  above,
  max,
  below,
  ...given
}: Numeric): Kind<number> {
  const bounds = { minimum: min, exclusiveMinimum: above, maximum: max, exclusiveMaximum: below };
  const set = Object.entries(bounds).filter(([, bound]) => Number.isFinite(bound));
  const expected =
    given.expected ?? `${noun} ${set.map(([key, bound]) => `${WORDS[key]} ${bound}`).join(' and ')}`.trim();
  const isOne = type === 'integer' ? Number.isInteger : Number.isFinite;
  const {
    minimum = -Infinity,
    exclusiveMinimum = -Infinity,
    maximum = Infinity,
    exclusiveMaximum = Infinity,
  } = bounds;
  const holds = (x: number) => x >= minimum && x > exclusiveMinimum && x <= maximum && x < exclusiveMaximum;
  return new Kind<number>({
    expected,
    form,
    schema: { type, ...Object.fromEntries(set) },
    read: (given, at) =>
      typeof given === 'number' && isOne(given) && holds(given) ? given : refuse(at, expected, given),
  });
}

const WORDS: Readonly<Record<string, string>> = {
  minimum: 'of at least',
  exclusiveMinimum: 'above',
  maximum: 'at most',
  exclusiveMaximum: 'below',
};

export function number(range: Range = {}): Kind<number> {
  return numeric({ noun: 'a number', ...range });
}

/** More than this nobody means: the words leave it out. */
const MANY = 1_000_000_000;

export function whole(min: number, max = MANY): Kind<number> {
  const range = max < MANY ? `from ${min} to ${max}` : `of at least ${min}`;
  return numeric({ noun: '', type: 'integer', min, max, expected: `a whole number ${range}` });
}

/** Timers of all runtimes take at most this many milliseconds; more fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Milliseconds; on the command line 500ms, 2s, 10m. */
export function milliseconds(range: Range = { above: 0 }): Kind<number> {
  return numeric({ noun: 'a number of milliseconds', form: 'time', max: LONGEST_TIMER_MS, ...range });
}

/** Undefined where the kind refuses it. */
export function accepted<T>(kind: Kind<T, unknown>, given: unknown): T | undefined {
  try {
    return kind.read(given, { path: [], missing: 'default' });
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

/** Null stands for a number without bound. */
export function orEndless<I>(kind: Kind<number, I>): Kind<number, I | null> {
  const { is } = kind;
  const expected = `${is.expected}, or null for no limit`;
  return new Kind<number, I | null>(
    {
      ...is,
      expected,
      schema: { anyOf: [is.schema, { type: 'null' }] },
      read: (given, at) =>
        given === null ? Infinity : (accepted(kind, given) ?? refuse(at, expected, given)),
      write: (value) => (value === Infinity ? null : value),
    },
    kind.declared,
  );
}

export function toggle(): Kind<boolean> {
  const expected = 'true or false';
  return new Kind<boolean>({
    expected,
    form: 'switch',
    schema: { type: 'boolean' },
    read: (given, at) => (typeof given === 'boolean' ? given : refuse(at, expected, given)),
  });
}

/** `longest` in characters. */
export function text(expected = 'text', longest = Infinity, shortest = 1): Kind<string> {
  return new Kind<string>({
    expected,
    schema: { type: 'string' },
    read: (given, at) =>
      typeof given === 'string' && given.length >= shortest && given.length <= longest
        ? given
        : refuse(at, expected, given),
  });
}

export function choice<const T extends string>(...choices: readonly T[]): Kind<T> {
  const expected = choices.length === 1 ? `"${choices[0]}"` : `one of ${choices.join(', ')}`;
  return new Kind<T>({
    expected,
    choices,
    schema: { type: 'string', enum: choices },
    read: (given, at) => choices.find((one) => one === given) ?? refuse(at, expected, given),
  });
}

export function list<T, I>(of: Kind<T, I>, expected: string, { least = 0, most = Infinity } = {}) {
  return new Kind<readonly T[], readonly I[]>({
    expected,
    form: of.is.form === 'number' ? 'numbers' : 'list',
    parts: (of.is.parts ?? []).map(({ fields }) => ({ of: '[]', fields })),
    schema: { type: 'array', items: of.schema },
    read: (given, at) =>
      Array.isArray(given) && given.length >= least && given.length <= most
        ? given.map((value, i) => of.read(value, inside(at, i)))
        : refuse(at, expected, given),
  });
}

/** By name: any names. */
export function record<T, I>(of: Kind<T, I>, expected: string) {
  return new Kind<Readonly<Record<string, T>>, Readonly<Record<string, I>>>({
    expected,
    schema: { type: 'object', additionalProperties: of.schema },
    read: (given, at) =>
      isObject(given)
        ? Object.fromEntries(
            Object.entries(given).map(([key, value]) => [key, of.read(value, inside(at, key))]),
          )
        : refuse(at, expected, given),
  });
}

/** The first that accepts it; a refusal inside one of them says more than that neither does. */
export function either<A, B, IA, IB>(a: Kind<A, IA>, b: Kind<B, IB>): Kind<A | B, IA | IB> {
  const expected = `${a.is.expected}, or ${b.is.expected}`;
  return new Kind<A | B, IA | IB>({
    expected,
    schema: { anyOf: [a.schema, b.schema] },
    ...(a.is.form && { form: a.is.form }),
    read(given, at) {
      const refusals: Refused[] = [];
      for (const kind of [a, b]) {
        try {
          return kind.read(given, at);
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          refusals.push(error);
        }
      }
      throw (
        refusals.find(({ path }) => path.length > at.path.length) ?? new Refused(at.path, expected, given)
      );
    },
  });
}

/** Anything that JSON can hold. */
export const ANYTHING = new Kind<unknown>({ expected: 'a value', schema: {}, read: (given) => given });
