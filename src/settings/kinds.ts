/**
 * What a setting can be: a number in a range, a choice, a text, a list, an object of settings, and so on. A kind reads what was given as
 * JSON and refuses what it does not accept, writes a value as JSON again, and describes itself in words and as a JSON schema.
 */
import { errorFrom, type Path, Refused, type Source } from './refused.ts';

export type Json = Readonly<Record<string, unknown>>;

/** Where a value was given. On the wire nothing is left to a default: what is missing is refused. */
export interface At {
  readonly path: Path;
  readonly missing: 'default' | 'refused';
}

interface Definition<T> {
  /** Completes the sentence "expected ...". */
  readonly expected: string;
  readonly schema: Json;
  read(given: unknown, at: At): T;
  /** Default: as it is. */
  write?(value: T): unknown;
  /** What a flag on the command line takes, beside text. */
  readonly form?: 'number' | 'time' | 'switch' | 'list';
  readonly choices?: readonly string[];
  /** Settings inside it: `of` says of which of its kinds, `[]` of each in a list. */
  readonly parts?: readonly { readonly of: string; readonly fields: Fields }[];
}

interface Declared<T> {
  readonly about: string;
  readonly fallback: T | undefined;
  readonly absent: 'needed' | 'optional';
  /** Where the default follows from something else: what it is, in words. */
  readonly derived?: string | undefined;
  /** Derived from the key unless given: `--wait <how>`. */
  readonly flag?: string;
}

/** T: the value in use. I: what may be given. */
export class Kind<T, I = T> {
  /** For the compiler alone. */
  declare readonly input: I;
  readonly is: Definition<T>;
  readonly declared: Declared<T>;

  constructor(is: Definition<T>, declared: Partial<Declared<T>> = {}) {
    this.is = is;
    this.declared = { about: '', fallback: undefined, absent: 'needed', ...declared };
  }

  private with(changes: object): Kind<never, never> {
    return new Kind<unknown>(this.is, { ...this.declared, ...changes }) as Kind<never, never>;
  }

  /** What it means, in one sentence. */
  about(about: string): Kind<T, I> {
    return this.with({ about });
  }

  flag(flag: string): Kind<T, I> {
    return this.with({ flag });
  }

  default(fallback: T): Kind<T, I | undefined> {
    return this.with({ fallback, derived: undefined });
  }

  /** May be missing. `derived` says what then holds: "as in training". */
  optional(derived?: string): Kind<T | undefined, I | undefined> {
    return this.with({ fallback: undefined, absent: 'optional', derived });
  }

  /** Neither optional nor with a default. */
  needed(): Kind<NonNullable<T>, NonNullable<I>> {
    return this.with({ fallback: undefined, absent: 'needed', derived: undefined });
  }

  /** Refuses values that the kind itself accepts. */
  check(holds: (value: T) => boolean, expected: string): Kind<T, I> {
    const read = (given: unknown, at: At) => {
      const value = this.is.read(given, at);
      return holds(value) ? value : refuse(at, expected, given);
    };
    return new Kind<T, I>({ ...this.is, read }, this.declared);
  }

  /** Short forms, written out before they are read; undefined: as if nothing was given. `schema` describes them. */
  short<S>(
    expand: (given: unknown) => unknown,
    { expected = this.is.expected, schema }: { readonly expected?: string; readonly schema: Json },
  ): Kind<T, I | S> {
    const read = (given: unknown, at: At) => {
      const full = expand(given);
      if (full === undefined) return undefined as T;
      return isObject(full) ? this.is.read(full, at) : refuse(at, expected, given);
    };
    const schemas = { anyOf: [schema, this.is.schema] };
    return new Kind<T, I | S>({ ...this.is, read, expected, schema: schemas }, this.declared as Declared<T>);
  }

  read(given: unknown, at: At): T {
    return this.is.read(given, at);
  }

  toJson(value: T): unknown {
    return this.is.write ? this.is.write(value) : value;
  }

  get schema(): Json {
    const { about, fallback } = this.declared;
    return {
      ...this.is.schema,
      ...(about !== '' && { description: about }),
      ...(fallback !== undefined && { default: this.toJson(fallback) }),
    };
  }
}

export type Fields = Readonly<Record<string, Kind<unknown, unknown>>>;

type InputOf<K> = K extends Kind<unknown, infer I> ? I : never;
type ValueOf<K> = K extends Kind<infer T, unknown> ? T : never;
type Flat<T> = { [K in keyof T]: T[K] };
type Absent<F, V> = { [K in keyof F]: undefined extends V[K & keyof V] ? K : never }[keyof F];
type WithOptional<F, V> = Flat<
  { readonly [K in Exclude<keyof F, Absent<F, V>>]: V[K & keyof V] } & {
    readonly [K in Absent<F, V>]?: V[K & keyof V];
  }
