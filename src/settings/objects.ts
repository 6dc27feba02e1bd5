/** Objects of settings, and how they are read as a whole. */
import {
  type At,
  type Fields,
  type Flat,
  type Input,
  type InputOf,
  inside,
  isObject,
  type Json,
  Kind,
  type Output,
  refuse,
  type ValueOf,
} from './kind.ts';
import { choice } from './kinds.ts';
import { errorFrom, Refused, type Source } from './refused.ts';

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
