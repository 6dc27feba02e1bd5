/** The one way in which a value that was given is refused: where it is, what was expected, what is there instead. */
import { inputError, type KindredError } from '../base/errors.ts';

export type Path = readonly (string | number)[];

/** What a kind throws; `sentenceOf` and `errorFrom` make sentences and errors of it. */
export class Refused extends Error {
  readonly path: Path;
  /** Undefined: there is no field of this name. */
  readonly expected: string | undefined;
  readonly got: unknown;

  constructor(path: Path, expected: string | undefined, got: unknown) {
    super('refused');
    this.path = path;
    this.expected = expected;
    this.got = got;
  }
}

/** Where settings were given, and the code of everything that is wrong with them. */
export interface Source {
  readonly code: string;
  /** A file, say. */
  readonly name: string;
  /** From a command line: texts are shown as they were typed. */
  readonly typed?: true;
}

/** Flags of a command and options of a function alike: each has a name of its own. */
export const OPTIONS: Source = { code: 'BAD_OPTION', name: 'option', typed: true };

/** For what no single setting can say: two that do not go together. */
export function settingError(source: Source, field: string, expected: string, got: unknown): KindredError {
  return errorFrom(source, new Refused(field === '' ? [] : [field], expected, got));
}

export function errorFrom(source: Source, { path, expected, got }: Refused): KindredError {
  const what = source.typed && typeof got === 'string' && got !== '' ? got : shown(got);
  if (source === OPTIONS) {
    // The place in a list is no part of a flag's name.
    const name = path.filter((key) => typeof key === 'string').join('-');
    if (expected === undefined)
      return inputError('UNKNOWN_OPTION', `option "${name}": there is no such option`);
    return inputError(source.code, `option ${flagOf(name)}: expected ${expected}, got ${what}`);
  }
  const where = path.length === 0 ? source.name : `${source.name}: ${fieldName(path)}`;
  return inputError(source.code, `${where}: ${problem(expected, what)}`);
}

/** Without the source: `c1: expected a number above 0, got 0`. */
export function sentenceOf({ path, expected, got }: Refused): string {
  const sentence = problem(expected, shown(got));
  return path.length === 0 ? sentence : `${fieldName(path)}: ${sentence}`;
}

function problem(expected: string | undefined, got: string): string {
  return expected === undefined ? 'there is no such field' : `expected ${expected}, got ${got}`;
}

/** testFraction -> --test-fraction, maxWaitMs -> --max-wait */
export function flagOf(key: string): string {
  return `--${key.replace(/Ms$/, '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** partitions[0].participants */
function fieldName(path: Path): string {
  return path.reduce<string>((name, key) => {
    if (typeof key === 'number') return `${name}[${key}]`;
    return name === '' ? key : `${name}.${key}`;
  }, '');
}

const LONGEST = 60;

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = asText(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 3)}...` : text;
}

function asText(value: unknown): string {
  if (typeof value === 'number') return String(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // JSON can be parsed at any depth, but not written.
    return 'a value that is nested too deeply';
  }
}
