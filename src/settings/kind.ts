/**
 * A kind of setting: it reads what was given as JSON and refuses what it does not accept, writes a value as JSON again, and describes
 * itself in words and as a JSON schema. kinds.ts has those of single values and lists, objects.ts those of objects.
 */
import { type Path, Refused } from './refused.ts';

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
  readonly form?: 'number' | 'time' | 'switch' | 'list' | 'numbers';
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

export type InputOf<K> = K extends Kind<unknown, infer I> ? I : never;
export type ValueOf<K> = K extends Kind<infer T, unknown> ? T : never;
export type Flat<T> = { [K in keyof T]: T[K] };
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

export function refuse(at: At, expected: string, got: unknown): never {
  throw new Refused(at.path, expected, got);
}

export function inside(at: At, key: string | number): At {
  return { ...at, path: [...at.path, key] };
}
