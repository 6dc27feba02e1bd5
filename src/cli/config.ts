/**
 * --config: values of options from a JSON file. Keys are the names of options; an object under the name of a command holds those of that
 * command alone. What is on the command line goes before it.
 */
import type { Command, Option } from 'commander';
import { inputError, KindredError } from '../base/errors.ts';
import { nearestName } from '../data/columns.ts';
import { readIfThere } from '../node/files/files.ts';
import { isObject, type Json } from '../settings/kind.ts';

interface Entry {
  /** Where it stands in the file: train.test-fraction */
  readonly key: string;
  readonly name: string;
  readonly value: unknown;
}

/** `commands`: the names of all there are, sections of which may be in the file. */
export function applyConfig(command: Command, file: string, commands: readonly string[]): void {
  const json = readConfig(file);
  for (const { key, name, value } of entriesFor(pathOf(command), json, file, commands)) {
    const options = command.options.filter((one) => one.attributeName() === camelCase(name));
    if (options.length === 0 || name === 'config') throw unknownKey(command, file, key, name);
    const [option] = options;
    if (command.getOptionValueSource(option.attributeName()) === 'cli') continue;
    const parsed = parsedValue(options, value, `${file}: ${key}`);
    if (parsed !== undefined) command.setOptionValueWithSource(option.attributeName(), parsed, 'config');
  }
}

function readConfig(file: string): Json {
  const bytes = readIfThere(file);
  if (!bytes) throw inputError('FILE_NOT_FOUND', `${file}: there is no such file (--config)`);
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw inputError('BAD_CONFIG', `${file}: expected JSON, got ${(error as Error).message}`);
  }
  if (isObject(json)) return json;
  throw inputError('BAD_CONFIG', `${file}: expected an object of options by name, got ${typeof json}`);
}

/** data make -> [data, make] */
function pathOf(command: Command): string[] {
  return command.parent ? [...pathOf(command.parent), command.name()] : [];
}

/** Those of all commands, then those of this one: the latter win. */
function entriesFor(path: readonly string[], json: Json, file: string, commands: readonly string[]): Entry[] {
  const isSection = (key: string) => commands.includes(key) && isObject(json[key]);
  const shared = Object.keys(json).filter((key) => !isSection(key));
  const [name, inner] = path;
  const own = isSection(name) ? (json[name] as Json) : {};
  if (inner === undefined) return [...flat(pick(json, shared), ''), ...flat(own, `${name}.`)];
  // Under "data" there are only sections of its commands.
  const section = own[inner] ?? {};
  if (!isObject(section)) throw inputError('BAD_CONFIG', `${file}: ${name}.${inner}: expected an object`);
  return [...flat(pick(json, shared), ''), ...flat(section, `${name}.${inner}.`)];
}

function pick(json: Json, keys: readonly string[]): Json {
  return Object.fromEntries(keys.map((key) => [key, json[key]]));
}

/** {"dp": {"clip": 1}} is dp-clip. */
function flat(json: Json, place: string, prefix = ''): Entry[] {
  return Object.entries(json).flatMap(([key, value]) =>
    isObject(value)
      ? flat(value, `${place}${key}.`, `${prefix}${key}-`)
      : [{ key: `${place}${key}`, name: `${prefix}${key}`, value }],
  );
}

function camelCase(name: string): string {
  return name.replace(/-([a-zA-Z])/g, (_, letter: string) => letter.toUpperCase());
}

/** `options`: one, or a switch and its opposite. Undefined: as if nothing was given. */
function parsedValue(options: readonly Option[], value: unknown, where: string): unknown {
  const [option] = options;
  if (!option.required && !option.optional) {
    if (typeof value !== 'boolean') throw inputError('BAD_CONFIG', `${where}: expected true or false`);
    const canBeFalse = options.some(({ negate }) => negate);
    return value || canBeFalse ? value : undefined;
  }
  const values = Array.isArray(value) ? value : [value];
  const texts = values.map((one) => {
    if (typeof one === 'string' || typeof one === 'number') return String(one);
    const got = JSON.stringify(one);
    throw inputError('BAD_CONFIG', `${where}: expected text, a number or a list of them, got ${got}`);
  });
  // "--drop <a,b>" takes a list as one text, "--origin <origin>" one at a time.
  const given = option.flags.includes(',') ? [texts.join(',')] : texts;
  if (given.length > 1 && !option.parseArg)
    throw inputError('BAD_CONFIG', `${where}: expected one value, got ${given.length}`);
  return withFile(where, () =>
    given.reduce<unknown>(
      (before, text) => (option.parseArg ? option.parseArg(text, before) : text),
      undefined,
    ),
  );
}

function withFile<T>(where: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof KindredError)) throw error;
    throw new KindredError(error.code, `${where}: ${error.message}`, error.kind);
  }
}

function unknownKey(command: Command, file: string, key: string, name: string): Error {
  const names = command.options.map(({ long }) => (long ?? '').replace(/^--/, ''));
  const near = nearestName(name, names);
  const hint =
    near === undefined ? `kindred ${pathOf(command).join(' ')} --help lists them` : `did you mean ${near}?`;
  return inputError(
    'BAD_CONFIG',
    `${file}: ${key}: kindred ${pathOf(command).join(' ')} has no option of this name; ${hint}`,
  );
}