>;

/** What may be given for an object of settings. */
export type Input<F> = WithOptional<F, { [K in keyof F]: InputOf<F[K]> }>;
/** The same, complete and checked. */
export type Output<F> = WithOptional<F, { [K in keyof F]: ValueOf<F[K]> }>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refuse(at: At, expected: string, got: unknown): never {
  throw new Refused(at.path, expected, got);
}

function inside(at: At, key: string | number): At {
  return { ...at, path: [...at.path, key] };
}

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
    form: 'list',
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

/** `others`: what happens to keys that are none of its fields. */
export function object<F extends Fields>(
  fields: F,
  others: 'refused' | 'ignored' = 'refused',
): Kind<Output<F>, Input<F>> {
  const entries = Object.entries(fields);
  const required = entries.flatMap(([key, { declared }]) =>
    declared.absent === 'needed' && declared.fallback === undefined ? [key] : [],
  );
  return new Kind<Output<F>, Input<F>>({
    expected: `an object of ${Object.keys(fields).join(', ')}`,
    parts: [{ of: '', fields }],
    schema: {
      type: 'object',
      properties: Object.fromEntries(entries.map(([key, field]) => [key, field.schema])),
      ...(required.length > 0 && { required }),
      additionalProperties: others === 'ignored',
    },
    read(given, at) {
      if (!isObject(given)) return refuse(at, 'an object', given);
      const unknown = others === 'refused' && Object.keys(given).find((key) => !Object.hasOwn(fields, key));
      if (typeof unknown === 'string') throw new Refused([...at.path, unknown], undefined, undefined);
      const out: Record<string, unknown> = {};
      for (const [key, field] of entries) {
        const value = readField(field, Object.hasOwn(given, key) ? given[key] : undefined, inside(at, key));
        if (value !== undefined) out[key] = value;
      }
      return out as Output<F>;
    },
    write: (value) =>
      Object.fromEntries(
        entries.flatMap(([key, field]) => {
          const inner = (value as Json)[key];
          return inner === undefined ? [] : [[key, field.toJson(inner)]];
        }),
      ),
  });
}

function readField(field: Kind<unknown, unknown>, given: unknown, at: At): unknown {
  if (given !== undefined) return field.read(given, at);
  const { absent, fallback } = field.declared;
  if (fallback !== undefined && at.missing === 'default') return fallback;
  return absent === 'optional' ? undefined : refuse(at, field.is.expected, undefined);
}

type VariantsIn<K extends string, V> = {
  [N in keyof V]: Flat<{ readonly [T in K]: N } & Input<V[N]>>;
}[keyof V];
type VariantsOut<K extends string, V> = {
  [N in keyof V]: Flat<{ readonly [T in K]: N } & Output<V[N]>>;
}[keyof V];

/** Objects of several kinds, told apart by one of their fields. */
export function variants<K extends string, const V extends Readonly<Record<string, Fields>>>(tag: K, of: V) {
  const names = choice(...Object.keys(of));
  const kinds = Object.fromEntries(
    Object.keys(of).map((name) => [name, object({ [tag]: choice(name), ...of[name] })]),
  );
  const kindOf = (value: unknown) => kinds[(value as Json)[tag] as string];
  return new Kind<VariantsOut<K, V>, VariantsIn<K, V>>({
    expected: `an object whose ${tag} is ${names.is.expected}`,
    parts: Object.entries(of).map(([name, fields]) => ({ of: ` (${tag} ${name})`, fields })),
    schema: { oneOf: Object.values(kinds).map(({ schema }) => schema) },
    read(given, at) {
      if (!isObject(given)) return refuse(at, `an object whose ${tag} is ${names.is.expected}`, given);
      names.read(given[tag], inside(at, tag));
      return kindOf(given).read(given, at) as VariantsOut<K, V>;
    },
    write: (value) => kindOf(value).toJson(value as Json),
  });
}

/** All of them optional, without defaults. */
export function partial<F extends Fields>(fields: F) {
  return Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, field.optional()])) as {
    readonly [K in keyof F]: Kind<ValueOf<F[K]> | undefined, InputOf<F[K]> | undefined>;
  };
}

/** What was given as a kind of settings; throws one sentence about the first thing that is wrong. */
export function readSettings<T>(kind: Kind<T, unknown>, given: unknown, source: Source): T {
  try {
    return kind.read(given, { path: [], missing: 'default' });
  } catch (error) {
    throw error instanceof Refused ? errorFrom(source, error) : error;
  }
}
